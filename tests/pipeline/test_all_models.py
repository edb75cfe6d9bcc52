"""Every model on every framework at smoke scale: each cell is ok or says why it is not.

One row of a model, all with MILLISTEP_ALL_ROWS=1. In two halves of about the same length, which two
workers measure side by side; BERT is apart, since other tests share it.
"""

import os
import re

import pytest

from millistep.analysis.topics.why import group_of

from ..shared import valid
from .conftest import FRAMEWORKS, KERAS2, KERAS3, PLAN, PYTORCH, checkout

PARTS = (("stable_diffusion", "gemma"), ("sam", "mistral"), ("bert",))
TASKS = ("fit", "predict"), ("fit", "generate")
ROWS = {
    "stable_diffusion": {"predict": "default"},
    "sam": {"predict": "default"},
    "gemma": {"generate": 1},
    "mistral": {"fit": "default"},
}
if os.environ.get("MILLISTEP_ALL_ROWS"):
    ROWS = {name: dict.fromkeys(TASKS[name in ("gemma", "mistral")], "default") for name in ROWS}
UNSUPPORTED = {  # by the libraries of Keras 2
    ("gemma", "fit"),
    ("gemma", "generate"),
    ("mistral", "fit"),
}


@pytest.fixture(scope="module", params=PARTS, ids=" and ".join)
def half(request, tmp_path_factory):
    """One or two models, measured without the reference workload."""
    if request.param == ("bert",):
        project = request.getfixturevalue("measured")
    else:
        project = checkout(tmp_path_factory.mktemp("half"))
        project.configure(models={model: ROWS[model] for model in request.param})
        project.made(PLAN, *project.planned_records())
    project.models = request.param
    return project


def cells(half):
    return zip(half.records(), half.found(), strict=True)


def test_every_cell_is_ok_or_unsupported_with_its_reason(half):
    found = list(cells(half))
    for name, record in found:
        valid(record, "record")
        assert (record["status"], record["reason"]) == ("ok", ""), name
    plan = half.read(PLAN)
    for cell in plan["cells"]:
        expected = cell["column"] in KERAS2 and (cell["model"], cell["task"]) in UNSUPPORTED
        assert (len(cell["unsupported"] or "") > 20) == expected, cell
    assert len(found) == sum(not cell["unsupported"] for cell in plan["cells"])


def test_all_columns_of_a_row_do_the_same_work(half):
    rows = {}
    for _, record in cells(half):
        cell = record["cell"]
        rows.setdefault((cell["model"], cell["task"], cell["batch_size"]), []).append(record)
    assert len(rows) == len(half.read(PLAN)["rows"])
    for row, records in rows.items():
        for key in ("flops_per_step", "tokens_per_step", "images_per_step"):
            assert len({record["work"][key] for record in records}) == 1, (row, key)
        assert len({record["parity"]["dtype"] for record in records}) == 1, row


def test_xla_compiles_where_the_published_benchmark_asks_for_it(half):
    """Keras' own choice without a GPU is XLA on JAX alone."""
    for name, record in cells(half):
        column = record["cell"]["column"]
        if column in KERAS2 + KERAS3:
            observed, torch = record["parity"], FRAMEWORKS[column].library == "torch"
            ran = (observed["jit_compile"], observed["execution"], observed["compiler"])
            assert ran == ((False, "eager", "none") if torch else (True, "jit", "xla")), name
            task = (record["cell"]["model"], record["cell"]["task"])
            if task == ("stable_diffusion", "predict"):
                assert observed["jit_compile_auto"] is True, name  # KerasCV's pipeline asks for it
            elif column in KERAS3:
                assert observed["jit_compile_auto"] is (column == "keras3-jax"), name
            else:
                asked = None if task[1] == "generate" else False
                assert observed.get("jit_compile_auto") is asked, name


def test_every_step_was_profiled_and_none_was_compiled_while_timed(half):
    for name, record in cells(half):
        profile = record["host_overhead"]
        assert 0 <= profile["share"] < 1, name
        listed_ms = sum(each["ms"] for each in profile["operations"]) + profile["rest_ms"]
        busy_ms = profile["step_ms"] * (1 - profile["share"])
        assert listed_ms == pytest.approx(busy_ms) or not profile["share"], name
        groups = {group_of(operation["name"]) for operation in profile["operations"]}
        # XLA's fusions for a CPU library have no names of their operations.
        unnamed = record["cell"]["column"] == "keras3-jax" and "other" in groups
        assert "products and attention" in groups or unnamed, name
        assert record["timing"]["compilations"]["during_timing"] in (0, None), name
        assert record["parity"]["matmul_precision"] == "float32", name
        has_images = record["work"]["images_per_step"] is not None
        assert ("image_data_format" in record["parity"]) == has_images, name


# Parts that are not compiled in the compiled column; the rest is.
UPDATES = {"keras3-torch": "foreach, eager", **dict.fromkeys(PYTORCH, "for-loop, eager")}
FEEDING = dict.fromkeys(PYTORCH, "tensors in pageable memory")
TENSORFLOW = [name for name, each in FRAMEWORKS.items() if each.library == "tensorflow"]
FEEDING |= dict.fromkeys(TENSORFLOW, "tf.data tensors")
RESULTS = dict.fromkeys([*PYTORCH, *KERAS2], "left on the device")
RESULTS |= {"keras3-tensorflow": "fetched in each step"}
IMAGES = {"pytorch-eager": "channels_first"}
IMAGES["pytorch-compiled"] = "channels_first, within programs inductor's choice"
VERSIONS = {"keras2": r"^tf-keras 2\.", "keras3": r"keras 3\.", "pytorch": ""}


def test_observed_settings_are_those_of_the_steps(half):
    """Observed are what steps are fed and keep, and how often a U-Net is evaluated."""
    for name, record in cells(half):
        observed, cell = record["parity"], record["cell"]
        column, row = cell["column"], (cell["model"], cell["task"])
        assert observed["flush_denormals"] is True, name
        assert ("blas" in observed) == (FRAMEWORKS[column].library == "torch"), name
        assert ("onednn" in observed) == (FRAMEWORKS[column].library != "jax"), name
        assert observed["global_switches"] == "none", name
        if cell["model"] == "bert":
            assert observed["feeding"] == FEEDING.get(column, "NumPy arrays"), name
            results = RESULTS.get(column, "fetched by another thread")
            assert observed["step_results"] == results, name
            assert (observed["dtype"], observed["threads"]) == ("float32", 1), name
            version = VERSIONS[FRAMEWORKS[column].family]
            assert re.search(version, observed["framework_version"]), name
            assert column not in KERAS3 or observed["backend"] == FRAMEWORKS[column].library, name
            if column in PYTORCH:
                compiled = column == "pytorch-compiled"
                assert (observed["execution"] == "eager") != compiled, name
                assert (observed["compiler"] == "inductor") == compiled, name
                assert not compiled or observed["graphs"] >= 1, name
        if row == ("bert", "fit"):
            update = UPDATES.get(column, "in the step's program")
            assert (observed["optimizer"], observed["optimizer_update"]) == ("AdamW", update), name
        if row[1] == "fit":
            assert observed["metrics"] == ("none" if column in PYTORCH else "loss"), name
        if row == ("bert", "predict"):
            # Three arrays of batch x 32 tokens, in the integers of the library.
            size = 8 if column in PYTORCH else 4
            assert observed["fed_bytes_per_step"] == 3 * cell["batch_size"] * 32 * size, name
        if cell["task"] == "generate":
            grows = column == "pytorch-eager"
            cache = "grows with its tokens" if grows else "static, "
            assert observed["cache"].startswith(cache), name
            assert column in PYTORCH or observed["cache"] == "static, 20 positions", name
            # Keras' first pass takes the padding along.
            assert observed["prompt_positions"] == (6 if column in PYTORCH else 20), name
            own, words = "WordPreprocessor of Millistep", "the library's, words of Millistep"
            assert observed["tokenizer"] == (own if column in KERAS2 else words), name
            if column == "pytorch-compiled":
                assert observed["compiled_by"] == "_compile_all_devices", name
        if row == ("stable_diffusion", "predict"):
            assert observed["unet_images_per_step"] == 2 * cell["batch_size"], name
            keras = column in KERAS2 + KERAS3
            assert observed["unet_calls_per_step"] == (2 if keras else 1), name
            results = "fetched in each step" if keras else "left on the device; the scheduler waits"
            assert observed["step_results"] == results, name
            assert "scheduler" in observed["declared"], name
            assert column not in PYTORCH or observed["scheduler"] == "DDIM", name
        if column in PYTORCH and row[0] in ("sam", "stable_diffusion"):
            assert observed["image_data_format"] == IMAGES[column], name
        if (row[0], column) == ("sam", "pytorch-eager"):
            assert (observed["normalizes_images"], observed["prompt_sets"]) == (True, 1), name
            waits = "left on the device; the encoder of points waits"
            assert row[1] == "fit" or observed["step_results"] == waits, name
        if column in KERAS2 and row[0] in ("sam", "stable_diffusion"):
            # Its operations come from the library that became Keras 3.
            operations = r"keras-cv \S+, operations of keras-core \S+"
            assert re.fullmatch(operations, observed["model_library"]), name


def test_no_probe_failed_and_generation_was_tried_at_other_lengths(half):
    for name, record in cells(half):
        assert [probe["failed"] for probe in record["probes"] if probe["failed"]] == [], name
        if record["cell"]["task"] == "generate" and record["probes"]:
            assert {probe["max_length"] for probe in record["probes"]} == {10, 20, 40}, name
