"""Each known fault of the published arithmetic is recognised by its mark, and by nothing else."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quiet_table import JAX, PROPERTY, TORCH, quiet_project
from time_changes import step_ns

from analysis.topics.legacy import compute as legacy
from analysis.topics.legacy.compute import Cause, cause_of, legacy_ratio, sentence

CALLBACKS = f"host clock in {legacy.BY_CALLBACKS}, {legacy.UNFENCED}"
FETCHING = f"host clock in {legacy.BY_CALLBACKS}, results fetched in each step"
SUBTRACTION = f"N + 1 steps {legacy.BY_SUBTRACTION}, over N"
COUNTED = f"host clock, {legacy.COUNTED_AS_100}, {legacy.UNFENCED}"  # of older records
TRAINER = f"host clock, {legacy.COUNTED_AS_100}, loss looked at in each step"
MEASURE = Path(__file__).parents[2] / "workflow" / "measure"


def cell_of(folder, ratio, method, observed=1.0, change=None):
    """The PyTorch column's cell."""
    project = quiet_project(folder)

    def set_times(r):
        r["timing"]["legacy"].update(step_ms=step_ns(r) / 1e6 * ratio, method=method)
        r["timing"]["synchronised_ns"] = [int(step_ns(r) * observed)] * 5
        if change:
            change(r)

    project.change(set_times, TORCH)
    return project.load().rows[0].cells[1]


@pytest.mark.parametrize(
    ("ratio", "method", "observed", "on", "cause"),
    [
        (1.01, CALLBACKS, 1.3, "cuda", Cause.SAME),
        (0.98, COUNTED, 1.0, "cpu", Cause.COUNTING),
        (0.90, COUNTED, 1.0, "cuda", Cause.NO_FENCE),
        (0.90, COUNTED, 1.0, "cpu", Cause.UNEXPLAINED),
        (0.90, CALLBACKS, 1.0, "cuda", Cause.NO_FENCE),
        (0.90, CALLBACKS, 1.0, "jax", Cause.NO_FENCE),  # asynchronous on processors, too
        (0.90, TRAINER, 1.0, "cuda", Cause.UNEXPLAINED),  # it waits for each step
        (0.90, FETCHING, 1.0, "cuda", Cause.UNEXPLAINED),  # so does this
        (1.25, FETCHING, 1.3, "cuda", Cause.CALLBACK),
        (0.90, SUBTRACTION, 1.0, "cuda", Cause.UNEXPLAINED),  # no call was off
        (0.90, f"{SUBTRACTION}, {legacy.UNFENCED}", 1.0, "cuda", Cause.NO_FENCE),
        (1.25, SUBTRACTION, 1.3, "cpu", Cause.UNEXPLAINED),
        (1.25, CALLBACKS, 1.3, "cpu", Cause.CALLBACK),
        (1.10, CALLBACKS, 1.3, "cpu", Cause.UNEXPLAINED),  # nearer to steps in a row
        (1.25, CALLBACKS, 1.0, "cpu", Cause.UNEXPLAINED),  # waiting costs nothing here
        (1.25, COUNTED, 1.3, "cpu", Cause.UNEXPLAINED),  # no callback
    ],
)
def test_a_cause_is_known_by_its_mark(tmp_path, ratio, method, observed, on, cause):
    def change(r):
        r["cell"]["accelerator"] = "cuda" if on == "cuda" else "cpu"
        r["parity"]["backend"] = on

    cell = cell_of(tmp_path, ratio, method, observed, change)
    assert cause_of(cell) == cause
    assert legacy_ratio(cell) == pytest.approx(ratio)
    assert sentence(cell).startswith(
        f"The published arithmetic gives {100 * (ratio - 1):+.3g}\u00a0%."
    )


def test_what_a_fence_did_in_one_run_alone_is_no_mark_of_callbacks(tmp_path):
    def change(r):
        waits = 1.75 if r["cell"]["run"] == 1 else 1.0
        r["timing"]["synchronised_ns"] = [int(step_ns(r) * waits)] * 5

    assert cause_of(cell_of(tmp_path, 1.25, CALLBACKS, change=change)) is Cause.UNEXPLAINED


@pytest.mark.parametrize(("off", "cause"), [(0.9, Cause.UNEXPLAINED), (1.1, Cause.SUBTRACTION)])
def test_one_noisy_call_explains_what_it_moves_the_mean_of_ten_by(tmp_path, off, cause):
    """A tenth less in each of ten steps is one call that took a whole step longer."""

    def change(r):
        r["timing"]["legacy"]["steps"] = 10
        r["timing"]["synchronised_ns"][2] = int(step_ns(r) * (1 + off))

    assert cause_of(cell_of(tmp_path, 0.9, SUBTRACTION, change=change)) is cause


def test_nothing_to_explain_without_the_arithmetic(quiet):
    quiet.change(lambda r: r["timing"].update(legacy=None), JAX)
    cell = quiet.load().rows[0].cells[0]
    assert (cause_of(cell), sentence(cell)) == (None, "")


@PROPERTY
@given(
    ratio=st.floats(0.5, 2),
    observed=st.floats(0.8, 2),
    method=st.sampled_from([CALLBACKS, SUBTRACTION, COUNTED, TRAINER]),
)
def test_a_difference_beyond_the_margin_always_has_a_verdict(tmp_path, ratio, observed, method):
    cell = cell_of(tmp_path, ratio, method, observed)
    cause = cause_of(cell)
    rest = ratio / 0.99 if method in (COUNTED, TRAINER) else ratio
    if not (0.9801 < rest < 0.9807 or 1.0199 < rest < 1.0201):  # nanoseconds are whole
        assert (cause in (Cause.SAME, Cause.COUNTING)) == (1 / 1.02 <= rest <= 1.02)
    if cause is Cause.CALLBACK:
        assert ratio > 1 and f"{observed:.2f}×" in sentence(cell)
    if cause is Cause.NO_FENCE:
        assert rest < 1


@pytest.mark.parametrize(
    "phrase", [legacy.BY_CALLBACKS, legacy.BY_SUBTRACTION, legacy.COUNTED_AS_100, legacy.UNFENCED]
)
def test_the_phrases_are_those_that_records_hold(phrase):
    assert any(phrase in path.read_text() for path in MEASURE.glob("frameworks/*.py"))
