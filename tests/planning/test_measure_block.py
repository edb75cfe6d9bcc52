"""The job of a block: it measures what was planned when Snakemake started, or nothing."""

import argparse
import json
from pathlib import Path

import pytest

from planning import measure_block

from .test_config import BERT, ROOT, plan


def options(**changes):
    made = plan(models=BERT, threads=1)
    found = {
        "config": json.dumps(made.config),
        "envs": ROOT / "envs",
        "elsewhere": True,
        "done": Path(made.blocks[0].done),
        "planned": made.blocks[0].identity,
        "use_conda": False,
        "attempt": 1,
        "log": Path("log"),
        "monitor_interpreter": "python3",
    }
    return argparse.Namespace(**{**found, **changes})


@pytest.mark.parametrize(
    "changes",
    [{"planned": "0" * 16}, {"done": Path("results/blocks/smoke/bert/fit-b9/round1.done")}],
)
def test_what_was_changed_since_the_start_is_not_measured(changes, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = options(**changes)
    assert measure_block.measure(asked) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"millistep: {asked.done}: ") and "run snakemake again" in line
    assert not list(tmp_path.iterdir())


def test_a_block_that_is_there_measures_nothing_and_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    block = plan(models=BERT, threads=1).blocks[0]
    for run in block.runs:
        Path(run.record).parent.mkdir(parents=True)
        Path(run.record).write_text(json.dumps({"identity": run.identity}))
    asked = options()
    assert measure_block.measure(asked) == 0
    assert len(asked.done.read_text().splitlines()) == len(block.runs)
    assert not Path(block.path).exists()  # no session


def test_those_at_once_share_the_memory_of_the_machine():
    one, four = plan(slots=1), plan(slots=4, threads=1)
    assert measure_block.memory_gib(one) == "auto"
    assert float(measure_block.memory_gib(four)) > 0
    assert measure_block.memory_gib(plan(slots=4, threads=1, limits={"memory_gib": 3})) == "3"
