"""A claim is reproduced, or not, only under the conditions that it was made under."""

import pytest
from record_changes import takes
from the_pages_machine import BERT, JAX, K2, K3_TF, PUBLISHED, on_the_pages_machine, verdicts

from analysis.claims import ClaimResult
from analysis.claims.conditions import differences


def installed(column="", task="", **packages):
    """Other versions in the records of a column; None of a package that is not there."""

    def change(r):
        found = r["environment"]["packages"]
        found.update({name.replace("_", "-"): version for name, version in packages.items()})
        r["environment"]["packages"] = {k: v for k, v in found.items() if v is not None}

    return lambda project: project.change(change, column, task)


@pytest.mark.parametrize(
    ("change", "rows", "reason"),
    [
        (lambda p: p.plan.update(scale="laptop"), {}, "the scale is laptop instead of paper"),
        (
            lambda p: p.change(lambda r: r["machine"].update(accelerator_name="A100-SXM4-80GB")),
            {},
            "the hardware is A100-SXM4-80GB, not A100 40 GB",
        ),
        (lambda p: None, {"rows": (("bert", "fit", 8, 32),)}, "other batch sizes than the page's"),
    ],
)
def test_another_experiment_is_not_comparable_but_gives_the_direction(
    tmp_path, change, rows, reason
):
    project = on_the_pages_machine(tmp_path, **rows)
    change(project)
    found = verdicts(project.load())["bert_fit_100"]
    assert found.verdict is ClaimResult.NOT_COMPARABLE
    assert reason in found.why and "Here it holds" in found.why  # 20 ms against 8 ms


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (installed(JAX, keras="3.15.1"), "keras 3.0.5 and keras 3.15.1 (page: 3.0.5)"),
        (
            installed(JAX, keras_nlp=None, keras_hub="0.32.0"),
            "keras-hub 0.32.0 and keras-nlp 0.8.2 (page: keras-nlp",
        ),
        (installed(K3_TF, keras_cv=None), "keras-cv 0.8.2 and no keras-cv (page: 0.8.2)"),
        (lambda p: p.plan.update(precision="float32"), "the precision was forced to float32"),
        (lambda p: p.plan.update(weights="random"), "the weights are random"),
        (
            lambda p: p.change(lambda r: r["parity"].update(execution="graph"), K2),
            "Keras 2 (TensorFlow) ran graph instead of jit in BERT fit and BERT predict",
        ),
    ],
)
@pytest.mark.parametrize("slower", [False, True])
def test_on_the_pages_machine_with_other_settings_nothing_is_reproduced(
    tmp_path, change, reason, slower
):
    step_ms = {"keras3_tensorflow": 25.0, "keras3_jax": 25.0} if slower else {}
    project = on_the_pages_machine(tmp_path, **step_ms)
    change(project)
    found = verdicts(project.load())["keras3_faster_than_keras2"]
    expected = ClaimResult.FAILS_ELSEWHERE if slower else ClaimResult.HOLDS_ELSEWHERE
    assert found.verdict is expected and "reproduced" not in found.verdict
    assert reason in found.why
    assert ("Here it does not hold" if slower else "Here it holds") in found.why


def test_only_the_columns_and_rows_of_a_claim_are_compared_whatever_the_build(tmp_path):
    project = on_the_pages_machine(tmp_path)

    def build(r):
        packages = r["environment"]["packages"]
        if "torch" in packages:
            packages["torch"] += "+cu121"
        if "tensorflow" in packages:
            packages["tensorflow-cpu"] = packages.pop("tensorflow")

    project.change(build)
    found = verdicts(project.load())
    assert found["keras3_faster_than_keras2"].verdict is ClaimResult.REPRODUCED
    installed("pytorch-eager", torch="2.13.0")(project)
    installed(JAX, "predict", keras="3.15.1")(project)
    found = verdicts(project.load())
    assert found["upgrade_alone"].verdict is ClaimResult.REPRODUCED
    assert found["bert_fit_100"].verdict is ClaimResult.REPRODUCED
    assert found["keras3_faster_than_keras2"].verdict is ClaimResult.HOLDS_ELSEWHERE


def test_compiled_bert_was_published_with_products_in_tf32(tmp_path):
    project = on_the_pages_machine(tmp_path)
    project.change(lambda r: r["parity"].update(matmul_precision="float32"))
    results = project.load()
    found = differences(results, PUBLISHED, list(results.cells)).settings
    told = "products of PyTorch (compiled) in BERT {} were in float32, the page's in TF32"
    assert found == [told.format(task) for task in ("fit", "predict")]


def test_a_row_that_is_not_in_the_published_table_has_no_part_in_its_claims(tmp_path):
    project = on_the_pages_machine(tmp_path, rows=(*BERT, ("bert", "fit", 8, None)))

    def slow(record):
        if record["cell"]["batch_size"] == 8:
            takes(record, 99.0)

    project.change(slow, column=K3_TF)
    project.change(slow, column=JAX)
    found = verdicts(project.load())
    for claim in ("keras3_faster_than_keras2", "bert_fit_100"):
        assert found[claim].verdict is ClaimResult.REPRODUCED
        assert "batch 8" not in found[claim].why
