"""Tiny models of the kinds that people bring: run on each framework, or refused in one line.

MILLISTEP_ZOO=wall runs all kinds and times them against loops written by hand: minutes on a quiet
machine. Without it, the kinds that never went wrong are left out, and others run for two steps.
"""

import os
import re

import pytest

from .zoo import FRAMEWORKS, RECOMPILED, REFUSED, kinds_of, refusal, run

CLOCK = os.environ.get("MILLISTEP_ZOO")
ONLY_TIMED = (
    *("dense", "functional", "nested", "shared", "dictinputs", "twooutputs", "conv", "gru"),
    *("bidirectional", "selfattention", "embedding", "masked", "dropout", "normalized"),
    *("customlayer", "customloss", "trainstep", "accumulation", "weightdecay", "regularized"),
    *("frozen", "sampleweights", "metrics", "short", "largeoutput", "growing", "marked"),
)
WITHIN = {"wall": 0.03, "cpu": 0.1}


@pytest.fixture(scope="module", params=FRAMEWORKS)
def tried(request):
    """A framework, and what was found of its kinds."""
    kinds = [kind for kind in kinds_of(request.param) if CLOCK or kind not in ONLY_TIMED]
    return request.param, run(request.param, kinds, CLOCK)


def test_a_model_runs_or_is_refused_in_one_line(tried):
    framework, found = tried
    for kind, line in found.items():
        expected = REFUSED.get(kind, {}).get(framework)
        told = refusal(line)
        if expected:
            assert re.match(expected, told), (framework, kind, told)
        else:
            assert not told or RECOMPILED in told, (framework, kind, told)


def test_what_ran_is_read_from_the_live_model(tried):
    framework, found = tried
    seen = {kind: line.get("found", {}) for kind, line in found.items()}
    assert seen["mixed"]["dtype"] == "bfloat16"
    assert seen["batchnorm"]["parameters"]["moving_averages"] == 16
    assert seen["lstm"]["parameters"]["second_biases"] == 64
    assert {seen[kind]["dtype"] for kind in ("twoinputs", "lstm")} == {"float32"}
    if framework == "pytorch-eager":
        assert seen["float64"]["dtype"] == "float64"
        assert seen["partcompiled"]["execution"] == seen["scripted"]["execution"] == "jit"
        assert seen["customoptimizer"]["execution"] == "eager"
        assert seen["headonly"]["parameters"]["trainable_parameters"] == 65
        assert seen["customoptimizer"]["optimizer_update"] == "unknown, eager"
        assert seen["packed"]["dtype"] == "qint8"
        return
    assert seen["eager"]["execution"] == "eager"
    assert seen["calledinbuild"]["execution"] == seen["subclassed"]["execution"]
    if framework == "keras3-torch":  # it refuses more than one
        counted = seen["wrapped"]["parameters"]
        assert (counted["moving_averages"], counted["second_biases"]) == (32, 64)
    else:
        assert seen["several"]["batches_per_call"] == 8
    # On PyTorch, Keras multiplies these weights as int32.
    assert seen["int8"]["dtype"] == ("int32" if framework == "keras3-torch" else "int8")
    declares = "execution" in seen["eagerloop"]["declared"]
    assert declares if framework == "keras3-jax" else seen["eagerloop"]["execution"] == "eager"
    runs_as = {"keras3-tensorflow": "graph", "keras3-torch": "jit"}
    assert declares or seen["functionloop"]["execution"] == runs_as[framework]
    # A forward pass may have other products than a custom step.
    declared = "dtype" in seen["ownoptimizer"].get("declared", "")
    assert declared == (framework != "keras3-tensorflow")
    assert seen["subclassed"]["parameters"]["parameters"] == 2177
    used = "SGD" if framework == "keras3-jax" else "Adam"
    assert seen["ownoptimizer"]["optimizer"] == used


@pytest.mark.skipif(not CLOCK, reason="times need MILLISTEP_ZOO=wall and a quiet machine")
def test_times_are_those_of_a_loop_written_by_hand(tried):
    framework, found = tried
    timed = {kind: line for kind, line in found.items() if "hand_ms" in line}
    ratios = {kind: line["harness_ms"] / line["hand_ms"] for kind, line in timed.items()}
    wrong = {kind: ratio for kind, ratio in ratios.items() if abs(ratio - 1) > WITHIN[CLOCK]}
    assert ratios and not wrong, framework
