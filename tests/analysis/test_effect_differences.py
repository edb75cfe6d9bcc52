"""What else than its subject differs in a pair is listed, and is a caveat."""

from effect_projects import (
    JAX,
    TF32,
    TORCH,
    project_of,
    tf32_project,
)

from analysis.caveats import collect
from analysis.comparisons.effects import effects_of


def test_other_differences_are_listed_in_the_row_and_the_subject_is_not(tmp_path):
    project = tf32_project(tmp_path)
    project.change(lambda r: r["parity"].update(matmul_precision="tf32", attention="sdpa"), TF32)
    project.change(lambda r: r["work"].update(parameters=7), TF32, "fit")
    results = project.load()
    fit, predict = effects_of(results)[0].comparisons
    assert predict.differences == ["attention sdpa instead of einsum"]
    assert fit.differences == [*predict.differences, "parameters 7 instead of 10,780,418"]
    named = {key for c in collect(results) for key in c.evidence.get("keys", ())}
    assert "attention" in named and "matmul_precision" not in named


def test_a_difference_that_nobody_asked_for_stays_a_caveat(tmp_path):
    """TF32 beside float32 in two frameworks with the same setting, though others have another."""
    project = project_of(tmp_path, JAX, TORCH, (TF32, {"precision": "tf32"}))
    for column in (TORCH, TF32):
        project.change(lambda r: r["parity"].update(matmul_precision="tf32"), column)
    (caveat,) = [c for c in collect(project.load()) if c.id == "precision_differs"]
    assert caveat.evidence["values"] == {
        "float32": ["Keras 3 (JAX)"],
        "float32 / tf32": ["Keras 3 (PyTorch)"],
    }
    assert {cell.column.name for cell in caveat.cells} == {JAX, TORCH}


def test_compiling_is_the_subject_of_eager_against_compiled(tmp_path):
    results = project_of(tmp_path, "pytorch-eager", "pytorch-compiled").load()
    assert all(found.differences == [] for found in effects_of(results)[0].comparisons)
    assert "execution_differs" not in {caveat.id for caveat in collect(results)}
    upgrade = project_of(tmp_path, "keras2-tensorflow", "keras3-tensorflow").load()
    assert "execution jit instead of graph" in effects_of(upgrade)[0].comparisons[0].differences
    assert "execution_differs" in {caveat.id for caveat in collect(upgrade)}


def test_steps_that_were_not_steady_are_part_of_no_ratio(tmp_path):
    project = tf32_project(tmp_path)

    def slow_down(record):
        for block in record["timing"]["blocks"][5:]:
            block["elapsed_ns"] = block["elapsed_ns"] * 11 // 10

    project.change(slow_down, TF32, "fit")
    fit, predict = effects_of(project.load())[0].comparisons
    assert fit.gain is None and fit.differences == []
    assert fit.missing == "Keras 3 (JAX), tf32 is not compared: its steps were not steady"
    assert predict.gain and predict.differences == []
