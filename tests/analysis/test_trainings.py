"""Trainings to the end: seconds measured and predicted, and whether columns agree."""

import pandas as pd
import pytest
from drawn_pages import report_of
from quiet_table import JAX, TORCH, found
from results_factory import Project, make_plan

from analysis.data import Data
from analysis.formats.errors import InputError
from analysis.topics.trainings.compute import trainings
from analysis.topics.trainings.section import section
from analysis.writing.files import to_csv

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


def torch_trained(project, **change):
    project.change(lambda r: r.update(training=training(**change)), column=TORCH, run=1)


def lines_of(project):
    """Lines of the table by column."""
    found = trainings(project.data())
    return {line["column"]: line for line in found.to_dict("records")}


@pytest.mark.parametrize("unknown", ["images", "validation_images"])
def test_epochs_without_their_images_are_refused(project, unknown):
    torch_trained(project, **{unknown: None})
    with pytest.raises(InputError, match=r"keras3-torch/run1.json: /training/"):
        project.load()


def test_a_line_by_hand(project):
    line = lines_of(project)[JAX]
    assert (line["validation_loss"], line["validation_accuracy"]) == (0.15, 250 / 264)
    assert (line["epochs"], line["epoch_s"], line["target_accuracy"]) == (3, 1.5, 0.9)
    assert line["predicted_epoch_s"] == pytest.approx(1520 / 8 * 8.016e-3 + 0.5, rel=1e-5)
    assert line["seconds_to_target"] == 7.0  # 240 of 264 are 91 %: after two epochs
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.5), TORCH)
    torch_trained(project)
    assert lines_of(project)[TORCH]["predicted_epoch_s"] is None  # nothing follows from its steps
    project.plan["training"]["target_accuracy"] = 0.99
    assert lines_of(project)[JAX]["seconds_to_target"] is None


def test_equal_trainings_need_no_caveat_and_stand_in_file_and_page(project, figures):
    assert found(project, "trainings_differ") == found(project, "trainings_missing") == []
    results = project.load()
    for line in to_csv(trainings(Data(results))).splitlines()[1:]:
        assert ",digits,ok,NA,3,1520,264,0.15," in line and line.endswith(",0.9,7.0,True")
    text = report_of(project, figures)
    assert 'id="trainings"' in text and "0.150000" in text and "ended elsewhere" not in text


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"loss": 0.15 * 1.0009}, False),
        ({"loss": 0.15 * 1.0011}, True),
        ({"loss": 0.15 * 0.9989}, True),
        ({"right": (200, 240, 251)}, False),
        ({"right": (200, 240, 248)}, True),
    ],
)
def test_a_thousandth_and_one_image_are_rounding(project, change, differs):
    torch_trained(project, **change)
    cells = [cell for caveat in found(project, "trainings_differ") for cell in caveat.cells]
    assert [cell.column.name for cell in cells] == [TORCH] * differs
    assert section(project.data())["table"].marked == ({1} if differs else set())


def test_what_others_are_compared_with_has_an_epoch(project):
    project.change(lambda r: r.update(training=training(right=())), column=JAX, run=1)
    assert lines_of(project)[TORCH]["as_the_first"] is True


def test_what_drops_out_at_random_or_had_fewer_epochs_is_not_compared(project):
    torch_trained(project, loss=0.3, right=(200, 240))
    assert found(project, "trainings_differ") == []
    jax, torch = lines_of(project).values()
    assert jax["as_the_first"] is True and pd.isna(torch["as_the_first"])
    project.plan["models"]["mnist_dense"]["architecture"]["dropout"] = 0.5
    torch_trained(project, loss=0.3)
    assert found(project, "trainings_differ") == []
    assert "may end anywhere" in section(project.data())["table"].caption


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
    torch_trained(project, loss=0.16)
    (caveat,) = found(project, "trainings_differ")
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
    torch_trained(project, **change)
    (caveat,) = found(project, "trainings_missing")
    assert words in caveat.sentence
    lines = lines_of(project)
    assert lines[TORCH]["status"] == change.get("status", "ok") and lines[JAX]["epochs"] == 3


def test_a_table_without_trainings_has_none(tmp_path):
    assert trainings(Project(tmp_path).data()).empty
