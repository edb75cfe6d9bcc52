"""The published arithmetic of plain PyTorch is that of the script that timed the row."""

from types import SimpleNamespace

import pytest

from measure.frameworks import loops, native

STEP_S = 0.01


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a step's time for each step."""
    now = SimpleNamespace(s=0.0)
    monkeypatch.setattr(native.time, "perf_counter", lambda: now.s)
    return now


class Steps(native.NativeFramework):
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


def test_trainer_looks_at_each_loss_and_counts_99_steps_as_100(clock):
    framework = Steps(clock, "fit", trainer=True)
    step_ms, steps, words = framework.legacy(5, cap_s=10.0)
    assert (step_ms, steps) == (pytest.approx(0.99 * 1000 * STEP_S), 4)
    assert framework.made == 5 * ["looked"] and "99 steps counted as 100" in words
    assert loops.NO_FENCE not in words


def test_other_scripts_drop_a_step_and_wait_for_nothing(clock):
    framework = Steps(clock, "fit", trainer=False)
    step_ms, steps, words = framework.legacy(5, cap_s=10.0)
    assert (step_ms, steps) == (pytest.approx(1000 * STEP_S), 4)
    assert framework.made == 5 * ["step"] and words.endswith(loops.NO_FENCE)
    assert "as 100" not in words


@pytest.mark.parametrize("trainer", [True, False])
def test_a_prediction_is_many_steps_less_one_and_trainers_ends_on_the_host(clock, trainer):
    framework = Steps(clock, "predict", trainer)
    step_ms, steps, words = framework.legacy(5, cap_s=10.0)
    assert (step_ms, steps) == (pytest.approx(1000 * STEP_S), 5)
    waited = ["fence"] if trainer else []
    assert framework.made == ["step", *waited, *6 * ["step"], *waited]
    assert words.endswith(loops.ON_THE_HOST if trainer else loops.NO_FENCE)


def test_fewer_steps_are_made_where_time_is_short(clock):
    assert Steps(clock, "fit", trainer=False).legacy(100, cap_s=2.5 * STEP_S)[1] == 3
