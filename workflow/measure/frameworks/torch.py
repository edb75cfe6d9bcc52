"""What the PyTorch columns share, Keras 3 on torch and native: threads, fence, facts."""

from typing import Any

from measure.device_memory import SHARE
from measure.frameworks import Cell
from measure.frameworks.denormals import flushed

# On the host: ATen's operations, and what inductor made of a graph, as a whole.
COMPUTING = ("aten::", "## Call CompiledFxGraph", "CompiledFunction")


class TorchMixin:
    """Of a framework that has imported PyTorch."""

    torch: Any  # the module
    cell: Cell

    def apply_threads(self) -> None:
        self.torch.set_num_threads(self.cell.threads)
        if self.cell.accelerator == "cpu":
            # As TensorFlow and XLA do by themselves. Without it the *values* of
            # the weights set the speed (two to three times slower in training).
            self.torch.set_flush_denormal(True)

    def limit_memory(self) -> None:
        """The policy of :mod:`measure.device_memory`."""
        # Without a device nothing is limited: what the run computes on is asked next.
        if self.cell.accelerator == "cuda" and self.torch.cuda.is_available():
            self.torch.cuda.set_per_process_memory_fraction(SHARE)

    def force_precision(self, precision: str) -> None:
        tf32 = precision == "tf32"
        self.torch.backends.cuda.matmul.allow_tf32 = tf32
        self.torch.backends.cudnn.allow_tf32 = tf32

    def fence(self) -> None:
        # On the host an operation is done when its call returns.
        if self.cell.accelerator == "cuda":
            self.torch.cuda.synchronize()

    def device_facts(self) -> dict[str, Any]:
        cuda = self.cell.accelerator == "cuda"
        return {
            "device": self.torch.cuda.get_device_name() if cuda else "cpu",
            "threads": self.torch.get_num_threads(),
            "flush_denormals": self._flushes_denormals(),
        }

    def _flushes_denormals(self) -> bool | None:
        if self.cell.accelerator == "cuda":
            return None
        return flushed(lambda x: (self.torch.from_numpy(x) * 0.5).numpy())

    profiler = "torch.profiler, ATen operations, compiled graphs and CUDA kernels"

    def begin_profile(self) -> None:
        from torch.profiler import ProfilerActivity, profile

        kinds = {ProfilerActivity.CPU}
        if self.cell.accelerator == "cuda":
            kinds.add(ProfilerActivity.CUDA)
        self._profile = profile(activities=kinds)
        self._profile.start()

    def end_profile(self) -> list[tuple[int, int]]:
        self._profile.stop()
        events = self._profile.events()
        names = {event.name.removeprefix("aten::_").removesuffix("_backward") for event in events}
        self.attention_kernels = sorted(n for n in names if n.startswith("scaled_dot_product_"))
        cuda = self.cell.accelerator == "cuda"
        return computing(events, self.torch.autograd.DeviceType.CUDA if cuda else None)

    def backend_version(self) -> str:
        return f"torch {self.torch.__version__}"

    peak_device_counts = "tensors in PyTorch's allocator, from the end of the warm-up"

    def restart_peak_device(self) -> None:
        if self.cell.accelerator == "cuda":
            self.torch.cuda.reset_peak_memory_stats()

    def peak_device_mib(self) -> float | None:
        if self.cell.accelerator != "cuda":
            return None
        return self.torch.cuda.max_memory_allocated() / 2**20

    def device_limit_mib(self) -> float | None:
        if self.cell.accelerator != "cuda":
            return None
        total = self.torch.cuda.mem_get_info()[1]
        return self.torch.cuda.get_per_process_memory_fraction() * total / 2**20


def computing(events: Any, device: Any = None) -> list[tuple[int, int]]:
    """``(start ns, end ns)`` of what computes among torch.profiler's events.

    device: the type of the device that computes, None for the host. On a device a
    named range (``Optimizer.step``, a compiled graph's) lasts from its first kernel
    to its last one, whatever lies between: it is no operation.
    """
    if device is None:
        chosen = [event for event in events if event.name.startswith(COMPUTING)]
    else:
        on_device = [event for event in events if event.device_type == device]
        chosen = [event for event in on_device if not event.is_user_annotation]
    return [
        (int(1000 * event.time_range.start), int(1000 * event.time_range.end)) for event in chosen
    ]
