"""Work and size of the models: FLOPs as PyTorch counts them, parameters as they were published."""

import csv
from importlib import import_module
from math import prod

import pytest

from tests.models.libraries import MODELS, cell, register, task_of
from tests.shared import ROOT


def published(name):
    with (ROOT / "workflow/millistep/reference" / name).open(newline="") as lines:
        return list(csv.DictReader(lines))


ROWS = published("flops_per_step.csv")


def hidden_pairs(a, layers):
    """FLOPs of attention to pairs that the mask hides, which PyTorch counts, too: three times
    forward in every layer, less the keys' half of one product in the first.
    """
    length, pair = a["sequence_length"], 4 * a["heads"] * a["head_size"]
    hidden = length * length - length * (length + 1) // 2
    return hidden * 2 * (3 * layers * pair - pair // 2)


# 11 x 11 and 3 x 3 results of the last two convolutions; pools take 10 x 10 and 2 x 2.
LEFT_OVER = 2 * 9 * ((11**2 - 10**2) * 8 * 16 + (3**2 - 2**2) * 16 * 16)
# FLOPs that PyTorch counts besides those that a step needs.
COUNTED = [
    ("bert", "fit", 3, {}, lambda a: 0),
    ("bert", "predict", 3, {}, lambda a: 0),
    ("cifar100_cnn", "predict", 3, {}, lambda a: 3 * LEFT_OVER),
    ("cifar100_cnn", "fit", 3, {}, lambda a: 3 * 3 * LEFT_OVER),
    ("sam", "fit", 1, {}, lambda a: 0),
    ("stable_diffusion", "fit", 1, {}, lambda a: 0),
    # The positions of 64 pixels and 3 points: 2 x 16 frequencies each.
    ("sam", "predict", 1, {}, lambda a: (64 + 3) * 2 * 2 * 16),
    ("stable_diffusion", "predict", 1, {}, lambda a: 0),
    ("gemma", "fit", 2, {"layers": 1}, lambda a: hidden_pairs(a, 1)),
    ("mistral", "fit", 2, {"layers": 2}, lambda a: hidden_pairs(a, 2)),
]


def work(model):
    return import_module(f"millistep.measure.models.{MODELS.load(model).folder.name}.work")


@pytest.mark.parametrize(("model", "task", "batch", "sizes", "beside"), COUNTED)
def test_work_is_what_pytorch_counts(model, task, batch, sizes, beside, told):
    sizes = cell(model, "pytorch-eager", task, **sizes).architecture
    ours = work(model).per_step(task, sizes, batch)
    assert told[model, task] == ours["flops_per_step"] + beside(sizes)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['model']}-{row['task']}")
def test_flops_of_a_published_step(row):
    sizes = MODELS.load(row["model"]).architecture["paper"]
    found = work(row["model"]).per_step(row["task"], sizes, int(row["batch_size"]))
    assert found["flops_per_step"] == int(row["flops_per_step"])


def test_every_published_row_is_counted():
    def workloads(rows):
        return {(row["model"], row["task"], row["batch_size"]) for row in rows}

    assert workloads(ROWS) == workloads(published("keras_io_table2.csv"))


def test_what_a_step_makes_is_counted():
    def made(model, task, batch):
        sizes = MODELS.load(model).architecture["paper"]
        found = work(model).per_step(task, sizes, batch)
        return found["tokens_per_step"], found["images_per_step"]

    assert made("sam", "predict", 5) == made("stable_diffusion", "predict", 5) == (None, 5)
    assert made("mnist_dense", "fit", 5) == (None, None)
    assert made("cifar100_cnn", "fit", 5) == (None, 5)
    assert made("gemma", "generate", 3) == (3 * 44, None)


# At paper scale. Keras' LoRA has a factor for each head, PEFT's one for all: a real difference.
GEMMA, MISTRAL, SAM = 8_537_680_896, 7_241_732_096, 641_090_864
PARAMETERS = [
    ("gemma", "keras3-jax", "fit", [GEMMA, 11_067_392]),
    ("gemma", "pytorch-eager", "fit", [GEMMA, 1_605_632]),
    ("mistral", "keras3-jax", "fit", [MISTRAL, 21_004_288]),
    ("mistral", "pytorch-eager", "fit", [MISTRAL, 1_703_936]),
    ("sam", "keras3-jax", "fit", 637_026_048),
    ("sam", "pytorch-eager", "fit", 637_026_048),
    ("sam", "keras3-jax", "predict", SAM),
    # In Meta's code the 2 x 128 frequencies of the points' encoding are a buffer.
    ("sam", "pytorch-eager", "predict", SAM - 256),
    ("stable_diffusion", "keras3-jax", "fit", 34_163_592),
    ("stable_diffusion", "pytorch-eager", "fit", 34_163_592),
    ("stable_diffusion", "keras3-jax", "predict", 859_520_964),
    ("stable_diffusion", "pytorch-eager", "predict", 859_520_964),
]


def tasks():
    def task(does, *of, **changed):
        return task_of(does, cell(*of, **changed))

    native = "pytorch-eager"
    for model, does, batch, sizes, _ in COUNTED:
        yield (model, does), task("flops", model, native, does, batch_size=batch, **sizes)
    for model, framework, does, _ in PARAMETERS:
        at_paper = (model, framework, does, "paper")
        nowhere = "meta" if framework == native else "cpu"
        yield at_paper, task("sizes", *at_paper, accelerator=nowhere)
        if (model, framework) == ("stable_diffusion", "keras3-jax"):
            for shapes in ("shapes", "library_shapes"):
                yield (does, shapes), task(shapes, *at_paper)


register(dict(tasks()))


@pytest.mark.parametrize(("model", "framework", "task", "parameters"), PARAMETERS)
def test_parameters_at_paper_are_the_published_models(model, framework, task, parameters, told):
    assert told[model, framework, task, "paper"] == parameters


@pytest.mark.parametrize("task", ["fit", "predict"])
def test_a_net_of_kerascvs_blocks_is_weight_by_weight_its_own_class(task, told):
    assert told[task, "shapes"] == told[task, "library_shapes"]


# Small classifiers.
PUBLISHED = {"mnist_dense": 266_610, "cifar100_dense": 3_623_600, "cifar100_cnn": 975_692}
VARIANTS = [f"mnist_dense_{ending}" for ending in MODELS.load("mnist_dense").variants]


def parameters_of(a):
    """Number of parameters, of kernels and biases, layer by layer."""
    return sum(prod(shape) + shape[-1] for shape in work("mnist_dense").shapes(a))


@pytest.mark.parametrize("name", [*PUBLISHED, *VARIANTS])
def test_parameters_of_nets_are_those_that_are_declared_at_every_scale(name):
    model = MODELS.load(name)
    for task in model.tasks.values():
        for scale, architecture in model.architecture.items():
            assert parameters_of(architecture) == task.parameters[scale], scale


def test_the_nets_have_the_published_number_of_parameters():
    found = {name: MODELS.load(name).tasks["fit"].parameters for name in PUBLISHED}
    assert {name: sizes["paper"] for name, sizes in found.items()} == PUBLISHED
    assert {name: sizes["laptop"] for name, sizes in found.items()} == PUBLISHED
