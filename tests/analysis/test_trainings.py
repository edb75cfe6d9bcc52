"""Trainings to the end: seconds measured and predicted, and whether columns agree."""

import csv
import io

import pytest
from results_factory import Project, make_plan

from analysis.caveats import collect
from analysis.comparisons.trainings import trained
from analysis.report.page import render
from analysis.report.rendering import TEMPLATES
from analysis.report.trainings import trainings
from analysis.results.reference import load_reference
from analysis.tables.trainings import trainings_csv

JAX, TORCH = "keras3-jax", "keras3-torch"
ROWS = (("mnist_dense", "fit", 8, None),)


def training(loss=0.15, right=(200, 240, 250), **more):
    """Three epochs, of which the first one compiles."""
    epochs = [
        {
            "steps_s": 5.0 if place == 0 else 1.0,
            "validation_s": 0.5,
            "validation_loss": loss * (3 - place),
            "validation_right": number,
        }
        for place, number in enumerate(right)
    ]
    found = {"data": "digits", "sha256": "ab" * 32, "status": "ok", "reason": ""}
    return {**found, "images": 1520, "validation_images": 264, "epochs": epochs, **more}


@pytest.fixture
def project(tmp_path):
    asked = {"data": "digits", "epochs": 3, "target_accuracy": 0.9}
    made = Project(tmp_path, make_plan(rows=ROWS, columns=(JAX, TORCH), training=asked))
    made.change(lambda r: r.update(training=training()), run=1)
    return made


def same(results):
    """What the file says of each column."""
    lines = csv.DictReader(io.StringIO(trainings_csv(results)))
    return {line["column"]: line["as_the_first"] for line in lines}


def found_by(project, name):
    return [caveat for caveat in collect(project.load()) if caveat.id == name]


def test_seconds_by_hand(project):
    (jax, _) = trained(project.load().rows[0])
    assert (jax.loss, jax.right) == (0.15, 250)
    assert jax.accuracy == pytest.approx(250 / 264)
    assert jax.epoch_s == 1.5
    assert jax.predicted_s == pytest.approx(1520 / 8 * 8.016e-3 + 0.5, rel=1e-3)
    assert jax.seconds_to(0.9) == 7.0  # 240 of 264 are 91 %: after two epochs
    assert jax.seconds_to(0.99) is None


def test_equal_trainings_need_no_caveat_and_stand_in_table_and_page(project, figures):
    results = project.load()
    assert found_by(project, "trainings_differ") == found_by(project, "trainings_missing") == []
    lines = list(csv.DictReader(io.StringIO(trainings_csv(results))))
    assert [line["column"] for line in lines] == [JAX, TORCH]
    assert {line["as_the_first"] for line in lines} == {"True"}
    assert lines[0]["seconds_to_target"] == "7.0" and lines[0]["target_accuracy"] == "0.9"
    text = render(results, load_reference(), figures, TEMPLATES)
    assert 'id="trainings"' in text and "0.150000" in text
    assert trainings(results).marked == frozenset()


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"loss": 0.15 * 1.0009}, False),
        ({"loss": 0.15 * 1.0011}, True),
        ({"right": (200, 240, 251)}, False),
        ({"right": (200, 240, 248)}, True),
    ],
)
def test_a_thousandth_and_one_image_are_rounding(project, change, differs):
    project.change(lambda r: r.update(training=training(**change)), column=TORCH, run=1)
    found = found_by(project, "trainings_differ")
    assert bool(found) == differs
    if differs:
        (caveat,) = found
        assert [cell.column.name for cell in caveat.cells] == [TORCH]
        assert trainings(project.load()).marked == {1}


def test_a_net_that_drops_out_at_random_may_end_anywhere(project):
    project.plan["models"]["mnist_dense"]["architecture"]["dropout"] = 0.5
    project.change(lambda r: r.update(training=training(loss=0.3)), column=TORCH, run=1)
    assert found_by(project, "trainings_differ") == []
    results = project.load()
    assert "may end anywhere" in trainings(results).caption
    assert same(results) == {JAX: "NA", TORCH: "NA"}


def test_fewer_epochs_are_not_compared(project):
    shorter = training()
    project.change(
        lambda r: r.update(training={**shorter, "epochs": shorter["epochs"][:2]}), TORCH, run=1
    )
    assert found_by(project, "trainings_differ") == []
    assert same(project.load()) == {JAX: "True", TORCH: "NA"}


@pytest.mark.parametrize(
    ("family", "optimizer", "told"),
    [
        ("pytorch", "Adam", True),
        ("pytorch", "SGD", False),
        ("keras3", "Adam", False),
        ("somebodys_own", "Adam", False),
    ],
)
def test_adam_is_told_to_be_another_one_in_keras_than_in_pytorch(project, family, optimizer, told):
    project.plan["columns"][1]["family"] = family
    project.change(lambda r: r["parity"].update(optimizer=optimizer))
    project.change(lambda r: r.update(training=training(loss=0.16)), column=TORCH, run=1)
    (caveat,) = found_by(project, "trainings_differ")
    assert ("Adam's epsilon" in caveat.sentence) == told


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"status": "unsupported", "reason": "digits.csv.gz is not there", "epochs": []},
            "0 of 3 epochs (unsupported: digits.csv.gz is not there)",
        ),
        ({"right": (200, 240)}, "2 of 3 epochs (it was cut short)"),
    ],
)
def test_a_training_that_is_missing_says_why(project, change, words):
    project.change(lambda r: r.update(training=training(**change)), column=TORCH, run=1)
    (caveat,) = found_by(project, "trainings_missing")
    assert words in caveat.sentence
    (jax, torch) = csv.DictReader(io.StringIO(trainings_csv(project.load())))
    assert torch["status"] == change.get("status", "ok") and jax["epochs"] == "3"


def test_a_table_without_trainings_has_none(tmp_path, figures):
    results = Project(tmp_path).load()
    assert trainings_csv(results).count("\n") == 1
    assert 'id="trainings"' not in render(results, load_reference(), figures, TEMPLATES)
