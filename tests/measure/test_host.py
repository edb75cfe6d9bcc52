"""Without a framework: what a way is driven by, and what is said of it."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure import frameworks
from measure.agreement import WrongResult, agreement
from measure.card import parity
from measure.frameworks.host import NoProfiler, NothingTrained
from measure.models.augment import by_numpy as augment_by_numpy
from measure.models.augment import by_python as augment_by_python
from measure.models.augment import host as augment
from measure.models.mas_host import by_numpy, by_python
from measure.native import build, lines, reference
from measure.protocol import PROTOCOLS
from measure.timer import Timer
from planning.models import Models

SCHEMAS = Path(__file__).parents[2] / "workflow/schemas"


def cell(model, way):
    about = Models([]).load(model)
    return frameworks.Cell(
        model=model,
        task="predict",
        batch_size=3,
        framework="host",
        module="host",
        accelerator="cpu",
        precision="default",
        architecture=about.architecture["smoke"],
        weights="random",
        seed=1,
        threads=1,
        way=way,
    )


def driven(model, way):
    """A framework that has made its steps."""
    framework = frameworks.create(cell(model, way))
    framework.load()
    framework.build()
    framework.run(Timer(PROTOCOLS["smoke"], framework.fence, framework.compilations))
    return framework


@pytest.mark.parametrize("model", ["mas_host", "csv_parse", "augment"])
@pytest.mark.parametrize("way", ["python", "numpy"])
def test_its_card_has_what_every_card_has_and_none_of_what_it_has_not(model, way, monkeypatch):
    monkeypatch.setattr(build, "_built", [])  # a measured process has built nothing but its own
    framework = driven(model, way)
    card = parity(framework, {"images_per_step": None})
    record = json.loads((SCHEMAS / "record.schema.json").read_text())
    jsonschema.validate(card, {**record["properties"]["parity"], "$defs": record["$defs"]})
    said = {name: card[name] for name in ("attention", "matmul_precision", "optimizer", "compiler")}
    none = {"attention": "none", "matmul_precision": "none", "optimizer": None, "compiler": "none"}
    assert said == none
    assert card["fed_bytes_per_step"] > 0
    assert framework.work() == {"parameters": 0, "trainable_parameters": 0}


def test_what_it_has_not_is_refused_in_words():
    framework = frameworks.create(cell("augment", "numpy"))
    with pytest.raises(NoProfiler, match="no profiler tells what computes"):
        framework.begin_profile()
    with pytest.raises(NothingTrained, match="augment"):
        framework.begin_training()


def test_a_way_that_gives_something_else_is_an_error():
    one = cell("augment", "numpy")
    right = augment.alone(one)[0]()
    found = agreement(augment, one, right)
    assert found["outputs"] == {"largest_difference": 0.0, "allowed": 0.0}
    with pytest.raises(WrongResult, match="the way numpy"):
        agreement(augment, one, right[:, ::-1])


@given(st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 9), st.integers(0, 12))
def test_alignments_are_those_of_the_reference(seed, batch, tokens, more):
    """Whole numbers, among which there are ties."""
    rng = np.random.default_rng(seed)
    value = rng.integers(-2, 3, (batch, tokens + more, tokens)).astype(np.float32)
    expected = reference.mas(value)
    for found in (by_python.mas(value), by_numpy.mas(value)):
        assert found.dtype == np.int32
        assert (found == expected).all()


@given(st.integers(0, 2**31), st.integers(1, 4), st.integers(1, 7), st.integers(0, 3))
def test_pictures_are_the_same_by_lists_and_by_one_look_up(seed, batch, side, padding):
    rng = np.random.default_rng(seed)
    pictures = rng.integers(0, 256, (batch, side, side, 3), dtype=np.uint8)
    corners = rng.integers(0, 2 * padding + 1, (batch, 2))
    operand = (pictures, corners, rng.random(batch) < 0.5, padding)
    by_lists, by_look_up = (
        module.augmented(*operand) for module in (augment_by_python, augment_by_numpy)
    )
    assert by_lists.shape == pictures.shape
    assert (by_lists == by_look_up).all()


def test_lines_in_cython_are_counted_without_texts_and_comments():
    text = '# cython: x=1\n"""What it is,\nin two lines."""\n\ndef f(int x):\n    return x  # why\n'
    assert lines.of_cython(text) == 2
