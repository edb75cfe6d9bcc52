"""Shared by the PyTorch columns, Keras 3 on torch and native: threads, synchronization, facts."""

import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from millistep.measure.device import SHARE
from millistep.measure.extras import CountedSteps, counted_steps
from millistep.measure.frameworks import Framework, WrongFramework, torch_profile
from millistep.measure.frameworks.products import flushed
from millistep.measure.operations import Span, attention_operators, fused_attention

# torch.compile's words for a function that it compiled too often, of any release.
LIMIT = re.compile(r"(recompile|cache.size).limit", re.I)
AVERAGES = ("running_mean", "running_var")  # of batch normalization


class TorchFramework(Framework):
    torch: Any  # the module
    _earlier: Mapping[str, Counter[str]] = {}  # torch.compile's counters before build()

    def prepare_backend(self) -> None:
        import torch

        self.torch = torch
        # PyTorch's own, before extensions add theirs.
        self._of_torch = torch_profile.namespaces(torch)
        torch.set_num_threads(self.cell.threads)
        if self.cell.cudnn_benchmark:
            torch.backends.cudnn.benchmark = True
        if self.cell.accelerator == "cpu":
            # As TensorFlow and XLA do by themselves. Without it the *values* of the weights set the
            # speed (two to three times slower in training).
            torch.set_flush_denormal(True)
        self.limit_memory()

    def limit_memory(self) -> None:
        """Apply the policy of :mod:`measure.device`."""
        # Without a device nothing is limited; which one the run computes on is checked next.
        if self.cell.accelerator == "cuda" and self.torch.cuda.is_available():
            self.torch.cuda.set_per_process_memory_fraction(SHARE)

    def force_precision(self, precision: str) -> None:
        backends = self.torch.backends
        backends.cuda.matmul.allow_tf32 = backends.cudnn.allow_tf32 = precision == "tf32"

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "threads": self.torch.get_num_threads()}

    def seed(self) -> None:
        super().seed()
        self.torch.manual_seed(self.cell.seed)
        kinds = ("stats", "graph_break", "unimplemented")
        self._earlier = {kind: Counter(_dynamo()[kind]) for kind in kinds}

    def _counted(self, kind: str) -> Counter[str]:
        """Return torch.compile's counters of a kind since the model was built."""
        return Counter(_dynamo()[kind]) - self._earlier.get(kind, Counter())

    def graphs(self) -> int:
        """Return the programs that torch.compile made of this model: one for each piece of Python
        between graph breaks, and one more wherever a later step failed its guards.
        """
        return self._counted("stats")["unique_graphs"]

    def compiled_execution(self) -> dict[str, Any]:
        """Return the observed settings of a compiled model. Code that torch.compile leaves to
        Python counts as a graph break; raises :class:`WrongFramework` where it gave up.
        """
        if not self.graphs():
            raise WrongFramework("torch.compile compiled nothing: its time would be an eager one")
        left = self._counted("unimplemented")
        if any(LIMIT.search(reason) for reason in left):
            raise WrongFramework(
                "torch.compile recompiled until its limit and went on eagerly: a value in the "
                "model changes in each step; TORCH_LOGS=recompiles names it"
            )
        return {
            "execution": "jit",
            "compiler": "inductor",
            "graphs": self.graphs(),
            "graph_breaks": (self._counted("graph_break") + left).total(),
        }

    def second_biases(self, module: Any) -> list[Any]:
        """Return the second biases of a module's recurrent layers, which Keras' layers lack."""
        nn = self.torch.nn
        return [
            parameter
            for layer in module.modules()
            if isinstance(layer, (nn.LSTM, nn.RNN, nn.LSTMCell, nn.RNNCell))
            for name, parameter in layer.named_parameters(recurse=False)
            if name.startswith("bias_hh")
        ]

    def fence(self) -> None:
        # On the host an operation is done when its call returns.
        if self.cell.accelerator == "cuda":
            self.torch.cuda.synchronize()

    def late_ns(self) -> int:
        # Waits for the stream of the steps, which is empty after a complete synchronization.
        stream = self.torch.cuda.current_stream() if self.cell.accelerator == "cuda" else None
        if stream is None or stream.query():
            return 0
        start = time.perf_counter_ns()
        stream.synchronize()
        return time.perf_counter_ns() - start

    def device_facts(self) -> dict[str, Any]:
        cuda, onednn = self.cell.accelerator == "cuda", self.torch.backends.mkldnn

        def halve(x: Any) -> Any:
            return (self.torch.from_numpy(x) * 0.5).numpy()

        return {
            "device": self.torch.cuda.get_device_name() if cuda else "cpu",
            "threads": self.torch.get_num_threads(),
            "flush_denormals": None if cuda else flushed(halve),
            "blas": None if cuda else _blas(self.torch.__config__.show()),
            "onednn": None if cuda else bool(onednn.is_available() and onednn.enabled),
            "cudnn_benchmark": self.torch.backends.cudnn.benchmark if cuda else None,
        }

    profiler = "torch.profiler, ATen operations, kernels of compiled graphs and CUDA kernels"

    def begin_profile(self) -> None:
        profiler = self.torch.profiler
        kinds = {profiler.ProfilerActivity.CPU}
        with ExitStack() as opened:  # nothing stays on if the profiler does not start
            if self.cell.accelerator == "cuda":
                kinds.add(profiler.ProfilerActivity.CUDA)
            else:
                opened.enter_context(torch_profile.announced(self.torch))
            self._profile = opened.enter_context(profiler.profile(activities=kinds))
            self._while_profiled = opened.pop_all()

    def end_profile(self) -> list[Span]:
        self._while_profiled.close()
        events = torch_profile.recorded_events(self._profile)
        cuda = self.cell.accelerator == "cuda"
        device = self.torch.autograd.DeviceType.CUDA if cuda else None
        names = {event.name for event in events}
        seen = attention_operators(names).union(fused_attention(names) if cuda else ())
        self.attention_kernels = sorted(seen)
        nothing = torch_profile.computing_nothing(self.torch, names)
        extensions = torch_profile.namespaces(self.torch) - self._of_torch
        return torch_profile.computing(events, device, extensions, nothing)

    def compile_cache(self) -> str | None:
        """Return the state of the cache, by the graphs that inductor looked up. A process traces a
        graph again if AOTAutograd cannot keep it, even if inductor has kept its own.
        """
        asked = _dynamo()["inductor"]
        if asked.get("fxgraph_cache_miss"):
            return "cold"
        return "warm" if asked.get("fxgraph_cache_hit") else None

    def backend_version(self) -> str:
        return f"torch {self.torch.__version__}"

    peak_device_counts = (
        "tensors in PyTorch's allocator, from the end of the warm-up, and what CUDA graphs keep"
    )

    def restart_peak_device(self) -> None:
        if self.cell.accelerator == "cuda":
            self.torch.cuda.reset_peak_memory_stats()

    def peak_device_mib(self) -> float | None:
        if self.cell.accelerator != "cuda":
            return None
        return float(self.torch.cuda.max_memory_allocated() + self._kept_by_graphs()) / 2**20

    def _kept_by_graphs(self) -> int:
        """Return the bytes in CUDA graphs' own pools that the allocator does not see in use."""
        segments = self.torch.cuda.memory_snapshot()
        pools = [each for each in segments if tuple(each["segment_pool_id"]) != (0, 0)]
        return sum(each["total_size"] - each["allocated_size"] for each in pools)

    def allocated_bytes(self) -> float:
        """Return the bytes that a step requests of PyTorch's allocator. A CUDA graph requests none
        when it is launched.
        """
        steps = counted_steps(self)
        if self.cell.accelerator == "cuda":
            requested: list[int] = []

            def read() -> None:
                requested.append(self.torch.cuda.memory_stats()["requested_bytes.all.allocated"])

            self.run(CountedSteps(read, read))
            return (requested[1] - requested[0]) / steps
        host = {self.torch.profiler.ProfilerActivity.CPU}
        recording = self.torch.profiler.profile(activities=host, profile_memory=True)
        with ExitStack() as opened:
            self.run(CountedSteps(partial(opened.enter_context, recording), opened.close))
        return torch_profile.allocated(recording) / steps

    def device_limit_mib(self) -> float | None:
        if self.cell.accelerator != "cuda":
            return None
        total = self.torch.cuda.mem_get_info()[1]
        # Early releases lack this function; they have the share that was set.
        told = getattr(self.torch.cuda, "get_per_process_memory_fraction", lambda: SHARE)
        return float(told() * total / 2**20)


def averages(module: Any) -> list[Any]:
    return [buffer for name, buffer in module.named_buffers() if name.endswith(AVERAGES)]


def _dynamo() -> Any:
    """Return torch.compile's counters by kind; all are zero in a process that never used it."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    return dynamo.counters if dynamo else defaultdict(Counter)


def _blas(config: str) -> str | None:
    """Return the library that multiplies matrices on the CPU, as PyTorch's build names it."""
    mkl = re.search(r"oneAPI Math Kernel Library Version (\S+?)-", config)
    named = re.search(r"BLAS_INFO=(\w+)", config)
    return f"oneMKL {mkl[1]}" if mkl else named and named[1]
