"""The FLOPs that stand beside published numbers are those of the published architectures."""

import csv
from importlib import import_module
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
with (ROOT / "reference" / "flops_per_step.csv").open(newline="") as lines:
    ROWS = list(csv.DictReader(lines))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['model']}-{row['task']}")
def test_flops_of_a_published_step(row):
    path = ROOT / "workflow" / "measure" / "models" / row["model"] / "model.yaml"
    architecture = yaml.safe_load(path.read_text())["architecture"]["paper"]
    work = import_module(f"measure.models.{row['model']}.work")
    found = work.per_step(row["task"], architecture, int(row["batch_size"]))
    assert found["flops_per_step"] == int(row["flops_per_step"])


def test_every_published_row_is_counted():
    with (ROOT / "reference" / "keras_io_table2.csv").open(newline="") as table:
        published = {(r["model"], r["task"], r["batch_size"]) for r in csv.DictReader(table)}
    assert {(r["model"], r["task"], r["batch_size"]) for r in ROWS} == published
