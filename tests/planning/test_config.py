"""Bad configurations: one line that names the key, what is wrong and what is allowed."""

import copy
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from deploy.environments import definition_sha256
from planning.config import ConfigError, read_configuration, read_yaml
from planning.plan import Plan

from ..nets import NETS

ROOT = Path(__file__).parents[2]
SHIPPED = yaml.safe_load((ROOT / "config/config.yaml").read_text())


BERT = {"bert": {"fit": "default", "predict": "default"}}


def plan(here=True, **changes):
    config = {**copy.deepcopy(SHIPPED), "scale": "smoke", "accelerator": "cpu", **changes}
    return Plan(config, definition_sha256, ROOT / "envs", here)


def test_the_shipped_configuration_plans_the_pages_rows_on_every_column():
    shipped = plan()
    assert [c.name for c in shipped.columns] == list(NETS)
    assert len(shipped.rows) == 12
    assert len(shipped.runs) == 12 * len(NETS) - len(shipped.unsupported)
    assert {(row.model, row.task, name) for row, name in shipped.unsupported} == {
        ("gemma", "fit", "keras2-tensorflow"),
        ("gemma", "generate", "keras2-tensorflow"),
        ("mistral", "fit", "keras2-tensorflow"),
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"colums": []}, ["unknown key 'colums'", "columns"]),
        ({"scale": "huge"}, ["scale", "'huge'", "paper, laptop, smoke"]),
        ({"models": {"bort": {"fit": 1}}}, ["models", "'bort'", "bert"]),
        ({"models": {"bert": {"train": 1}}}, ["models.bert", "'train'", "fit, predict"]),
        (
            {"models": {"bert": {"fit": -1}}},
            ["models.bert.fit", "-1", "batch size from 1 to 1000000"],
        ),
        ({"models": {"bert": {"fit": 10**20}}}, ["models.bert.fit", "1 to 1000000"]),
        ({"models": {"a b;<${": {"fit": 1}}}, ["models", "'a b;<${'", "40 small letters"]),
        ({"models": {"bert\n": {"fit": 1}}}, ["models", "40 small letters"]),
        ({"models": {"b\0": {"fit": 1}}}, ["models", "40 small letters"]),
        ({"models": {"b" * 300: {"fit": 1}}}, ["models", "40 small letters"]),
        ({"models": {"b" * 30: {"fit": 1}}}, ["models", "repeats a part of it"]),
        ({"models": {1: {"fit": 1}}}, ["models", "1 is not allowed", "40 small letters"]),
        ({"models": {"bert": {"fit": 2**20_000}}}, ["more digits than can be read"]),
        ({"folders": ["b" * 300]}, ["folders", "no folder models or frameworks"]),
        ({"folders": ["b\0"]}, ["folders.0", "control characters"]),
        ({"folders": ["{b}"]}, ["folders.0", "braces"]),
        ({"limits": {"time_s": float("nan")}}, ["limits.time_s", "nan", "2592000"]),
        ({"limits": {"time_s": float("inf")}}, ["limits.time_s", "inf", "2592000"]),
        ({"limits": {"memory_gib": 1e308}}, ["limits.memory_gib", "1e+308", "1048576"]),
        ({"threads": 10**9}, ["threads", "1 to 65536"]),
        ({"runs": 2.0}, ["runs", "2.0", "whole number"]),
        (
            {"columns": [{"framework": "keras3-jax", "overlay": {"a" * 250: "1"}}]},
            ["columns.0", "a name of 263 characters", "200"],
        ),
        ({"columns": [{"framework": "keras3-jax", "overlay": ["~nobody/x"]}]}, ["no wheel"]),
        ({"models": {"bert": {"fit": [2, 0]}}}, ["models.bert.fit", "batch size"]),
        ({"models": {"bert": {"fit": True}}}, ["models.bert.fit", "True"]),
        ({"models": {"bert": {"fit": None}}}, ["models", "at least one task"]),
        ({"models": {}}, ["models", "at least one model"]),
        ({"columns": ["keras4-jax"]}, ["columns.0", "'keras4-jax'", "keras3-jax"]),
        ({"columns": []}, ["columns", "at least one"]),
        ({"runs": 0}, ["runs", "0", "whole number from 1"]),
        ({"runs": 2.5}, ["runs", "2.5"]),
        ({"precision": "half"}, ["precision", "'half'", "default, float32, tf32"]),
        (
            {"precision": "tf32", "accelerator": "cpu"},
            ["precision", "tf32 does not exist on cpu", "float32"],
        ),
        ({"limits": {"time": 5}}, ["limits", "'time'", "time_s"]),
        ({"limits": {"time_s": 0}}, ["limits.time_s", "greater than 0"]),
        ({"device": "gpu0"}, ["device", "'gpu0'", "'auto'", "nvidia-smi"]),
        ({"device": -1}, ["device", "-1"]),
        ({"device": True}, ["device", "True"]),
        ({"environment": {"XLA_FLAGS": 1}}, ["environment.XLA_FLAGS", "1", "in quotes"]),
        ({"environment": {"A B": "x"}}, ["environment", "'A B'", "name of an environment"]),
        ({"environment": {"A": "x\0"}}, ["environment.A", "text"]),
        ({"environment": {"OMP_NUM_THREADS": "4"}}, ["environment.OMP_NUM_THREADS", "Millistep"]),
        ({"environment": {"HF_TOKEN": "x"}}, ["environment.HF_TOKEN", "weights: preset"]),
        ({"interpreters": {"torch": "/usr/bin/python3"}}, ["interpreters", "'torch'"]),
        ({"unsupported": [{"model": "bert", "column": "keras3-jax"}]}, ["unsupported.0"]),
        (
            {"unsupported": [{"model": "bert", "column": "x", "reason": "y"}]},
            ["unsupported", "'x'", "keras3-jax"],
        ),
    ],
)
def test_a_bad_value_is_named_with_what_is_allowed(changes, words):
    with pytest.raises(ConfigError) as refusal:
        plan(**changes)
    line = str(refusal.value)
    assert "\n" not in line
    for word in words:
        assert word in line


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"scale: [smoke\nmodels: x", "line 2"),
        (b"scale: smoke\n\tmodels: x", "line 2"),
        (b"- a\n- b\n", "not a mapping"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"a: " + 5000 * b"9", "5000 digits"),
        (b"a: !!python/object/apply:os.system [true]", "could not determine a constructor"),
    ],
)
def test_a_broken_file_is_named_with_the_line(tmp_path, content, words):
    path = tmp_path / "config.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as refusal:
        read_yaml(str(path))
    assert str(path) in str(refusal.value)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_nested_too_deeply_is_named(tmp_path):
    (tmp_path / "config.yaml").write_text("a: " + 3000 * "[")
    with pytest.raises(ConfigError, match="nested too deeply"):
        read_configuration(str(tmp_path / "config.yaml"))


@given(
    st.dictionaries(
        st.text(max_size=12),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
            max_leaves=6,
        ),
        max_size=5,
    )
)
def test_no_configuration_whatever_escapes_as_another_error(config):
    try:
        Plan({**SHIPPED, **config}, definition_sha256, ROOT / "envs")
    except ConfigError as refusal:
        assert len(str(refusal).splitlines()) == 1


def test_an_unsupported_cell_is_planned_without_runs_and_with_its_reason():
    reason = {"model": "bert", "task": "fit", "column": "keras3-jax", "reason": "no compiler"}
    document = plan(models=BERT, unsupported=[reason]).document()
    cells = [c for c in document["cells"] if c["column"] == "keras3-jax"]
    assert [(c["task"], c["unsupported"], len(c["runs"])) for c in cells] == [
        ("fit", "no compiler", 0),
        ("predict", None, 1),
    ]
