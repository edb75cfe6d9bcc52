"""The fixed work of controls is timed in blocks of calls between two fences."""

from types import SimpleNamespace

from millistep.measure.controls import reference


def test_a_blocks_seconds_are_those_of_a_call(monkeypatch):
    clock = SimpleNamespace(now=0.0, perf_counter=lambda: clock.now)
    monkeypatch.setattr(reference, "time", clock)

    def takes(seconds):
        clock.now += seconds

    # The first call, of which nothing is told, and three blocks of 4 in the 20 seconds.
    calls = iter([100.0] + [2.0] * 12)
    seconds = reference.repeated(lambda: takes(next(calls)), lambda: takes(0.4), 4, 20.0)
    assert [round(each, 3) for each in seconds] == [2.1] * 3
    assert not [*calls]
