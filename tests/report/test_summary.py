"""What a start prints when it ends, and what the next one reads of it."""

import json
import types

import pandas as pd

from millistep.analysis.load import load
from millistep.analysis.report import summary
from tests.analysis_fixtures import files, write


def test_the_file_has_sentences_and_the_state_of_each_workload(tmp_path):
    data = load(write(tmp_path, files("six_columns")))
    summary.write(data, tmp_path)
    found = json.loads((tmp_path / "summary.json").read_text())
    assert len(found["sentences"]) >= 4
    by_model = {line["model"]: line for line in found["workloads"]}
    assert {line["rounds"] for line in by_model.values()} == {3}
    open_ones = data.cells[data.cells["standing"] == "inconclusive"]["model"]
    assert {name for name, line in by_model.items() if line["undecided"]} == {*open_ones}


def test_a_round_lasts_from_its_first_start_to_its_last_end():
    times = [("00:00", "00:50"), ("01:00", "02:30"), ("03:00", "04:00")]
    runs = [
        ("bert", "fit", 4, number, f"2026-01-01T00:{start}Z", f"2026-01-01T00:{end}Z")
        for number, (start, end) in enumerate(times, 1)
    ]
    names = ["model", "task", "batch_size", "run", "started_at", "finished_at"]
    cells = pd.DataFrame(
        [("bert", "fit", 4, 3, "inconclusive"), ("sam", "fit", 4, 9, "inconclusive")],
        columns=[*names[:3], "planned_runs", "standing"],
    )
    data = types.SimpleNamespace(cells=cells, runs=pd.DataFrame(runs, columns=names))
    assert [*summary.workloads(data)["round_s"]] == [60.0, 0.0]
