"""The claim that static padding makes generation slow."""

import math

import pytest
from results_factory import Project, make_plan
from the_pages_machine import JAX, TORCH, on_the_pages_machine, verdicts, wobble
from time_changes import generating

from analysis.claims import ClaimResult
from analysis.claims.claim_tests import TESTS

ROW = ("gemma", "generate", 32, 32)


def takes(r, ms, share=0.0):
    """A call takes so long, of which this share goes with the length of the cache."""
    generating(r, lambda n, length: ms * n / 44 * (1 - share + share * length / 50))


def generation(folder, slow_ms, share, runs=3, fast_share=0.0):
    """A row that generates: `share` of Keras 3 on PyTorch, `fast_share` of others is padding."""
    project = on_the_pages_machine(folder, rows=(ROW,), runs=runs)
    project.plan["models"]["gemma"]["architecture"]["max_length"] = 50
    project.change(lambda r: takes(r, slow_ms * wobble(r), share), TORCH)
    for column, ms in ((JAX, 100.0), ("keras3-tensorflow", 120.0)):
        project.change(lambda r, ms=ms: takes(r, ms * wobble(r), fast_share), column)
    return verdicts(project.load())["padding_slows_torch"]


def holds(folder, slow, fast, others=(JAX,), rows=(ROW,)):
    """What the test alone says of a table in which the columns change their records so."""
    project = Project(folder, make_plan(rows=rows, columns=(*others, TORCH)))
    project.plan["models"]["gemma"]["architecture"]["max_length"] = 50
    project.change(slow, TORCH)
    for column in others:
        project.change(fast, column)
    test = TESTS["slow_by_padding"]
    return test(project.load(), column=TORCH, task="generate", at_least=2.0).holds


def of_run(r):
    return r["cell"]["run"] - 2


@pytest.mark.parametrize(
    ("slow_ms", "share", "runs", "verdict", "words"),
    [
        (1000.0, 0.01, 3, ClaimResult.NOT_REPRODUCED, "padding does not explain it"),
        (210.0, 0.5, 3, ClaimResult.REPRODUCED, "padding explains it"),
        # all positions taken as padding 300 ms would be 180, the empty ones alone 246
        (300.0, 0.4, 3, ClaimResult.UNDECIDED, ""),
        (1000.0, 0.01, 1, ClaimResult.UNDECIDED, "one run cannot tell"),
        (110.0, 0.0, 3, ClaimResult.NOT_REPRODUCED, ""),  # a column that is not slow
    ],
)
def test_padding_explains_it_or_not(tmp_path, slow_ms, share, runs, verdict, words):
    found = generation(tmp_path, slow_ms, share, runs)
    assert found.verdict is verdict and words in found.why


def test_a_backend_that_pads_as_much_as_the_fastest_is_not_slow_by_padding(tmp_path):
    found = generation(tmp_path, 210.0, 0.5, fast_share=0.5)
    assert found.verdict is ClaimResult.UNDECIDED
    assert "undecided whether padding explains it" in found.why


def test_the_only_backend_of_keras_is_compared_with_none(tmp_path):
    assert holds(tmp_path, slow=lambda r: takes(r, 210, 0.5), fast=None, others=()) is None


def test_padding_in_several_rows_is_judged_for_all_at_once(tmp_path):
    """Two rows at three times the fastest and a share of 30.5 % +- 2.48 points by Student's t of
    three runs: 3 x (1 - 0.33) = 2.01 is left. For two rows together +- 3.58 points: 1.98.
    """

    columns = {
        "slow": lambda r: takes(r, 300, 0.305 + 0.01 * of_run(r)),
        "fast": lambda r: takes(r, 100),
    }
    assert holds(tmp_path, **columns) is False
    assert holds(tmp_path, **columns, rows=(ROW, ("gemma", "generate", 1, 1))) is None


def test_whichever_backend_is_the_fastest_had_a_chance_to_be(tmp_path):
    """2.1 times the fastest, whose runs scatter by 1.6 %: at least 2.1 exp(-2.484 x 0.016) = 2.02
    by Student's t of three runs, and of two backends of which either may be the fastest 2.1
    exp(-3.583 x 0.016) = 1.98.
    """

    columns = {
        "slow": lambda r: takes(r, 210, 0.5),
        "fast": lambda r: takes(r, 100 * math.exp(0.016 * of_run(r))),
    }
    assert holds(tmp_path, **columns) is True
    assert holds(tmp_path, **columns, others=(JAX, "keras3-tensorflow")) is None
