"""Operations in every way that native PyTorch has on a processor."""

import numpy as np
import pytest

from measure.models.activation_net import inputs as of_nets
from measure.models.aligner import inputs as of_aligner
from planning.models import Models
from tests.models.libraries import cell, check_losses, check_results, run

MODELS = {"aligner": "mas", "telu_net": "telu", "snake_net": "snake"}
WAYS = ("framework", "native", "naive", "callback")


def one(model, way, framework="pytorch-eager", task="fit", **sizes):
    return cell(model, framework, task, "smoke", batch_size=3, way=way, **sizes)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("model", MODELS)
def test_every_way_has_the_results_of_the_reference(model, way, tmp_path):
    """And PyTorch's own tests of an operator find nothing wrong with those in C."""
    command = "agreement" if way == "framework" else "operator"
    found = run("ways", one(model, way), command, folder=tmp_path)
    assert (found["name"], found["way"]) == (MODELS[model], way)
    check_results(model, found["agreement"])
    if way == "framework":
        assert found["agreement"]["losses"] is None and found["build"] is None
        assert model != "telu_net" or found["lines"] == 2  # its formula is one
    else:
        check_losses(found["agreement"])
        assert found["build"]["seconds"] > 0 and found["lines"] > 20
        assert {*found["opcheck"].values()} == {"SUCCESS"} and len(found["opcheck"]) > 3
    assert found["uses"] == (1 if model == "aligner" else 3)
    assert found["alone_ns"] and min(found["alone_ns"]) > 0


@pytest.mark.parametrize(("task", "expected"), [("predict", [True]), ("fit", [False])])
def test_the_operation_by_itself_is_called_in_the_mode_of_its_step(task, expected, tmp_path):
    """A fifth of a search of a thousand small operations lies between the two."""
    wanted = one("aligner", "framework", task=task)
    assert run("ways", wanted, "inference", folder=tmp_path) == expected


@pytest.mark.parametrize("model", MODELS)
def test_compiled_steps_take_the_operator_and_give_the_same(model, tmp_path):
    compiled = one(model, "native", "pytorch-compiled")
    found = run("ways", compiled, "agreement", folder=tmp_path)
    check_losses(found["agreement"])


@pytest.mark.parametrize(
    ("way", "operator"), [("native", "millistep::snake"), ("callback", "millistep::snake_callback")]
)
def test_the_profile_counts_operators_of_ones_own_as_computing(way, operator, tmp_path):
    found = run("ways", one("snake_net", way), "profile", folder=tmp_path)
    assert {operator, f"{operator}_gradient", "aten::addmm"} <= {*found}


@pytest.mark.parametrize("model", MODELS)
def test_the_nets_begin_with_the_weights_that_every_framework_begins_with(model, tmp_path):
    wanted = one(model, "framework")
    inputs = of_aligner if model == "aligner" else of_nets
    expected = [float(np.square(array).sum()) for array in inputs.initial_weights(wanted)]
    assert run("ways", wanted, "initial", folder=tmp_path) == pytest.approx(expected, rel=1e-5)


def test_work_of_an_aligner_by_hand():
    from measure.models.aligner.work import per_step

    a = Models([]).load("aligner").architecture["smoke"]
    forward = 6 * (16 * 16 + 16 * 8) + 20 * (8 * 16 + 16 * 8)
    untrained = 20 * 6 * 8  # all frames with all tokens: the search takes no gradient
    unneeded = 20 * 8 * 16  # the gradient of the mel frames
    found = per_step("fit", a, 2)
    assert found["flops_per_step"] == 2 * 2 * (3 * forward - unneeded + untrained)
    assert per_step("predict", a, 2) == {
        "flops_per_step": None,
        "tokens_per_step": 2 * 6,
        "images_per_step": None,
    }
