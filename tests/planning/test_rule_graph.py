"""Which rules made the results: counted by job, whatever else is asked for."""

from types import SimpleNamespace

import pytest

from planning.rule_graph import rule_graph


class Job:
    def __init__(self, rule, says=None):
        self.rule = SimpleNamespace(name=rule, docstring=says)


@pytest.fixture
def jobs():
    """Two runs, drawn in a table; an archive that is asked for beside it."""
    first, second = Job("measure"), Job("measure")
    table = Job("table", "A table.\n\nOf all runs.")
    everything = Job("all")
    return {
        Job("archive"): [table, everything],
        everything: [table, second],
        table: [first, second],
        first: [],
        second: [],
    }


def test_jobs_of_a_rule_are_counted_and_what_they_need_is_named(jobs):
    found = {rule["name"]: rule for rule in rule_graph(jobs, "all")["rules"]}
    assert found == {
        "all": {"name": "all", "says": "", "jobs": 1, "after": ["measure", "table"]},
        "measure": {"name": "measure", "says": "", "jobs": 2, "after": []},
        "table": {"name": "table", "says": "A table.", "jobs": 1, "after": ["measure"]},
    }


def test_what_else_is_asked_for_changes_nothing(jobs):
    without = {job: needed for job, needed in jobs.items() if job.rule.name != "archive"}
    assert rule_graph(without, "all") == rule_graph(jobs, "all")


def test_a_part_of_the_results_has_no_graph(jobs):
    part = {job: needed for job, needed in jobs.items() if job.rule.name in ("table", "measure")}
    assert rule_graph(part, "all") is None
