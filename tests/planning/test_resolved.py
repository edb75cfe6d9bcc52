"""What a block that is one job is told of the plan."""

import json

from planning.plan import Plan

from .test_config import ROOT, plan


def test_a_block_plans_the_same_runs_whatever_auto_is_where_it_is_measured():
    whole = plan(threads="auto", slots=1)
    again = Plan(json.loads(json.dumps(whole.resolved())), whole_digest, ROOT / "envs")
    assert again.config["threads"] == whole.threads
    assert [run.identity for run in again.runs] == [run.identity for run in whole.runs]


def whole_digest(path):
    from deploy.environments import definition_sha256

    return definition_sha256(path)


def test_those_at_once_share_the_memory_of_the_machine():
    one, four = plan(slots=1), plan(slots=4, threads=1)
    assert one.resolved()["limits"]["memory_gib"] == "auto"
    assert float(four.resolved()["limits"]["memory_gib"]) > 0
    asked = plan(slots=4, threads=1, limits={"memory_gib": 3}).resolved()
    assert (asked["limits"]["memory_gib"], asked["slots"]) == (3, 1)
