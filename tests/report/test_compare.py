"""The comparison of two archives or folders of results."""

import pandas as pd
import pytest

from millistep.analysis import commands, compare
from millistep.analysis.archive import contents, pack
from tests.analysis_fixtures import files, write
from tests.report.made import fail, made
from tests.report.test_archive import render_table

pytestmark = pytest.mark.quick
NAMES = ("keras3-jax", "pytorch-eager")
BERT, GEMMA = ("bert", "fit", 8), ("gemma", "generate", 2)


def later(machine="aa", **versions):
    """Return a change of records: measured a year later, on this machine, with other packages."""

    def change(record):
        record["started_at"] = f"2027-01-01T00:00:0{record['cell']['run']}Z"
        record["machine"]["id"] = machine
        record["environment"] |= {"name": "all", "packages": versions}

    return change


def sides(times=None, change=None, **plan):
    """Return two results; the second differs by times, a change of its records or its plan."""
    base = {BERT: dict.fromkeys(NAMES, 10.0), GEMMA: dict.fromkeys(NAMES, 20.0)}
    return made(base, 5, change=later(jax="1")), made(
        {key: of | (times or {}) for key, of in base.items()}, 5, change=change or later(), **plan
    )


def column(frame: pd.DataFrame, name: str) -> dict[str, object]:
    return {f"{c.model} {c.configuration}": getattr(c, name) for c in frame.itertuples()}


def test_runs_in_common_have_no_ratio():
    found = compare.cells(*sides())
    assert set(found["note"]) == {"runs in common"} and found["ratio"].isna().all()


def shifted(record):
    later()(record)
    record["started_at"] = record["started_at"].replace("2027", "2028")


def test_ratios_and_verdicts_on_one_machine():
    found = compare.cells(*sides({"keras3-jax": 15.0}, shifted))
    assert column(found, "verdict") == {
        "bert keras3-jax": "slower",
        "bert pytorch-eager": "tied",
        "gemma keras3-jax": "faster",
        "gemma pytorch-eager": "tied",
    }
    first = found[found["model"] == "bert"].set_index("configuration").loc["keras3-jax"]
    assert first["ratio"] == pytest.approx(1.5, rel=0.02) and first["low"] < first["ratio"]


def test_other_machines_are_not_ranked():
    def change(record):
        shifted(record)
        record["machine"]["id"] = "bb"

    base, other = sides({"keras3-jax": 15.0}, change)
    found = compare.cells(base, other)
    assert compare.machines_differ(base, other)
    assert found["ratio"].notna().all() and found["verdict"].isna().all()


def test_a_side_without_a_run_is_no_other_machine():
    assert not compare.machines_differ(*sides(change=shifted))
    base, nothing = sides(change=lambda record: (fail(record), record.update(machine=None)))
    assert not compare.machines_differ(base, nothing)
    assert not compare.machines_differ(nothing, nothing)


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"scale": "smoke"}, "another scale or architecture"),
        ({"models": {name: {"architecture": {"layers": 2}} for name in ("bert", "gemma")}},
         "another scale or architecture"),
    ],
)  # fmt: skip
def test_other_work_has_no_ratio(change, note):
    base, other = sides(change=shifted)
    other.plan.update(change)
    for model in base.plan["models"].values():
        model["architecture"] = {"layers": 1}
    if "models" not in change:
        other.plan["models"] = base.plan["models"]
    assert set(compare.cells(base, other)["note"]) == {note}


def test_cells_of_one_side_and_cells_without_a_time():
    base, other = sides({"keras3-torch": 5.0}, shifted)
    notes = column(compare.cells(base, other), "note")
    assert notes["bert keras3-torch"] == "only in the other"
    assert column(compare.cells(other, base), "note")["bert keras3-torch"] == "only in the base"

    found = compare.cells(base, sides(change=lambda record: (shifted(record), fail(record)))[1])
    assert set(found["note"]) == {"other: oom: memory ran out"}


def test_everything_else_that_differs_is_listed():
    def change(record):
        shifted(record)
        record["environment"]["packages"] = {"jax": "2"}
        record["parity"] = record["parity"] | {"dtype": "float16"}

    base, other = sides(change=change, seed=7)
    found = compare.differences(base, other)
    assert found.to_dict("split")["data"] == [
        ["setting", "seed", "1", "7"],
        ["version", "all: jax", "1", "2"],
        ["metadata", "Keras 3 (JAX): dtype", "float32", "float16"],
        ["metadata", "PyTorch (eager): dtype", "float32", "float16"],
    ]


def test_the_command_reads_archives_and_folders(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pack, "render", render_table)
    monkeypatch.setattr(contents, "FOLDERS", ("config",))
    plan = write(tmp_path / "a", files("six_columns"))
    archive, output = tmp_path / "a.zip", tmp_path / "comparison.html"
    pack.pack(plan, archive)
    assert commands.compare([str(archive), str(plan.parent), "--output", str(output)]) == 0
    page, text = output.read_text(), output.with_suffix(".md").read_text()
    assert "Nothing else differs." in page and "runs in common" in page
    assert text.startswith("# Two results compared\n\nBase: a.zip: smoke scale, AMD EPYC")
    assert len(pd.read_csv(output.with_suffix(".csv"))) == 12
    with archive.open("r+b") as file:
        file.seek(5000)
        file.write(b"changed")
    assert commands.compare([str(archive), str(plan.parent), "--output", str(output)]) == 1
    assert commands.compare([str(archive), str(plan.parent), "--output", "a.csv"]) == 1
    assert "must end in .html" in capsys.readouterr().err
