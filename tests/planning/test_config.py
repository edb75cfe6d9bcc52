"""Configurations: one line about what is wrong and what is allowed, and the runs of recipes."""

import copy
import re
import shlex

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from millistep.planning import changes
from millistep.planning.config import ConfigError, lay_over, read_configuration, read_yaml
from millistep.planning.plan import Plan

from ..measure.nvml import A100
from ..nets import NETS
from ..shared import ROOT, put, valid
from ..workshop import source_tree

SHIPPED = yaml.safe_load((ROOT / "config/config.yaml").read_text())
BERT = {"bert": {"fit": "default", "predict": "default"}}
JAX = "keras3-jax"


def plan(here=True, room=100, **changes):
    config = {**copy.deepcopy(SHIPPED), "scale": "smoke", "accelerator": "cpu", **changes}
    return Plan(config, here, room)


def refused(words, made=plan, **changes):
    """Check that a plan is refused in one line with these words."""
    with pytest.raises(ConfigError) as refusal:
        made(**changes)
    line = str(refusal.value)
    assert "\n" not in line
    assert [word for word in words if word not in line] == [], line


def test_the_shipped_configuration_plans_the_pages_rows_on_every_column():
    shipped = plan(runs=3)
    assert [c.name for c in shipped.columns] == list(NETS)
    cells = valid(shipped.document(), "plan")["cells"]
    places = sorted(run["position"] for cell in cells for run in cell["runs"])
    assert places == list(range(3 * (12 * len(NETS) - 4)))
    assert {(row.model, row.task, column.name) for row, column in shipped.unsupported} == {
        ("gemma", "fit", "keras2-tensorflow"),
        ("gemma", "generate", "keras2-tensorflow"),
        ("mistral", "fit", "keras2-tensorflow"),
    }


BERTS_FIT = [
    (-1, "-1", "batch size from 1 to 1000000"),
    (10**20, "1 to 1000000"),
    ([2, 0], "batch size"),
    (True, "True"),
]
OURS = ("OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "JAX_PLATFORMS", "PYTHONPATH", "KERAS_BACKEND")
BAD_NAMES = ["a b;<${", "bert\n", "b\0", "b" * 300, 1]
TYPO = {"model": "bert", "task": "prdict", "column": JAX, "reason": "y"}
WRONG = [
    ({"colums": []}, ["unknown key 'colums'", "columns"]),
    ({"scale": "huge"}, ["scale", "'huge'", "paper, laptop, smoke"]),
    ({"models": {"bort": {"fit": 1}}}, ["models", "'bort'", "bert"]),
    ({"models": {"bert": {"fit": [8, 4, 8]}}}, ["models.bert.fit: 8 appears twice"]),
    ({"models": {"bert": {"train": 1}}}, ["models.bert", "'train'", "fit, predict"]),
    *(({"models": {"bert": {"fit": n}}}, ["models.bert.fit", *w]) for n, *w in BERTS_FIT),
    *(({"models": {name: {"fit": 1}}}, ["models", "40 lowercase letters"]) for name in BAD_NAMES),
    ({"models": {"b" * 30: {"fit": 1}}}, ["models", "repeats a part of it"]),
    ({"models": {"bert": {"fit": 2**20_000}}}, ["more digits than can be read"]),
    ({"models": {"bert": {"fit": None}}}, ["models", "at least one task"]),
    ({"models": {}}, ["models", "at least one model"]),
    ({"folders": ["b" * 300]}, ["folders", "no folder models or frameworks"]),
    ({"folders": ["b\0"]}, ["folders.0", "control characters"]),
    ({"folders": ["{b}"]}, ["folders.0", "braces"]),
    ({"limits": {"time_s": float("nan")}}, ["limits.time_s", "nan", "2592000"]),
    ({"limits": {"memory_gib": 1e308}}, ["limits.memory_gib", "1e+308", "1048576"]),
    ({"limits": {"time": 5}}, ["limits", "'time'", "time_s"]),
    ({"limits": {"time_s": 0}}, ["limits.time_s", "greater than 0"]),
    ({"threads": 10**9}, ["threads", "1 to 65536"]),
    ({"columns": ["keras4-jax"]}, ["columns.0", "'keras4-jax'", JAX]),
    ({"columns": []}, ["columns", "at least one"]),
    ({"runs": 0}, ["runs", "0", "whole number from 1"]),
    ({"runs": 2.0}, ["runs", "2.0", "whole number"]),
    ({"precision": "half"}, ["precision", "'half'", "default, float32, tf32"]),
    ({"precision": "tf32"}, ["precision", "tf32 does not exist on cpu", "float32"]),
    ({"device": "gpu0"}, ["device", "'gpu0'", "'auto'", "nvidia-smi"]),
    ({"device": -1}, ["device", "-1"]),
    ({"device": True}, ["device", "True"]),
    ({"environment": {"XLA_FLAGS": 1}}, ["environment.XLA_FLAGS", "1", "in quotes"]),
    ({"environment": {"A B": "x"}}, ["environment", "'A B'", "name of an environment"]),
    ({"environment": {"A": "x\0"}}, ["environment.A", "text"]),
    ({"environment": {"HF_TOKEN": "x"}}, ["environment.HF_TOKEN", "weights: preset"]),
    ({"weights": "preset"}, ["weights: preset", "scale paper", "allowed at smoke is random"]),
    ({"environment": {"MY_API_KEY": "x"}}, ["environment.MY_API_KEY", "secret"]),
    *(({"environment": {name: "x"}}, [name, "set by Millistep"]) for name in OURS),
    ({"interpreters": {"torch": "/usr/bin/python3"}}, ["interpreters", "'torch'"]),
    ({"unsupported": [{"model": "bert", "column": JAX}]}, ["unsupported.0"]),
    ({"unsupported": [JAX]}, ["unsupported.0", JAX, "; a mapping with model, task, column and"]),
    ({"runs": {"bert": "default"}}, ["runs", "a mapping of models (and default) to numbers"]),
    ({"study": None}, ["study: None", "a mapping with name, title and question"]),
    ({"unsupported": [{"model": "bert", "column": "x", "reason": "y"}]}, ["'x'", JAX]),
    (
        {"unsupported": [TYPO]},
        ["unsupported: bert has no task 'prdict'; allowed are fit, predict"],
    ),
]
KEYS = "accelerator, again, cudnn_benchmark, framework"
# Wrong settings of a column.
SETTINGS = [
    ({"color": 1}, ["columns.0: unknown key 'color'", KEYS]),
    ({"jit_compile": 1}, ["columns.0.jit_compile: 1 ", "published, auto, True, False"]),
    ({"cudnn_benchmark": 0}, ["columns.0.cudnn_benchmark: 0 ", "allowed are False, True"]),
    ({"jit_compile": "yes"}, ["columns.0.jit_compile", "'yes'", "published, auto, True, False"]),
    ({"mode": "default"}, ["columns.0.mode: keras3-jax does not take it", "accelerator, stack"]),
    ({"threads": 0}, ["columns.0.threads", "0", "'auto' or a whole number from 1 to 65536"]),
    ({"threads": 2.0}, ["columns.0.threads", "2.0", "a whole number"]),
    ({"stack": "2019-01"}, ["columns.0.stack", "unknown stack '2019-01'", "2026-11"]),
    ({"stack": "../x"}, ["columns.0.stack", "'../x'", "a folder of envs"]),
    ({"interpreter": "a\n"}, ["columns.0.interpreter", "without control characters"]),
    ({"overlay": 3}, ["columns.0.overlay", "3", "a mapping of packages to versions"]),
    ({"overlay": []}, ["columns.0.overlay", "a list of"]),
    ({"overlay": {"a" * 250: "1"}}, ["columns.0", "a name of 263 characters", "200"]),
    ({"overlay": ["~nobody/x"]}, ["neither a wheel"]),
    ({"overlay": ["../no-such-thing"]}, ["columns.0.overlay", "'../no-such-thing'", "pyproject"]),
    ({"overlay": [str(ROOT / "envs")]}, ["nor a folder with pyproject.toml or setup.py"]),
    ({"overlay": {"keras": 3.1}}, ["columns.0.overlay", "3.1", "versions in quotes"]),
    ({"overlay": {"keras": ">=3"}}, ["columns.0.overlay.keras", "'>=3'", "a version like"]),
    ({"overlay": {"keras": "3.1 "}}, ["columns.0.overlay.keras", "'3.1 '", "a version like"]),
    ({"overlay": {"--pre": "3"}}, ["columns.0.overlay", "'--pre' is not the name of a package"]),
    ({"overlay": [{"Keras_Hub": "1"}, {"keras-hub": "2"}]}, ["keras-hub appears twice"]),
]


@pytest.mark.parametrize(("changes", "words"), WRONG)
def test_a_bad_value_is_named_with_what_is_allowed(changes, words):
    refused(words, **changes)


@pytest.mark.parametrize(("setting", "words"), SETTINGS)
def test_a_setting_that_is_not_allowed_is_named(setting, words):
    refused(words, columns=[{"framework": JAX, **setting}])


BOTH = (read_configuration, read_yaml)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"scale: [smoke\nmodels: x", "line 2"),
        (b"scale: smoke\n\tmodels: x", "line 2"),
        (b"- a\n- b\n", "not a mapping"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"a: " + 5000 * b"9", "5000 digits"),
        (b"a: !!python/object/apply:os.system [true]", "could not determine a constructor"),
        (b"a: " + 3000 * b"[", "nested too deeply"),
        (b"runs: 5\nruns: 1", "line 2, column 1: the key 'runs' appears twice, first in line 1"),
        (b"a:\n\tb: 1", "line 2"),  # tabs are blanks in JSON alone
        (b"a: [{b: &b {c: 1, 'c': 2}}, *b]", "line 1, column 19: the key 'c' appears twice"),
        (b'{\n\t"runs": 5,\n\t"runs": 1\n}\n', "line 3, column 2: the key 'runs'"),
    ],
)
def test_a_broken_file_is_named_with_the_line(tmp_path, content, words):
    path = tmp_path / "config.yaml"
    path.write_bytes(content)
    for read in (read_configuration,) if words == "nested too deeply" else BOTH:
        refused([str(path), words], lambda read=read: read(str(path)))


MERGED = "a: &a {x: 1, y: 1}\nb: &b {<<: *a, x: 2}\nc: {<<: [*b, *a], y: 3}\nd: *b"


@pytest.mark.parametrize("read", BOTH)
def test_tabs_in_json_and_keys_that_a_mapping_merges_are_read(tmp_path, read):
    found = read(str(put(tmp_path / "config.json", '{\n\t"runs": 5,\n\t"seed": 1\n}\n')))
    assert found == {"runs": 5, "seed": 1}
    found = read(str(put(tmp_path / "config.yaml", MERGED)))
    assert (found["c"], found["d"]) == ({"x": 2, "y": 3}, {"x": 2, "y": 1})


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
        Plan({**SHIPPED, **config})
    except ConfigError as refusal:
        assert len(str(refusal).splitlines()) == 1


def test_an_unsupported_cell_is_planned_without_runs_and_with_its_reason():
    reason = {"model": "bert", "task": "fit", "column": JAX, "reason": "no compiler"}
    document = plan(models=BERT, unsupported=[reason]).document()
    cells = [c for c in document["cells"] if c["column"] == JAX]
    assert [(c["task"], c["unsupported"], len(c["runs"])) for c in cells] == [
        ("fit", "no compiler", 0),
        ("predict", None, 1),
    ]
    assert document["further"] == {"unsupported": [reason]}
    assert "further" not in plan(models=BERT).document()


def test_a_model_whose_tasks_are_all_left_out_is_none_of_the_tables():
    models = {**BERT, "sam": {"fit": None, "predict": None}}
    document = plan(models=models).document()
    assert [*document["models"]] == ["bert"] == [*{row["model"] for row in document["rows"]}]


RECIPE = r"^```yaml\n(.*?)^```\n\n`(--configfile [^`]+)`: ([\d,]+) runs at (\w+) scale"
TEXT = (ROOT / "config/README.md").read_text() + (ROOT / "docs/tutorial.md").read_text()
RECIPES = re.findall(RECIPE, TEXT, re.M | re.S)


def test_every_recipe_says_how_it_is_applied():
    assert len(RECIPES) == TEXT.count("```yaml") == 11


@pytest.mark.parametrize(("text", "options", "runs", "scale"), RECIPES)
def test_a_recipe_makes_the_runs_it_says(text, options, runs, scale, gpus, tmp_path, monkeypatch):
    source_tree(tmp_path / "keras")  # a recipe names it as ../keras
    monkeypatch.chdir(put(tmp_path / "millistep/config", "").parent)
    gpus(*[A100] * 4) if scale == "paper" else gpus()
    words = shlex.split(options)
    files = [word for word in words[1:] if word.endswith(".yaml")]
    assert [*words[:1], *files] == words[: len(files) + 1]
    config = {}
    for name in files:
        mine = name == "mine.yaml"
        lay_over(config, yaml.safe_load(text) if mine else read_configuration(str(ROOT / name)))
    made = Plan(config)
    assert (f"{len(made.runs):,}", made.scale, made.notices) == (runs, scale, [])


def test_a_first_run_is_told_with_what_it_prints(tmp_path):
    made = plan(scale="laptop")
    said = changes.summary(made, changes.reasons(made, tmp_path)).splitlines()
    page = (ROOT / "docs/tutorial.md").read_text()
    assert f"```text\n{said[0]}\n" in page
