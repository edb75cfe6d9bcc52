"""Time that others took of the processors that a run may use, and of no others."""

import os
from pathlib import Path

import pytest

from millistep.measure import interference

TICKS = os.sysconf("SC_CLK_TCK")


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
        (tmp_path / "proc" / str(number)).mkdir(parents=True, exist_ok=True)
        half = [int(s * TICKS / 2) for s in (own_s, own_s, waited_for_s, waited_for_s)]
        said = ["R 1 70", session, "0 -1 4194560 900 0 0 0", *half, "20 0 1 0 5"]
        stat = f"{number} (python) 3 of (its) {' '.join(map(str, said))}"
        (tmp_path / f"proc/{number}/stat").write_text(stat)

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
