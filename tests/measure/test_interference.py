"""Interference with a run: CPU time of others, work of the kernel, a quota that stops the run."""

import mmap
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from millistep.measure import interference
from millistep.measure.interference import Kernel, Quota

from ..shared import put

TICKS = os.sysconf("SC_CLK_TCK")
PAGES, STEPS = 500, 4


@pytest.mark.parametrize(
    ("busy", "own_s", "waited_for_s", "compiler_s", "share"),
    [
        ((5, 2, 5, 4), 0, 0, 0, (1 + 3) / (2 * 4.0)),
        ((9, 2, 9, 3), 3, 0, 0, 0),  # work on other processors, and the run's own
        ((9, 2, 9, 5), 1, 1, 2, 1 / (2 * 4.0)),  # that of processes that it has started, too
    ],
)
def test_the_work_of_others_on_its_processors_counts(
    tmp_path, monkeypatch, busy, own_s, waited_for_s, compiler_s, share
):
    """There are four processors, of which the run may use two."""
    monkeypatch.setattr(interference.os, "sched_getaffinity", lambda pid: {1, 3})
    monkeypatch.setattr(interference.os, "getsid", {0: 70}.__getitem__)
    now_s = iter([0.0, 4.0])
    monkeypatch.setattr(interference.time, "perf_counter", lambda: next(now_s))
    monkeypatch.setattr(interference, "Path", lambda path: Path(f"{tmp_path}{path}"))

    def process(number, session, own_s=0, waited_for_s=0):
        half = [int(s * TICKS / 2) for s in (own_s, own_s, waited_for_s, waited_for_s)]
        said = ["R 1 70", session, "0 -1 4194560 900 0 0 0", *half, "20 0 1 0 5"]
        stat = f"{number} (python) 3 of (its) {' '.join(map(str, said))}"
        put(tmp_path / f"proc/{number}/stat", stat)

    def spent(*of):
        half = [int(s * TICKS / 2) for s in of]  # half by programs, half by interrupts
        lines = [f"cpu{n} {ticks} 0 0 900 50 {ticks} 0 0" for n, ticks in enumerate(half)]
        (tmp_path / "proc/stat").write_text("\n".join(["cpu 1 2 3 4 5 6 7 8", *lines, "intr 7"]))

    process(70, 70)
    spent(5, 1, 5, 1)
    others = interference.Others()
    with others:
        process(70, 70, own_s, waited_for_s)
        process(71, 70, compiler_s)
        process(72, 7, 1000)  # somebody else's
        spent(*busy)
    assert others.share() == pytest.approx(share)


@pytest.mark.parametrize(
    ("readings", "share", "latest"),
    [
        # s, and CPU seconds of others, of two CPUs: what lies between two intervals does not count
        ([(0, 1), (1, 2), (10, 9), (12, 10)], 2 / (2 * 3), 1 / (2 * 2)),
        ([(0, 6), (2, 6)], 0, 0),
        ([(0, 0), (0.5, 0.2)], None, 0.2),  # too short to count in all
        ([(0, 0), (0.5, 0.2), (1, 1), (1.09, 2)], None, None),  # too short to count at all
        ([(0, 0), (0.5, 0.2), (1, 1), (2, None)], None, None),
        ([(0, None), (10, None)], None, None),
    ],
)
def test_the_share_of_others_is_that_of_all_intervals(monkeypatch, readings, share, latest):
    now_s, used_s = (iter(each) for each in zip(*readings, strict=True))
    monkeypatch.setattr(interference.os, "sched_getaffinity", lambda pid: {1, 3})
    monkeypatch.setattr(interference.time, "perf_counter", lambda: next(now_s))
    monkeypatch.setattr(interference, "other_cpu_seconds", lambda: next(used_s))
    others = interference.Others()
    for _ in readings[::2]:
        with others:
            pass
    assert others.share() == (None if share is None else pytest.approx(share))
    assert others.latest == (None if latest is None else pytest.approx(latest))


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


def test_periods_in_which_the_quota_stopped_the_run_are_counted_within_the_windows(tmp_path):
    files = [put(tmp_path / str(n), "nr_periods 10\nnr_throttled 2\n") for n in range(2)]
    quota = Quota(list(map(str, files)))
    for stopped in (3, 7):
        with quota:
            put(files[1], f"usage_usec 5\nnr_periods {20 + stopped}\nnr_throttled {stopped}\n")
    assert quota.found() == {"quota_periods": 17, "quota_throttled_periods": 5}
    assert set(Quota([]).found().values()) == {None}
    gone = Quota([str(tmp_path / "gone")])
    with gone:
        pass
    assert gone.found() == {"quota_periods": 0, "quota_throttled_periods": 0}
