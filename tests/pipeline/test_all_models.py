"""Every model, task and framework at smoke scale: each cell is ok or says why it is not.

The models of each half share one processor, so that the two halves run side by side, as long as
each other; their times mean nothing.
"""

import json
import os
import subprocess
import sys

import jsonschema
import pytest

from .conftest import COLUMNS, KERAS2, KERAS3, ROOT, check_xla, checkout

HALVES = (
    {
        "stable_diffusion": {"fit": "default", "predict": "default"},
        "gemma": {"fit": "default", "generate": "default"},
    },
    {
        "sam": {"fit": "default", "predict": "default"},
        "mistral": {"fit": "default", "generate": "default"},
    },
)


@pytest.fixture(scope="module")
def halves(tmp_path_factory):
    """Both halves, measured; ``[(project, process), ...]``."""
    available = sorted(os.sched_getaffinity(0))
    running = []
    for number, models in enumerate(HALVES):
        project = checkout(tmp_path_factory.mktemp(f"half{number}"))
        config = {"scale": "smoke", "accelerator": "cpu", "threads": 1, "models": models}
        text = json.dumps({**config, "columns": list(COLUMNS)})
        (project.folder / "config/config.yaml").write_text(text)
        processor = available[number % len(available)]
        process = subprocess.Popen(
            [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all"],
            cwd=project.folder,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda processor=processor: os.sched_setaffinity(0, {processor}),
        )
        running.append((project, process))
    return [(project, process.communicate()[1], process.returncode) for project, process in running]


def cells(halves):
    for project, _, _ in halves:
        for name, content in project.records().items():
            yield name, json.loads(content)


def test_both_halves_end_with_a_report(halves):
    for project, said, code in halves:
        assert code == 0, said
        assert (project.folder / "results/report.html").exists()


def test_every_cell_is_ok_or_unsupported_with_its_reason(halves):
    schema = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())
    found = list(cells(halves))
    for name, record in found:
        jsonschema.validate(record, schema)
        assert (record["status"], record["reason"]) == ("ok", ""), name
    unsupported = [
        cell
        for project, _, _ in halves
        for cell in json.loads((project.folder / "results/plan.json").read_text())["cells"]
        if cell["unsupported"]
    ]
    assert {(cell["model"], cell["task"], cell["column"]) for cell in unsupported} == {
        ("gemma", "fit", "keras2-tensorflow"),
        ("gemma", "generate", "keras2-tensorflow"),
        ("mistral", "fit", "keras2-tensorflow"),
    }
    assert all(len(cell["unsupported"]) > 20 for cell in unsupported)
    assert len(unsupported) == 3 + 1  # of Gemma's rows, of Mistral's
    assert len(found) == 10 * len(COLUMNS) - len(unsupported)


def test_all_columns_of_a_row_do_the_same_work(halves):
    rows = {}
    for _, record in cells(halves):
        cell = record["cell"]
        rows.setdefault((cell["model"], cell["task"], cell["batch_size"]), []).append(record)
    assert len(rows) == 10
    for row, records in rows.items():
        for key in ("flops_per_step", "tokens_per_step", "images_per_step"):
            assert len({record["work"][key] for record in records}) == 1, (row, key)
        assert len({record["parity"]["dtype"] for record in records}) == 1, row


def test_xla_compiles_where_the_published_benchmark_asks_for_it(halves):
    # All of Keras in the four rows of images, Keras 3 in LoRA's two.
    assert check_xla(cells(halves)) == 4 * len(KERAS2 + KERAS3) + 2 * len(KERAS3)


def test_every_step_was_profiled_and_none_was_compiled_while_timed(halves):
    for name, record in cells(halves):
        assert 0 <= record["host_overhead"]["share"] < 1, name
        assert record["timing"]["compilations"]["during_timing"] in (0, None), name
        assert record["parity"]["matmul_precision"] == "float32", name
        has_images = record["work"]["images_per_step"] is not None
        assert ("image_data_format" in record["parity"]) == has_images, name


def test_no_probe_failed_and_generation_was_tried_at_other_lengths(halves):
    for name, record in cells(halves):
        assert [probe["failed"] for probe in record["probes"] if probe["failed"]] == [], name
        if record["cell"]["task"] == "generate" and record["probes"]:
            assert {probe["max_length"] for probe in record["probes"]} == {10, 20, 40}, name
