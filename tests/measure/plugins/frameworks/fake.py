"""A framework whose step lasts a known time, and which can fail in every way."""

import contextlib
import importlib
import json
import os
import signal
import stat
import subprocess
import sys
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

from millistep.measure.frameworks import WrongFramework
from millistep.measure.operations import Span

EATER = "import time; eaten = b'x' * (400 * 2**20); time.sleep(1000)"


class Framework:
    def __init__(self, cell):
        self.cell = cell
        self.wanted = cell.architecture
        self.compiled = 0
        self.steps = self.blocks = 0
        self.probeable = self.wanted.get("probeable", True)

    def load(self):
        pass

    def live_accelerator(self):
        return self.wanted.get("lives_on", self.cell.accelerator), "fake 1"

    def settings(self):
        over = self.steps >= self.wanted.get("compiles_until", self.steps + 1)
        return {"jit_compile": self.wanted.get("compiles", False) and not over}

    def build(self):
        trouble = self.wanted.get("trouble")
        if trouble:
            getattr(self, trouble)()

    def slows_the_clock(self):
        real, start = time.perf_counter_ns, time.perf_counter_ns()
        time.perf_counter_ns = lambda: start + (real() - start) // 2

    def moves(self):
        """Make another device the default one."""
        self.wanted["lives_on"] = "cuda"

    def sets_a_variable(self):
        os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

    def crash(self):
        os.kill(os.getpid(), signal.SIGSEGV)

    def aborts(self):
        """Die as PyTorch does where its own thread meets the error of a device."""
        print("terminate called after throwing an instance of 'c10::AcceleratorError'")
        print("  what():  CUDA error: an illegal memory access was encountered")
        print("\n".join(f"frame #{number}: something" for number in range(50)), flush=True)
        os.abort()

    def killed(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def raises_in_the_model(self):
        importlib.import_module("millistep.measure.models.fake.work").divide(1, 0)

    def raises(self):
        raise ValueError("shapes do not match: (2, 3) and (4, 5)\nsecond line")

    def out_of_memory(self):
        raise MemoryError

    def device_out_of_memory(self):
        raise RuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8 bytes.")

    def eats_memory(self):
        self.eaten = []
        while True:
            self.eaten.append(bytearray(os.urandom(1024)) * 20_000)
            time.sleep(0.01)

    def hangs(self):
        time.sleep(1000)

    def hangs_once(self):
        """Hang until somebody ends it, but not in a later attempt."""
        before = Path(self.wanted["hung"])
        if not before.exists():
            before.touch()
            time.sleep(1000)

    def has_memory_eaten(self):
        """Stay small, and let a process that this one starts take the memory."""
        subprocess.Popen([sys.executable, "-c", EATER])
        time.sleep(1000)

    def hangs_at_its_end(self):
        """Report the end, and then do not end: as with a driver that does not let go."""
        sys.stdout = SimpleNamespace(flush=lambda: time.sleep(1000))

    def raises_and_hangs(self):
        self.hangs_at_its_end()
        self.raises()

    def exits(self):
        os._exit(3)

    def prints_without_end(self):
        for _ in range(self.wanted["mib"]):
            print("x" * 2**20, end="")
        print("\nlast words", flush=True)
        raise ValueError("it has printed enough")

    def warns_without_end(self):
        for number in range(self.wanted["warnings"]):
            warnings.warn(f"warning number {number}", stacklevel=1)

    def disturbs_the_events(self):
        for fd in pipes():
            os.write(fd, b"[INFO] nobody asked\n")
        time.sleep(1000)

    def closes_the_events(self):
        for fd in pipes():
            os.close(fd)
        time.sleep(1000)

    def leaves_a_grandchild(self):
        pids = Path(self.wanted["pids"])
        sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        pids.write_text(f"{os.getpid()} {sleeper.pid}")
        time.sleep(1000)

    def run_at(self, batch_size, timer):
        if batch_size in self.wanted.get("fails_at", ()):
            raise RuntimeError("CUDA out of memory at that batch size")
        if batch_size in self.wanted.get("dies_at", ()):
            os.kill(os.getpid(), signal.SIGKILL)
        timer.start()
        while not timer.tick():
            self.step()

    def step(self):
        self.steps += 1
        if self.steps <= self.wanted.get("compiling_steps", 1):
            self.compiled += 1
        if self.steps == self.wanted.get("warns_at"):
            warnings.warn("fake warning", stacklevel=1)
            print("W1120 10:00:00.123456 77 torch/fake.py:12] [0/8] recompiled", file=sys.stderr)
        wait(self.wanted["step_ms"] / 1000)

    def legacy(self, steps, cap_s):
        if self.wanted.get("legacy_fails"):
            raise ZeroDivisionError("a step took no time")
        return self.wanted.get("legacy_ms", self.wanted["step_ms"]), steps, "what was asked for"

    def fence(self):
        pass

    def late_ns(self):
        """The values that are asked for, again and again."""
        asked = self.wanted.get("late_ms", [0])
        self.blocks += 1
        return round(1e6 * asked[self.blocks % len(asked)])

    def compilations(self):
        return self.compiled

    def compile_cache(self):
        """The state that is asked for, by what lies in the folders that a compiler would keep."""
        if self.wanted.get("counters_fail"):
            raise RuntimeError("no counter of caches")
        if not self.wanted.get("keeps_compiled"):
            return None
        graph = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"], "graph")
        kernel = Path(os.environ["TRITON_CACHE_DIR"], "kernel")
        if graph.exists() and kernel.exists():
            return "warm"
        for file in (graph, kernel):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        return "cold"

    def work(self):
        grown = self.wanted.get("grows", 0) if self.steps else 0
        return {"parameters": 1 + grown, "trainable_parameters": 1}

    def parity(self):
        if failure := self.wanted.get("card_fails"):
            raise {"ValueError": ValueError, "WrongFramework": WrongFramework}[failure]("no card")
        return {
            "framework_version": "fake 1",
            "backend": "fake",
            "dtype": "float32",
            "execution": "eager",
            "compiler": "none",
            "attention": "none",
            "optimizer": None,
            "device": "cpu",
            "threads": self.cell.threads,
            "flush_denormals": None,
            "affinity": str(sorted(os.sched_getaffinity(0))),
            "user_site": "usersite" if sys.flags.no_user_site == 0 else "none",
            "omp_num_threads": os.environ["OMP_NUM_THREADS"],
            "environ": json.dumps(dict(os.environ)),
        }

    def force_precision(self, precision):
        self.wanted = {"computes_in": precision, **self.wanted}

    def precision(self):
        wait(self.wanted.get("precision_ms", 0) / 1000)
        return {"matmul_precision": self.wanted.get("computes_in", "float32")}

    profiler = "a list of intervals"

    def begin_profile(self):
        if self.wanted.get("profiler_fails"):
            raise RuntimeError("no profiler here")
        if self.wanted.get("profiler_kills"):
            self.killed()
        self.began = time.perf_counter_ns()

    def end_profile(self):
        """Spans of half the time: a quarter of that alone, the rest nested, and on two threads."""
        half = (time.perf_counter_ns() - self.began) // 2
        return [
            Span(0, half, "outer", "main"),
            Span(half // 4, half, "inner", "main"),
            Span(half // 4, half, "beside", "other"),
        ]

    peak_device_counts = "steps that were made before the count began"
    count_began = 0

    def restart_peak_device(self):
        self.count_began = self.steps

    def peak_device_mib(self):
        if self.wanted.get("counters_fail"):
            raise RuntimeError("no counter of memory")
        return self.count_began if self.wanted.get("counts_device") else None

    def allocated_bytes(self):
        return 4096


def pipes():
    """Return the descriptors of pipes, that of the events among them."""
    found = []
    for fd in range(3, 1024):  # the supervisor may have many files open
        with contextlib.suppress(OSError):
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                found.append(fd)
    return found


def wait(seconds):
    """Wait, exact to the microsecond, yet leave the processor to others for most of the time."""
    end = time.perf_counter() + seconds
    time.sleep(max(0.0, seconds - 0.001))
    while time.perf_counter() < end:
        pass
