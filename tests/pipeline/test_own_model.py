"""docs/custom-model.md, followed to the letter from outside the repository."""

import re
import subprocess
import sys
from operator import itemgetter

from ..shared import custom_model
from .conftest import TABLE


def test_a_model_from_outside_the_repository_is_in_the_table(fresh, tmp_path):
    folder = custom_model(tmp_path / "my-models")
    assert {path.name for path in folder.iterdir()} >= {"model.yaml", "keras3.py", "pytorch.py"}
    fresh.configure(
        models={"mlp": {"fit": "default", "predict": "default"}, "mlp_wide": {"fit": "default"}},
        columns=["keras2-tensorflow", "keras3-jax", "pytorch-eager", "pytorch-compiled"],
        folders=[str(tmp_path / "my-models")],
        unsupported=[
            {"model": "mlp", "column": "pytorch-eager", "reason": "the variant is enough"},
            {"model": "mlp", "column": "pytorch-compiled", "reason": "so is that"},
            {"model": "mlp_wide", "column": "keras3-jax", "reason": "the model is enough"},
        ],
    )
    fresh.measure()
    key = itemgetter("model", "task", "column")
    records = {key(record["cell"]): record for record in fresh.found()}
    assert {cell: (r["status"], r["reason"]) for cell, r in records.items()} == {
        ("mlp", "fit", "keras3-jax"): ("ok", ""),
        ("mlp", "predict", "keras3-jax"): ("ok", ""),
        ("mlp_wide", "fit", "pytorch-eager"): ("ok", ""),
        ("mlp_wide", "fit", "pytorch-compiled"): ("ok", ""),
    }
    compiled = [r["parity"] for cell, r in records.items() if cell[2] == "pytorch-compiled"]
    assert [card["graph_breaks"] for card in compiled] == [0]
    works = (records["mlp", task, "keras3-jax"]["work"] for task in ("fit", "predict"))
    fit, predict = (work["flops_per_step"] for work in works)
    assert fit == 3 * predict
    table = (fresh.folder / TABLE).read_text()
    assert re.search(r"^\| Small MLP fit.*NA", table, re.M)

    fresh.append(folder / "keras3.py")
    assert fresh.measured() == {"keras3-jax": 2}


def test_a_model_is_checked_on_each_framework_and_nothing_is_recorded(fresh, tmp_path):
    folder = custom_model(tmp_path / "my-models")
    names = "keras3-jax", "pytorch-eager"

    def checked():
        command = [sys.executable, "workflow", "check-model", str(folder)]
        command += [f"--framework={name}" for name in names]
        done = subprocess.run(command, cwd=fresh.folder, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    status, said, errors = checked()
    assert status == 0, said + errors
    for name in names:
        assert f"  {name}\n    874 parameters, 874 trained\n    input " in said
    assert said.endswith("no problem\n") and not (fresh.folder / "results").exists()
    builder = folder / "keras3.py"
    builder.write_text(builder.read_text().replace("layers.Dense", "layers.Dens", 1))
    status, said, _ = checked()
    assert status == 1 and "  pytorch-eager\n    874 parameters" in said
    for task in ("fit", "predict"):
        problem = rf"^  keras3-jax {task}: AttributeError: .* \(models/mlp/keras3.py, line 11\)$"
        assert re.search(problem, said, re.M)
