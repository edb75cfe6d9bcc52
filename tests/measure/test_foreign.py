"""What others took of the processors that a run may use, and of no others."""

import os

import pytest

from measure import foreign

TICKS = os.sysconf("SC_CLK_TCK")


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Four processors, of which a run may use two; seconds that each was busy are set."""
    monkeypatch.setattr(foreign.os, "sched_getaffinity", lambda pid: {1, 3})
    monkeypatch.setattr(foreign, "Path", lambda path: tmp_path / "stat")

    def busy(*seconds):
        lines = [
            f"cpu{number} {int(of * TICKS)} 0 0 900 50 0 0 0" for number, of in enumerate(seconds)
        ]
        (tmp_path / "stat").write_text("\n".join(["cpu 1 2 3 4 5 6 7 8", *lines, "intr 7"]))

    return busy


def test_work_on_its_own_processors_counts(machine, monkeypatch):
    monkeypatch.setattr(foreign.os, "times", lambda: (0.0, 0.0, 0.0, 0.0, 0.0))
    machine(5, 1, 5, 1)
    before = foreign.other_cpu_seconds()
    machine(5, 2, 5, 4)
    after = foreign.other_cpu_seconds()
    assert foreign.foreign_share(before, after, 4.0) == pytest.approx((1 + 3) / (2 * 4.0))


def test_work_elsewhere_and_of_its_own_does_not(machine, monkeypatch):
    own = iter([0.0, 3.0])
    monkeypatch.setattr(foreign.os, "times", lambda: (next(own), 0.0, 0.0, 0.0, 0.0))
    machine(5, 1, 5, 1)
    before = foreign.other_cpu_seconds()
    machine(9, 2, 9, 3)
    after = foreign.other_cpu_seconds()
    assert foreign.foreign_share(before, after, 4.0) == 0
    assert foreign.foreign_share(None, after, 4.0) is None
