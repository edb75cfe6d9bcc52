"""The published arithmetic of plain PyTorch is that of the script that timed the row."""

from types import SimpleNamespace

import pytest

from millistep.measure.frameworks import loops, pytorch_eager

STEP_S = 0.01


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a step's time for each step."""
    now = SimpleNamespace(s=0.0)
    monkeypatch.setattr(pytorch_eager.time, "perf_counter", lambda: now.s)
    return now


class Steps(pytorch_eager.Framework):
    """Writes down what is made, and when it is waited for."""

    def __init__(self, clock, task, trainer):
        self.cell = SimpleNamespace(task=task, batch_size=1)
        self.models = SimpleNamespace(BY_TRAINER=True) if trainer else SimpleNamespace()
        self.clock, self.made = clock, []

    def _made(self, what):
        self.clock.s += STEP_S
        self.made.append(what)

    def _host_batch(self, batch_size):
        return {}

    def _fit_step(self, batch, looks=False):
        self._made("looked" if looks else "step")

    def _predict_step(self):
        return lambda batch: self._made("step")

    def fence(self):
        self.made.append("fence")


STEP, FENCE = ["step"], ["fence"]
COUNTED = "99 steps counted as 100"


@pytest.mark.parametrize(
    ("task", "trainer", "share", "steps", "made", "words"),
    [
        ("fit", True, 0.99, 4, 6 * ["looked"], {COUNTED}),  # it looks at each loss
        ("fit", False, 1, 4, 6 * STEP, {loops.NO_FENCE}),  # both drop two; this waits for nothing
        # many steps less one; the trainer's ends on the host
        ("predict", True, 1, 5, STEP + FENCE + 6 * STEP + FENCE, {loops.ON_THE_HOST}),
        ("predict", False, 1, 5, 7 * STEP, {loops.NO_FENCE}),
    ],
)
def test_by_hand(clock, task, trainer, share, steps, made, words):
    framework = Steps(clock, task, trainer)
    step_ms, counted, said = framework.legacy(5, cap_s=10.0)
    assert (step_ms, counted) == (pytest.approx(share * 1000 * STEP_S), steps)
    assert framework.made == made
    assert {each for each in (COUNTED, loops.NO_FENCE, loops.ON_THE_HOST) if each in said} == words
    assert COUNTED in words or said.endswith(*words)


def test_fewer_steps_are_made_where_time_is_short(clock):
    assert Steps(clock, "fit", trainer=False).legacy(100, cap_s=2.5 * STEP_S)[1] == 3
