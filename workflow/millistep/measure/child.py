"""The measured process: import, build, measure one task, report to the parent.

Each result is an event, so that a kill loses only what was in flight.
"""

import contextlib
import dataclasses
import itertools
import re
import resource
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from millistep.measure import conformance, frameworks
from millistep.measure.extras import calls, outcome, probe
from millistep.measure.interference import Kernel, Others, Quota
from millistep.measure.observed import parity, peak_device, with_profile
from millistep.measure.process import MAX_MESSAGE, Caught, Events, run
from millistep.measure.profile import profile
from millistep.measure.protocol import PROTOCOLS
from millistep.measure.timer import MANY_STEPS, MAX_WINDOW_STEPS, Timer, harness_ns


def measure(request: dict[str, Any], events: Events) -> None:
    """Measure one run; its warnings are reported even if it fails."""
    frameworks.add_folders(request["folders"])
    caught = Caught()
    try:
        Measurement(request, events, caught).run()
    except BaseException:
        events.send("warnings", warnings=caught.texts())
        raise


class Measurement:
    """One run, stage by stage; each stage reports to the parent what it found."""

    def __init__(self, request: dict[str, Any], events: Events, caught: Caught) -> None:
        self.request, self.events, self.caught = request, events, caught
        self.protocol = PROTOCOLS[request["scale"]]
        if request["windows"]:
            self.protocol = dataclasses.replace(self.protocol, windows=request["windows"])
        self.cell = frameworks.Cell(**request["cell"])
        self.framework = frameworks.create(self.cell)
        self.start: dict[str, float | str | None] = {"compile_cache": None}
        self.legacy: dict[str, Any] | None = None
        self.harness_ns: float | None = None
        self.failures: list[str] = []  # of parts of the record
        self.foreign: list[float | None] = []  # share of other processes in each window's turn
        self.extra_s = 0.0
        self.turns = open(request["turns_fd"])  # noqa: SIM115 (open as long as this process)

    def run(self) -> None:
        """Run all stages; what fails after ``measured`` costs nothing that was measured before."""
        self.load()
        with self._seconds("build_s"), conformance.same_process():
            self.framework.build()
        conformance.check_settings(self.cell, self.framework.settings())
        if self.cell.precision != "default":  # the builder may have set another one
            conformance.check_precision(self.cell.precision, self.framework.precision())
        self.check()
        self.time()
        self.describe()
        self.events.send("measured", probeable=self.framework.probeable)
        began = time.perf_counter_ns()
        if "legacy" in self.request["extras"] and self.framework.legacy:
            self.estimate_as_published()
        self.probe()
        if "profile" in self.request["extras"] and self.framework.begin_profile:
            self.profile()
        if "calls" in self.request["extras"]:
            with self._or_warn("calls"):
                self.events.send("calls", calls=calls(self.framework))
            with self._or_warn("memory.allocated_bytes_per_step"):
                self.events.send("allocated", bytes_per_step=self.framework.allocated_bytes())
        if "outcome" in self.request["extras"]:
            with self._or_warn("outcome"):
                self.events.send("outcome", outcome=outcome(self.framework, self.timer.step_ns))
        self.extra_s = (time.perf_counter_ns() - began) / 1e9
        self._report_timing()

    def load(self) -> None:
        with self._seconds("import_s"):
            self.framework.load()
            # This check starts the device, which every user waits for, too.
            conformance.check_device(self.cell.accelerator, self.framework.live_accelerator)
        if self.cell.precision != "default":
            self.framework.force_precision(self.cell.precision)
        self.events.send("limit", device_limit_mib=self.framework.device_limit_mib())

    def check(self) -> None:
        """Report the work of a step; check that the model is the declared one."""
        self.sizes = self.framework.work()
        self.amount = conformance.work_of_step(self.cell)
        self.events.send("work", work={**self.sizes, **self.amount})
        conformance.check_model(self.sizes, self.cell.task, self.request)
        self.norms = conformance.norms(self.framework)

    def time(self) -> None:
        """Time first step, warm-up, windows and synchronized steps, through the public API."""
        framework, kernel, others = self.framework, Kernel(), Others()
        quota = Quota(self.request["cpu_stats"])

        @contextlib.contextmanager
        def turn() -> Iterator[None]:
            if not self.timer.windows:
                framework.restart_peak_device()
            timed = len(self.timer.windows)
            with others, quota, kernel:
                yield
            self.foreign += [others.latest] * (len(self.timer.windows) - timed)

        synchronized = self.protocol.synchronized_steps if self.request["extras"] else 0
        self.timer = Timer(
            dataclasses.replace(self.protocol, synchronized_steps=synchronized),
            framework.fence,
            framework.compilations,
            next_turn=self.next_turn,
            turn=turn,
            late=framework.late_ns,
            batches=framework.batches_per_tick,
            most_steps=MAX_WINDOW_STEPS if framework.keeps_outputs() else MANY_STEPS,
        )
        framework.run(self.timer)
        conformance.check_end(self.timer)
        # The steps may have changed these.
        conformance.check_settings(self.cell, framework.settings())
        conformance.check_unchanged(self.sizes, framework.work())
        conformance.check_trained(framework, self.norms)
        conformance.check_device(self.cell.accelerator, framework.live_accelerator)
        with self._or_warn("timing.compile_cache"):
            self.start["compile_cache"] = framework.compile_cache()
        self.events.send("foreign", share=others.share())
        timer = self.timer
        self.events.send("kernel", **kernel.found(timer.steps, timer.elapsed_ns, self.cell.threads))
        self.events.send("quota", **quota.found())
        self.events.send("window", ns=timer.span_ns, steps=timer.span_steps)
        with self._or_warn("timing.harness_ns"):
            self.harness_ns = harness_ns(framework)
        self._report_timing()

    def next_turn(self, timer: Timer) -> int:
        """Report that this process is ready, and wait, perhaps stopped by the supervisor; return
        the windows of its next turn, 0 after the last.
        """
        if timer.windows:
            self._report_timing()
        self.events.send("turn", left=timer.windows_left)
        return int(self.turns.readline() or 0)

    def estimate_as_published(self) -> None:
        """Estimate ms/step by the published arithmetic. A slow first step, which it subtracts, can
        make the estimate negative.
        """
        p = self.protocol
        assert self.framework.legacy
        with self._or_warn("timing.legacy"):
            step_ms, steps, words = self.framework.legacy(p.legacy_steps, p.legacy_cap_s)
            if step_ms <= 0:
                raise ValueError(f"the estimate is {step_ms:.3g} ms/step")
            self.legacy = {"step_ms": step_ms, "steps": steps, "method": words}
        self._report_timing()

    def describe(self) -> None:
        """Report memory, observed settings and warnings, before probes would change them."""
        # Before the observed settings, which compute a little when they are read back.
        memory = {"peak_rss_mib": peak_rss_mib()}
        with self._or_warn("memory.peak_device_mib"):
            memory |= peak_device(self.framework)
        self.events.send("memory", **memory)
        self.observed: dict[str, Any] | None = None
        with self._or_warn("parity"):
            self.observed = parity(self.framework, self.amount)
        self.events.send("parity", parity=self.observed)
        with self._or_warn("weights"):
            conformance.check_finite(self.framework)
        with self._or_warn("inputs"):
            conformance.check_inputs(self.framework)
        self._report_warnings()

    def probe(self) -> None:
        probes = []
        for planned in self.request["probes"] if self.framework.probeable else []:
            with self._or_warn("probes"):
                probes.append(probe(self.framework, self.protocol, planned))
                self.events.send("probes", probes=probes)

    def profile(self) -> None:
        """Find the share of a step in which nothing computes, and which attention kernel ran."""
        with self._or_warn("host_overhead"):
            share = profile(self.framework, self.timer.step_ns)
            self.events.send("host_overhead", host_overhead=share)
            kernels = self.framework.attention_kernels
            if kernels is not None and self.observed:
                observed = with_profile(self.observed, kernels, self.framework.launches_graphs)
                self.events.send("parity", parity=observed)

    @contextlib.contextmanager
    def _or_warn(self, place: str) -> Iterator[None]:
        """Turn a failure into a warning of the record, unless what was timed was another thing."""
        try:
            yield
        except (frameworks.WrongFramework, conformance.WrongPrecision):
            raise
        except Exception as error:
            traceback.print_exc()
            words = f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"
            self.failures.append(f"{place}: {words[:MAX_MESSAGE]}")
            self._report_warnings()

    def _report_warnings(self) -> None:
        self.events.send("warnings", warnings=[*self.caught.texts(), *self.failures])

    def _report_timing(self) -> None:
        timer = self.timer
        found = {
            **self.start,
            "first_step_s": timer.first_step_ns / 1e9,
            "warmup_steps": max(1, timer.warmup_steps),
            "warmup_s": timer.warmup_ns / 1e9,
            "windows": [
                window | {"foreign_cpu_share": share}
                for window, share in itertools.zip_longest(timer.recorded, self.foreign)
            ],
            "late_ns": timer.late_ns or None,
            "harness_ns": self.harness_ns,
            "stop": timer.stop,
            "synchronized_ns": timer.synchronized_ns,
            "legacy": self.legacy,
            "compilations": {
                "before_timing": timer.compilations_before,
                "during_timing": timer.compilations_during,
            },
            "timed_s": timer.timed_ns / 1e9 + self.extra_s,
        }
        self.events.send("timing", timing=found)

    @contextlib.contextmanager
    def _seconds(self, name: str) -> Iterator[None]:
        start = time.perf_counter_ns()
        yield
        self.start[name] = (time.perf_counter_ns() - start) / 1e9


def peak_rss_mib() -> float:
    """Return the largest resident memory so far; on Linux ``getrusage`` counts the parent's too."""
    status = Path("/proc/self/status")
    told = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    if told:
        return int(told[1]) / 2**10
    # KiB on Linux, bytes on macOS.
    unit = 2**10 if sys.platform == "linux" else 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def main() -> None:
    run(measure)
