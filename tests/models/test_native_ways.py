"""Operations in every way that native PyTorch has on a processor."""

import numpy as np
import pytest

from measure.models.activation_net import inputs as of_nets
from measure.models.aligner import inputs as of_aligner
from planning.models import Models
from tests.models.libraries import Task, Tasks, cell, check_losses, check_results

MODELS = {"aligner": "mas", "telu_net": "telu", "snake_net": "snake"}
WAYS = ("framework", "native", "naive", "callback")


def one(model, way, framework="pytorch-eager", task="fit"):
    return cell(model, framework, task, "smoke", batch_size=3, way=way)


def tasks():
    for model in MODELS:
        for way in WAYS:
            does = "agreement" if way == "framework" else "operator"
            yield (model, way), Task("ways", does, one(model, way))
        in_one_graph = one(model, "native", "pytorch-compiled")
        yield (model, "compiled"), Task("ways", "agreement", in_one_graph)
        yield (model, "initial"), Task("ways", "initial", one(model, "framework"))
    for task in ("fit", "predict"):
        yield task, Task("ways", "inference", one("aligner", "framework", task=task))
    for way in ("native", "callback"):
        yield way, Task("ways", "profile", one("snake_net", way))


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    return Tasks(dict(tasks()), tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("model", MODELS)
def test_every_way_has_the_results_of_the_reference(model, way, told):
    """PyTorch's own tests of an operator also find nothing wrong with those in C."""
    found = told[model, way]
    assert (found["name"], found["way"]) == (MODELS[model], way)
    check_results(model, found["agreement"])
    if way == "framework":
        assert found["agreement"]["losses"] is None and found["build"] is None
        assert model != "telu_net" or found["lines"] == 2  # one is its formula
    else:
        check_losses(found["agreement"])
        assert found["build"]["seconds"] > 0 and found["lines"] > 20
        assert {*found["opcheck"].values()} == {"SUCCESS"} and len(found["opcheck"]) > 3
    assert found["uses"] == (1 if model == "aligner" else 3)
    assert found["alone_ns"] and min(found["alone_ns"]) > 0


@pytest.mark.parametrize(("task", "expected"), [("predict", [True]), ("fit", [False])])
def test_the_operation_by_itself_is_called_in_the_mode_of_its_step(task, expected, told):
    """The two modes differ by a fifth for a search of a thousand small operations."""
    assert told[task] == expected


@pytest.mark.parametrize("model", MODELS)
def test_compiled_steps_take_the_operator_and_give_the_same(model, told):
    check_losses(told[model, "compiled"]["agreement"])


@pytest.mark.parametrize(
    ("way", "operator"), [("native", "millistep::snake"), ("callback", "millistep::snake_callback")]
)
def test_the_profile_counts_operators_of_ones_own_as_computing(way, operator, told):
    assert {operator, f"{operator}_gradient", "aten::addmm"} <= {*told[way]}


@pytest.mark.parametrize("model", MODELS)
def test_the_nets_begin_with_the_weights_that_every_framework_begins_with(model, told):
    inputs = of_aligner if model == "aligner" else of_nets
    weights = inputs.initial_weights(one(model, "framework"))
    expected = [float(np.square(array).sum()) for array in weights]
    assert told[model, "initial"] == pytest.approx(expected, rel=1e-5)


def test_work_of_an_aligner_by_hand():
    from measure.models.aligner.work import per_step

    a = Models([]).load("aligner").architecture["smoke"]
    forward = 6 * (16 * 16 + 16 * 8) + 20 * (8 * 16 + 16 * 8)
    untrained = 20 * 6 * 8  # all frames with all tokens: the search takes no gradient
    unneeded = 20 * 8 * 16  # the gradient by the mel frames
    found = per_step("fit", a, 2)
    assert found["flops_per_step"] == 2 * 2 * (3 * forward - unneeded + untrained)
    assert per_step("predict", a, 2) == {
        "flops_per_step": None,
        "tokens_per_step": 2 * 6,
        "images_per_step": None,
    }
