"""The number of runs, of all rows or of some."""

import re

import pytest

from planning.config import lay_over

from .records import identities
from .test_config import plan, refused

MODELS = {"bert": {"fit": 8, "predict": 32}, "gemma": {"generate": [4, 1]}}


def runs_by_row(**config):
    made = plan(scale="laptop", models=MODELS, **config)
    return {(row.model, row.task, row.batch_size): number for row, number in made.runs_of.items()}


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ("default", (3, 3, 3, 3)),
        (4, (4, 4, 4, 4)),
        ({"bert": 5}, (5, 5, 3, 3)),
        ({"default": "default", "gemma": 2}, (3, 3, 2, 2)),
        ({"default": 2, "bert": {"fit": 5}, "gemma": {"generate": {1: 7}}}, (5, 2, 2, 7)),
        ({"gemma": {"generate": {"4": 1}}}, (3, 3, 1, 3)),  # as JSON has the keys
    ],
)
def test_a_model_a_task_or_a_batch_size_may_have_its_own_number(runs, expected):
    assert tuple(runs_by_row(runs=runs).values()) == expected


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ({"brt": 3}, "runs: no row has the model 'brt'; allowed are bert, gemma"),
        ({"bert": {"fot": 3}}, "runs.bert: no row has the task 'fot'; allowed are fit, predict"),
        (
            {"gemma": {"generate": {2: 3}}},
            "runs.gemma.generate: no row has the batch size '2'; allowed are 4, 1",
        ),
        ({"bert": 0}, "runs: {'bert': 0} is not allowed; allowed are 'default', a whole"),
        ({"bert": {"fit": "many"}}, "is not allowed; allowed are"),
        ({}, "runs: {} is not allowed; allowed are"),
        (101, "runs: 101 is not allowed; allowed are"),
    ],
)
def test_what_names_no_row_is_one_line_with_what_is_allowed(runs, words):
    refused([words], runs_by_row, runs=runs)


def test_more_runs_of_one_row_leave_all_other_runs_and_their_order_as_they_are():
    few = plan(scale="laptop", models=MODELS, runs=2)
    more = plan(scale="laptop", models=MODELS, runs={"default": 2, "bert": {"fit": 4}})
    assert identities(few).items() <= identities(more).items()
    added = identities(more).keys() - identities(few).keys()
    rows = {re.sub(r"/[^/]*/run\d+\.json$", "", path) for path in added if "/records/" in path}
    assert rows == {"results/records/laptop/bert/fit-b8"}
    assert [run.record for run in more.runs if run.record in few.by_record] == [
        run.record for run in few.runs
    ]
    # ... also where the row has fewer than the others.
    less = plan(scale="laptop", models=MODELS, runs={"default": 2, "bert": {"fit": 1}})
    assert [run.record for run in less.runs] == [
        run.record for run in few.runs if run.record in less.by_record
    ]


def test_a_number_of_the_command_line_takes_the_place_of_the_files_and_of_snakemakes_own_reading():
    config = {"models": {"bert": 1}, "runs": {"bert": {"fit": {"8": "5", 8: 4}}}, "seed": 1}
    lay_over(config, {"runs": {"bert": {"fit": {8: 5}}}, "seed": 2})
    assert config == {"models": {"bert": 1}, "runs": {"bert": {"fit": {"8": 5}}}, "seed": 2}
    lay_over(config, {"runs": 7})
    assert config["runs"] == 7 and list(config) == ["models", "runs", "seed"]
