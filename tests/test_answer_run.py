"""A regression check through Snakemake: its records are of the plan that the answer is made of."""

import json

from tests.fake_project import fake_project


def test_an_answer_is_made_of_the_runs_that_were_measured(tmp_path):
    project = fake_project(tmp_path / "project", "step_ms: 5.0")
    columns = ["fake", {"framework": "fake", "again": True}]
    columns.append({"framework": "fake", "precision": "float32"})  # in place of a patch
    answer = {"threshold": 0.5, "looks": 1, "last": True, "left_out": [], "report": ""}
    project.configure(columns=columns, runs=2, answer=answer)
    project.made("answer")
    found = project.read("results/answer.json")
    (row,) = found["rows"]
    assert (row["base"], row["new"], row["rounds"]) == ("fake", "fake+float32", 2)
    assert 0.5 < row["ratio"] < 2 and 0.5 < row["null_ratio"] < 2
    assert row["allocated_base"] == row["allocated_null"] == row["allocated_new"] == 4096
    assert 0 < found["seconds_of_a_round"]["fake/fit/4"] < 100
    (record,) = project.folder.glob("results/records/smoke/fake/fit-b4/fake/run1.json")
    assert json.loads(json.loads(record.read_text())["identity"])["probes"] == []
