"""What is done when Snakemake begins and when it ends."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from planning.handlers import Handlers

PLAN = SimpleNamespace(runs=[SimpleNamespace(record="results/lacking.json")], config={})


@pytest.fixture
def start(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    Path("results/table.md").write_text("| 1.0 ± 0.1 |\n", encoding="utf-8")
    Path("results/conclusion.json").write_text('{"sentences": ["So."], "more_rounds": null}')
    return SimpleNamespace(
        results="results",
        plan=PLAN,
        elsewhere=False,
        in_block=False,
        beside=False,
        use_conda=False,
        began_ns=0,
        to_measure={},
        workflow=SimpleNamespace(
            dag=SimpleNamespace(dependencies={}),
            config_settings=SimpleNamespace(configfiles=[], config_args=[]),
        ),
    )


@pytest.fixture
def handlers(start):
    jobs = SimpleNamespace(forget_what_could_not_begin=lambda: None)
    return Handlers(start, jobs)


def report(age_ns: int, start) -> None:
    Path("results/report.html").touch()
    os.utime("results/report.html", ns=(start.began_ns - age_ns,) * 2)


class Job:
    def __init__(self, rule, says=""):
        self.rule = SimpleNamespace(name=rule, docstring=says)


def test_the_rules_are_written_where_all_is_asked_for(start, handlers):
    """The same ones whatever is asked for beside it."""
    table, everything = Job("table", "A table.\n\nOf all runs."), Job("all")
    start.workflow.dag.dependencies = {table: []}
    handlers.begin()
    assert not Path("results/rules.json").exists()
    start.workflow.dag.dependencies |= {everything: [table], Job("archive"): [everything]}
    handlers.begin()
    found = {
        rule["name"]: rule for rule in json.loads(Path("results/rules.json").read_text())["rules"]
    }
    assert {*found} == {"all", "table"}
    assert found["all"]["after"] == ["table"] and found["table"]["says"] == "A table."


def test_at_the_end_there_are_the_table_and_what_follows(start, handlers, capfd):
    report(0, start)
    handlers.end(complete=True)
    assert capfd.readouterr().out == "| 1.0 ± 0.1 |\n\nSo.\n\nReport: results/report.html\n"


def test_after_an_end_before_the_end_an_older_table_is_not_shown(start, handlers, capfd):
    start.began_ns = 10**18
    report(1, start)
    handlers.end(complete=False)
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err == (
        "millistep: 0 of 1 runs are measured and kept; the same command goes on from there\n"
    )
    report(-1, start)
    handlers.end(complete=False)
    assert capfd.readouterr().out.startswith("| 1.0")


def test_the_snakemake_of_a_block_shows_nothing(start, handlers, capfd):
    report(0, start)
    start.in_block = True
    handlers.begin()
    handlers.end(complete=True)
    assert capfd.readouterr() == ("", "")


def test_after_an_end_before_the_end_the_newest_page_is_named(handlers, capfd):
    for age_s, name in enumerate(("round1", "first_row")):
        page = Path("results/so_far", name, "report.html")
        page.parent.mkdir(parents=True)
        page.touch()
        os.utime(page, (10**9 - age_s,) * 2)
    handlers.end(complete=False)
    assert "what they show so far: results/so_far/round1/report.html\n" in capfd.readouterr().err
