"""Two archives beside each other."""

import csv
import json
import re

import pytest
from archive_factory import as_archive
from compared_archives import (
    COLUMNS,
    ROWS,
    compared,
    lost,
    make_archive,
    moved,
    moved_once,
    upgraded,
    written,
)
from record_changes import slow_down, stretch
from results_factory import Project, make_plan
from test_commands import run
from test_report import Page

from analysis.archive.contents import files_below
from analysis.compare.changes import changes
from analysis.compare.page import BANNER, times
from analysis.compare.summary import fixed_work, result
from analysis.formats.errors import InputError
from analysis.statistics.intervals import Verdict
from packing.sealed_zip import write_zip


def test_a_cell_that_got_slower(tmp_path):
    a, b = make_archive(tmp_path, "a"), make_archive(tmp_path, "b", upgraded)
    (comparison,) = compared(tmp_path, a, b)
    pairs = comparison.pairs
    assert not comparison.machines_differ and not any(pairs["note"])
    assert set(pairs["verdict"]) == {Verdict.SLOWER}
    assert list(pairs["ratio"]) == pytest.approx([1.2, 1.2])
    assert (pairs["ci95_low"] < 1.2).all() and (pairs["ci95_high"] > 1.2).all()
    configuration, machine, versions, parity = changes(comparison)
    assert not configuration.lines and not machine.lines
    assert ("keras3-jax, numpy", "2.4.6", "2.5.0") in versions.lines
    assert parity.lines[0][:3] == ("compiler", "xla", "xla 2")
    assert "BERT fit on Keras 3 (JAX)" in parity.lines[0][3]


def test_the_same_twice(tmp_path):
    a = make_archive(tmp_path, "a")
    (comparison,) = compared(tmp_path, a, a)
    assert set(comparison.pairs["note"]) == {"the same runs"}
    assert not comparison.machines_differ and result(comparison) == ""
    assert tuple(comparison.pairs[["ratio", "ci95_low", "verdict"]].isna().sum()) == (2, 2, 2)
    assert not any(grid.lines for grid in changes(comparison))
    page, text, _ = written(tmp_path, comparison)
    assert "Nothing changed." in page and "Machine: nothing changed." in text
    assert BANNER not in page


def test_other_machines_are_never_ranked(tmp_path):
    a, b = make_archive(tmp_path, "a"), make_archive(tmp_path, "b", moved)
    several = make_archive(tmp_path, "several", moved_once)
    first, second, third = compared(tmp_path, a, b, a, several)
    assert (first.machines_differ, second.machines_differ) == (True, False)
    assert third.machines_differ
    assert first.pairs["verdict"].isna().all() and first.pairs["ci95_low"].notna().all()
    page, text, table = written(tmp_path, first)
    for each in (page, text, table):
        told = re.sub(r"(?s)<style>.*?</style>", "", each).replace(",verdict,", ",")
        assert not re.search(r"FASTER|SLOWER|SAME|AMBIGUOUS|\bbest\b|Verdict|<strong>", told)
    assert BANNER in page and BANNER in text
    assert not times(first).marked
    by = [one.rpartition("(geometric means). ")[2] for one in map(fixed_work, (first, second))]
    assert by[0] == "By so much the machines differ in fixed work."
    assert "the machine was in another state" in by[1]


OTHER_SIZES = {"architecture": {"layers": 5, "hidden": 256}}
OTHER_BERT = {"bert": {**make_plan(3, ROWS, COLUMNS)["models"]["bert"], **OTHER_SIZES}}
CHANGED = ("architecture of bert: layers", "4", "5")


@pytest.mark.parametrize(
    ("other", "note", "missing"),
    [
        ({"change": upgraded, "runs": 1}, "one run has no interval", (0, 2, 2)),
        ({"change": slow_down}, "other: its steps were not steady", (2, 2, 2)),
        ({"models": OTHER_BERT}, "another architecture", (2, 2, 2)),
    ],
)
def test_a_note_says_why_cells_have_no_ratio_interval_or_verdict(tmp_path, other, note, missing):
    a, b = make_archive(tmp_path, "a"), make_archive(tmp_path, "b", **other)
    (comparison,) = compared(tmp_path, a, b)
    assert list(comparison.pairs["note"]) == [note] * 2
    assert tuple(comparison.pairs[["ratio", "ci95_low", "verdict"]].isna().sum()) == missing
    assert (CHANGED in changes(comparison)[0].lines) == ("models" in other)


def test_cells_of_one_archive_alone_and_failed_ones(tmp_path):
    a = make_archive(tmp_path, "a", columns=COLUMNS[:1])
    b = make_archive(tmp_path, "b", lost)
    (comparison,) = compared(tmp_path, a, b)
    why = "base: not in this archive; other: oom: MemoryError: too much"
    shown = ("NA", "0", "NA", "0", "NA", "", "", why)
    assert times(comparison).lines[1][1:] == shown
    _, text, _ = written(tmp_path, comparison)
    told = [line for line in text.splitlines() if line.startswith("- Archive ")]
    (critical,) = re.findall("Critical caveats of its report: (.*?). SHA-256", told[1])
    assert critical == "Runs that gave no time" and "Critical" not in told[0]
    (twice,) = compared(tmp_path / "b", b, b)
    assert list(twice.pairs["note"]) == ["the same runs", "both: oom: MemoryError: too much"]


def test_runs_that_both_hold_are_not_compared_with_themselves(tmp_path):
    """Of one cell all are kept, of another those of the first round; the rest is measured again."""
    started, rows = {}, (*ROWS, ("bert", "predict", 16, 256))

    def remember(record):
        started[record["identity"]] = record["started_at"]

    def again(record):
        cell = record["cell"]
        if cell["task"] == "predict":
            stretch(record, 1.2)
        elif cell["column"] == "keras3-jax" or cell["run"] == 1:
            record["started_at"] = started[record["identity"]]

    a = make_archive(tmp_path, "a", remember, rows=rows)
    (comparison,) = compared(tmp_path, a, make_archive(tmp_path, "b", again, rows=rows))
    assert list(comparison.pairs["note"]) == ["runs in common", "the same runs", "", ""]
    assert list(comparison.pairs["ratio"].isna()) == [True, True, False, False]
    told = "Of 2 cells B is SLOWER in 2. Over all of them B takes 1.200 times as long as A"
    assert told in result(comparison)


def test_all_that_the_configuration_says_is_told_where_it_changed(tmp_path):
    def told(variables):
        return lambda record: record["environment"].update(variables=variables)

    limits = {"limits": {"time_s": 600}, "slots": 2, "environment": {"XLA_FLAGS": "--b"}}
    training = {"data": "digits", "epochs": 20}
    a = make_archive(tmp_path, "a", told({"XLA_FLAGS": "--a", "SAME": "1"}))
    changed = told({"XLA_FLAGS": "--b", "SAME": "1"})
    b = make_archive(tmp_path, "b", changed, further=limits, training=training)
    (comparison,) = compared(tmp_path, a, b)
    assert changes(comparison)[0].lines == (
        ("environment: XLA_FLAGS", "--a", "--b"),
        ("limits: time_s", "NA", "600"),
        ("slots", "NA", "2"),
        ("training: data", "NA", "digits"),
        ("training: epochs", "NA", "20"),
    )


def test_code_that_measures_is_told_by_cells(tmp_path):
    plan = make_plan(3, rows=ROWS, columns=COLUMNS)
    for planned in (planned for cell in plan["cells"] for planned in cell["runs"]):
        if "keras3-jax" in planned["record"]:
            identity = {**json.loads(planned["identity"]), "sources": "new"}
            planned["identity"] = json.dumps(identity)
    project = Project(tmp_path / "b", plan)
    project.save()
    a, b = make_archive(tmp_path, "a"), as_archive(project.folder, tmp_path / "b.zip")
    (comparison,) = compared(tmp_path, a, b)
    assert changes(comparison)[0].lines == (("measuring code", "", "another in 1 of 2 cells"),)


def test_the_command_writes_three_files_with_the_same_numbers(tmp_path):
    hostile = {"citation": "<script>alert(1)</script>", "title": "<b>BERT</b>"}
    models = {"bert": {**make_plan()["models"]["bert"], **hostile}}
    a = make_archive(tmp_path, "a <b>", models=models)
    b = make_archive(tmp_path, "b", upgraded, models=models)
    done = run("compare", a, b, "--output", "out/c.html", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    forms = ("html", "md", "csv")
    page, text, table = ((tmp_path / "out" / f"c.{form}").read_text("utf-8") for form in forms)
    lines = list(csv.DictReader(table.splitlines()))
    assert [line["verdict"] for line in lines] == ["SLOWER", "SLOWER"]
    for line in lines:
        ratio = f"{float(line['ratio']):.3f}"
        assert f"<td>{ratio}</td>" in page and f"| {ratio} |" in text
    assert {line[:2] + line[-2:] for line in text.splitlines() if " | " in line} == {"|  |"}
    assert "<script" not in page and "<b>" not in page and "http:" not in page
    assert r"a \<b\>.zip" in text and str(tmp_path) not in page + text + table
    Page(page)  # well formed


def test_a_changed_archive_is_not_used(tmp_path):
    a, folder = make_archive(tmp_path, "a"), tmp_path / "a"
    record = next(folder / name for name in files_below(folder) if "run1" in name)
    record.write_text(record.read_text().replace("40.0", "41.0"))
    write_zip({name: folder / name for name in files_below(folder)}, tmp_path / "b.zip")
    with pytest.raises(InputError, match=r"b\.zip: .*run1\.json: its SHA-256"):
        compared(tmp_path, a, tmp_path / "b.zip")


def test_a_plan_of_another_version_is_one_line(tmp_path):
    a, plan = make_archive(tmp_path, "a"), tmp_path / "a/results/plan.json"
    plan.write_text(json.dumps({**json.loads(plan.read_text()), "schema": "millistep.plan/1"}))
    b = as_archive(tmp_path / "a", tmp_path / "b.zip")
    with pytest.raises(InputError, match=r"b\.zip: .*plan\.json: made by an older") as raised:
        compared(tmp_path, a, b)
    assert str(tmp_path / "unpacked") not in str(raised.value)
