"""What is told before anything is measured: settings without effect, builders that cannot build."""

import shutil

import pytest
import yaml

from planning import this_machine
from planning.config import ConfigError
from planning.models import OWN

from .test_config import BERT, plan
from .test_models import GOOD, written

TASKS = {
    "gemma": {"fit": "default", "generate": "default"},
    "mnist_dense": {"fit": 32, "predict": 32},
    "aligner": {"fit": "default"},
}
BUILDER = "import keras\n\ndef {name}(cell):\n    pass\n\nbatch = attention = None\n"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"training": {"data": "digits", "epochs": 2}}, "training: without effect, no model of a"),
        ({"device": 3}, "device: 3 is without effect, nothing is measured on a GPU"),
    ],
)
def test_a_setting_without_effect_is_said(changes, said):
    assert plan(models=BERT).notices == []
    [line] = plan(models=BERT, **changes).notices
    assert line.startswith(said)


def test_nothing_is_installed_where_no_cell_can_be_measured():
    nothing = plan(models={"gemma": {"fit": "default"}}, columns=["keras2-tensorflow"])
    with pytest.raises(ConfigError, match=r"none of the cells can be measured.* requires Keras 3"):
        this_machine.check_device(nothing)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BUILDER.format(name="buidl"), "keras3.py: no function 'build'; .* there are .*buidl"),
        ("def build(cell)\n", "keras3.py, line 1: expected ':'"),
    ],
)
def test_a_builder_without_its_functions_is_one_line_of_the_plan(tmp_path, text, said):
    builder = written(tmp_path, yaml.safe_dump(GOOD)).with_name("keras3.py")
    own = {"models": {"small": {"fit": "default"}}, "folders": [str(tmp_path)]}
    builder.write_text(BUILDER.format(name="build"))
    plan(**own)
    builder.write_text(text)
    with pytest.raises(ConfigError, match=said):
        plan(**own)


def test_the_builders_of_ours_pass_as_a_users_would(tmp_path):
    models = tmp_path / "models"
    for name in ("gemma", "mnist_dense", "aligner"):
        shutil.copytree(OWN / "models" / name, models / f"{name}_own")
    mine = {f"{name}_own": tasks for name, tasks in TASKS.items()}
    plan(models=mine, folders=[str(tmp_path)])
