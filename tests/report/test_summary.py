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


def test_a_round_lasts_from_its_first_start_to_its_last_end_without_what_is_measured_once():
    times = [("00:00", "01:20"), ("02:00", "03:30"), ("04:00", "05:00")]
    timed_s = [42.0, 12.0, 12.0]  # of which 12 s are windows
    runs = [
        ("bert", "fit", 4, number, f"2026-01-01T00:{start}Z", f"2026-01-01T00:{end}Z")
        for number, (start, end) in enumerate(times, 1)
    ]
    names = ["model", "task", "batch_size", "run", "started_at", "finished_at"]
    cells = pd.DataFrame(
        [("bert", "fit", 4, 3, True), ("sam", "fit", 4, 9, True)],
        columns=[*names[:3], "planned_runs", "undecided"],
    )
    found = pd.DataFrame(runs, columns=names).assign(**{"timing.timed_s": timed_s})
    windows = pd.DataFrame({"elapsed_ns": 6e9}, index=[0, 0, 1, 1, 2, 2])
    data = types.SimpleNamespace(cells=cells, runs=found, windows=windows)
    assert [*summary.workloads(data)["round_s"]] == [60.0, 0.0]
