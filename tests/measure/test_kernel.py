"""What the operating system does for a run, on steps whose memory is known."""

import mmap
import time
from types import SimpleNamespace

import pytest

from millistep.measure.interference import Kernel

PAGES, STEPS = 500, 4


def steps_of(step):
    kernel = Kernel()
    assert set(kernel.found(0, 0, 1).values()) == {None}
    with kernel:
        start = time.perf_counter_ns()
        for _ in range(STEPS):
            step()
        elapsed_ns = time.perf_counter_ns() - start
    return kernel.found(STEPS, elapsed_ns, 1)


def touches_new_memory():
    with mmap.mmap(-1, PAGES * mmap.PAGESIZE) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        for page in range(PAGES):
            memory[page * mmap.PAGESIZE] = 1


def test_pages_that_a_step_is_the_first_to_touch_are_counted():
    assert steps_of(touches_new_memory)["page_faults_per_step"] == pytest.approx(PAGES, rel=0.1)
    assert steps_of(lambda: sum(range(1000)))["page_faults_per_step"] < PAGES / 10


def test_time_in_the_kernel_is_a_share_of_the_threads_time():
    def asks_the_kernel():
        for _ in range(300):
            touches_new_memory()

    def computes():
        sum(range(3_000_000))

    asking = steps_of(asks_the_kernel)["system_cpu_share"]
    assert 2 * steps_of(computes)["system_cpu_share"] < asking <= 1.1


def test_more_threads_have_as_many_times_the_time(monkeypatch):
    facts = ((1.0, 10), (4.0, 18))
    readings = [SimpleNamespace(ru_stime=s, ru_minflt=faults) for s, faults in facts]
    monkeypatch.setattr("resource.getrusage", lambda _: readings.pop(0))
    kernel = Kernel()
    with kernel:
        pass
    found = kernel.found(4, 5_000_000_000, 2)
    assert found == {"system_cpu_share": 0.3, "page_faults_per_step": 2.0}
