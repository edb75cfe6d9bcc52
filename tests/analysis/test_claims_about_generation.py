"""The claim that static padding makes generation slow."""

import math

import pytest
from results_factory import Project, make_plan
from the_pages_machine import (
    JAX,
    TORCH,
    on_the_pages_machine,
    verdicts,
    wobble,
)
from time_changes import generating

from analysis.claims import ClaimResult
from analysis.claims.claim_tests import TESTS


def generation(folder, slow_ms, share, runs=3):
    """A row that generates; of a call of Keras 3 on PyTorch, this share goes with the length."""
    rows = (("gemma", "generate", 32, 32),)
    others = {"keras3_jax": 100.0, "keras3_tensorflow": 120.0}
    project = on_the_pages_machine(folder, rows=rows, runs=runs, **others)
    project.plan["models"]["gemma"]["architecture"]["max_length"] = 50

    def call_ms(new_tokens, length):
        return slow_ms * ((1 - share) * new_tokens / 44 + share * new_tokens * length / (44 * 50))

    project.change(lambda r: generating(r, lambda n, length: call_ms(n, length) * wobble(r)), TORCH)
    return verdicts(project.load())["padding_slows_torch"]


@pytest.mark.parametrize(
    ("slow_ms", "share", "runs", "verdict", "words"),
    [
        (1000.0, 0.01, 3, ClaimResult.NOT_REPRODUCED, "padding does not explain it"),
        (210.0, 0.5, 3, ClaimResult.REPRODUCED, "padding explains it"),
        # all positions taken as padding 300 ms would be 180, the empty ones alone 246
        (300.0, 0.4, 3, ClaimResult.UNDECIDED, ""),
        (1000.0, 0.01, 1, ClaimResult.UNDECIDED, "one run does not show"),
        (110.0, 0.0, 3, ClaimResult.NOT_REPRODUCED, ""),  # a column that is not slow
    ],
)
def test_padding_explains_it_or_not(tmp_path, slow_ms, share, runs, verdict, words):
    found = generation(tmp_path, slow_ms, share, runs)
    assert found.verdict is verdict and words in found.why


def test_padding_in_several_rows_is_judged_for_all_at_once(tmp_path):
    """Two rows at three times the fastest and a share of 30.5 % +- 2.48 points by Student's t of
    three runs: 3 x (1 - 0.33) = 2.01 is left. For two rows together +- 3.58 points: 1.98.
    """

    def found(rows):
        project = Project(tmp_path, make_plan(rows=rows, columns=(JAX, TORCH)))
        project.plan["models"]["gemma"]["architecture"]["max_length"] = 50

        def change(r):
            share = 0.305 + 0.01 * (r["cell"]["run"] - 2)
            rest = (1 - share) / 44
            generating(r, lambda n, length: 300 * n * (rest + share * length / (44 * 50)))

        project.change(change, TORCH)
        project.change(lambda r: generating(r, lambda n, length: 100 * n / 44), JAX)
        test = TESTS["slow_by_padding"]
        return test(project.load(), column=TORCH, task="generate", at_least=2.0).holds

    rows = (("gemma", "generate", 32, 32), ("gemma", "generate", 1, 1))
    assert found(rows[:1]) is False
    assert found(rows) is None


def test_whichever_backend_is_the_fastest_had_a_chance_to_be(tmp_path):
    """2.1 times the fastest, whose runs scatter by 1.6 %: at least 2.1 exp(-2.484 x 0.016) = 2.02
    by Student's t of three runs, and of two backends of which either may be the fastest 2.1
    exp(-3.583 x 0.016) = 1.98.
    """

    def found(*others):
        rows = (("gemma", "generate", 32, 32),)
        project = Project(tmp_path, make_plan(rows=rows, columns=(*others, TORCH)))
        project.plan["models"]["gemma"]["architecture"]["max_length"] = 50
        project.change(
            lambda r: generating(r, lambda n, length: 105 * n / 44 * (1 + length / 50)), TORCH
        )
        for column in others:
            project.change(
                lambda r: generating(
                    r, lambda n, length: 100 * n / 44 * math.exp(0.016 * (r["cell"]["run"] - 2))
                ),
                column,
            )
        test = TESTS["slow_by_padding"]
        return test(project.load(), column=TORCH, task="generate", at_least=2.0).holds

    assert found(JAX) is True
    assert found(JAX, "keras3-tensorflow") is None
