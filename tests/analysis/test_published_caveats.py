"""The rules of our own caveats find by themselves what is wrong with the published table."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.caveats import collect
from analysis.caveats.published_table import published_caveats, published_results
from analysis.results.reference import load_reference

REFERENCE = load_reference()
FLOAT32_TFLOPS = 19.5


def one(caveats, name):
    (caveat,) = [caveat for caveat in caveats if caveat.id == name]
    return caveat


def row_names(caveat):
    return {(cell.row.model, cell.row.task, cell.row.batch_size) for cell in caveat.cells}


@pytest.fixture(scope="module")
def current():
    return published_caveats(REFERENCE)["current"]


def test_the_revisions_beside_our_columns_are_judged():
    assert list(published_caveats(REFERENCE)) == ["current", "2024-04"]


def test_it_finds_the_five_best_calls_under_two_percent(current):
    caveat = one(current, "close_call")
    assert caveat.evidence["rows"] == 12
    assert caveat.evidence["lead"] == {
        "sam/fit/1": pytest.approx(0.0181, abs=5e-5),
        "stable_diffusion/fit/8": pytest.approx(0.0026, abs=5e-5),
        "stable_diffusion/predict/13": pytest.approx(0.0182, abs=5e-5),
        "gemma/generate/32": pytest.approx(0.0059, abs=5e-5),
        "mistral/generate/32": pytest.approx(0.0092, abs=5e-5),
    }
    assert caveat.sentence.startswith("In 5 of 12 rows")
    assert "on a single run" in caveat.sentence


def test_it_finds_the_single_run(current):
    caveat = one(current, "single_run")
    assert caveat.evidence == {"cells": 42, "runs_planned": 1}
    assert caveat.sentence.startswith("All times rest on a single run")


def test_it_finds_the_mixed_precision(current):
    caveat = one(current, "precision_mixed")
    assert row_names(caveat) == {
        ("sam", "fit", 1),
        ("sam", "predict", 4),
        ("stable_diffusion", "predict", 13),
        ("bert", "fit", 32),
        ("bert", "predict", 256),
    }
    speeds = caveat.evidence["tflops_per_s"]
    assert speeds["sam/fit-b1/keras3-jax"] == pytest.approx(49.4, abs=0.1)
    assert speeds["sam/fit-b1/keras3-torch"] == pytest.approx(12.9, abs=0.1)
    assert "data sheet" in caveat.sentence and "19.5 TFLOP/s" in caveat.sentence
    # each row by the ends of both sides
    assert "SegmentAnything fit 46.2 to 50.3, but 12.9 in Keras 3 (PyTorch);" in caveat.sentence
    expected = (
        "BERT fit 41.7 to 43.3, but 11.5 to 19.1 in Keras 2 (TensorFlow) and Keras 3 (PyTorch)"
    )
    assert expected in caveat.sentence


def test_it_finds_the_row_in_which_no_column_can_be_float32(current):
    assert row_names(one(current, "precision_mislabelled")) == {("stable_diffusion", "fit", 8)}


def test_eager_pytorch_is_disadvantaged_in_the_second_revision():
    caveat = one(published_caveats(REFERENCE)["2024-04"], "precision_mixed")
    speeds = caveat.evidence["tflops_per_s"]
    eager = [value for name, value in speeds.items() if "sam/" in name and "eager" in name]
    assert all(11 < value < 16 for value in eager) and len(eager) == 2


def test_what_the_page_does_not_have_is_said(current):
    found = {caveat.id for caveat in current}
    assert {"unsupported", "drift_unknown", "not_self_tested", "batch_sizes_differ"} <= found
    # rules about readings that only a record has say nothing
    assert not {"few_steps", "not_monitored", "legacy_differs", "execution_differs"} & found


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_precision_and_leads_follow_the_numbers(data):
    """Any table of three columns and one row: said exactly when it is so."""
    names = ["keras3-tensorflow", "keras3-jax", "keras3-torch"]
    times = {name: data.draw(st.floats(100, 2000)) for name in names}
    row = ("sam", "fit", 1)
    table = {(*row, name): value for name, value in times.items()}
    changed = replace(REFERENCE, step_ms={"mine": table}, compared={"keras3": "mine"})
    caveats = {caveat.id: caveat for caveat in collect(published_results(changed, "mine"))}
    flops = REFERENCE.flops_per_step[row]
    faster = {name: flops / (value / 1e3) / 1e12 > FLOAT32_TFLOPS for name, value in times.items()}
    assert ("precision_mixed" in caveats) == (any(faster.values()) and not all(faster.values()))
    assert ("precision_mislabelled" in caveats) == all(faster.values())
    first, second, _ = sorted(times.values())
    assert ("close_call" in caveats) == (second / first - 1 < 0.02)
