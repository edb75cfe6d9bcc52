"""Overlays and stacks in a configuration: what they are called, and one line for a wrong one."""

import copy
import json
from pathlib import Path

import pytest
import yaml

from deploy.environments import definition_sha256
from planning.config import ConfigError
from planning.plan import Plan
from tests.workshop import build_wheel, source_tree

ROOT = Path(__file__).parents[2]
SHIPPED = yaml.safe_load((ROOT / "config/config.yaml").read_text())
JAX = "keras3-jax"


def plan(columns, **changes):
    config = {**copy.deepcopy(SHIPPED), "scale": "smoke", "accelerator": "cpu", **changes}
    config |= {"columns": columns, "models": {"bert": {"predict": 1}}}
    return Plan(config, definition_sha256, ROOT / "envs")


def over(*sources, framework=JAX):
    return {"framework": framework, "overlay": [str(source) for source in sources]}


@pytest.fixture
def trees(tmp_path):
    """Two checkouts of one package, whose folders are called alike."""
    return [source_tree(tmp_path / place / "thing", f"AT = {place!r}") for place in "ab"]


def test_columns_are_called_by_what_lies_over_them(tmp_path, trees):
    build_wheel(tmp_path / "wheels", "2.0")
    wheel = tmp_path / "wheels" / "tiny_thing-2.0-py3-none-any.whl"
    versions = {"framework": JAX, "overlay": {"keras": "3.10.0", "keras-hub": "0.20.0"}}
    columns = plan([JAX, versions, over(wheel), over(trees[0])]).columns
    assert [(column.name, column.title) for column in columns] == [
        (JAX, "Keras 3 (JAX)"),
        (
            "keras3-jax+keras-3.10.0+keras-hub-0.20.0",
            "Keras 3 (JAX), keras 3.10.0, keras-hub 0.20.0",
        ),
        ("keras3-jax+tiny_thing-2.0", "Keras 3 (JAX), tiny_thing 2.0"),
        ("keras3-jax+thing", "Keras 3 (JAX), thing"),
    ]


def test_a_changed_file_changes_the_identities_of_its_column_alone(trees):
    def identities():
        runs = plan([JAX, over(trees[0])]).runs
        return {run.column.name: json.loads(run.identity)["environment"] for run in runs}

    before = identities()
    (trees[0] / "tiny_thing.py").write_text("AT = 'another place'")
    after = identities()
    assert before[JAX] == after[JAX] == definition_sha256(ROOT / "envs/2026-11/cpu/keras3-jax.yaml")
    assert before["keras3-jax+thing"] != after["keras3-jax+thing"]


def test_two_checkouts_called_alike_are_told_apart_by_links(trees, tmp_path):
    with pytest.raises(ConfigError, match=r"a second column is called keras3-jax\+thing"):
        plan([over(tree) for tree in trees])
    (tmp_path / "mine").symlink_to(trees[1])
    columns = plan([over(trees[0]), over(tmp_path / "mine")]).columns
    assert [column.name for column in columns] == ["keras3-jax+thing", "keras3-jax+mine"]


def unnamed_wheel(folder):
    (folder / "thing.whl").touch()
    return over(folder / "thing.whl")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ([over("../no-such-thing")], ["columns.0.overlay", "'../no-such-thing'", "pyproject.toml"]),
        ([over(ROOT / "envs")], ["columns.0.overlay", "no folder with pyproject.toml or setup.py"]),
        ([unnamed_wheel], ["columns.0.overlay", "'thing.whl'", "name-version-"]),
        (
            [{"framework": JAX, "overlay": {"keras": 3.1}}],
            ["columns.0.overlay", "3.1", "versions in quotes"],
        ),
        (
            [{"framework": JAX, "overlay": {"keras": ">=3"}}],
            ["columns.0.overlay.keras", "'>=3'", "a version like"],
        ),
        (
            [{"framework": JAX, "overlay": {"--pre": "3"}}],
            ["columns.0.overlay", "'--pre' is not the name of a package"],
        ),
        ([{"framework": JAX, "overlay": []}], ["columns.0.overlay", "a list of"]),
        (
            [{"framework": JAX, "overlay": [{"Keras_Hub": "1"}, {"keras-hub": "2"}]}],
            ["columns.0.overlay", "keras-hub is there twice"],
        ),
        (
            [JAX, {"framework": JAX, "stack": "2019-01"}],
            ["columns.1.stack", "unknown stack '2019-01'", "2026-11"],
        ),
        ([{"framework": JAX, "stack": "../x"}], ["columns.0.stack", "'../x'", "2026-11"]),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, columns, words):
    columns = [column(tmp_path) if callable(column) else column for column in columns]
    with pytest.raises(ConfigError) as refusal:
        plan(columns)
    line = str(refusal.value)
    assert "\n" not in line
    for word in words:
        assert word in line


def test_nothing_is_put_over_an_interpreter_of_ones_own(trees):
    for columns, changes in (
        ([{**over(trees[0]), "interpreter": "/usr/bin/python3"}], {}),
        ([over(trees[0])], {"interpreters": {JAX: "/usr/bin/python3"}}),
    ):
        with pytest.raises(ConfigError, match=r"columns\.0\.overlay: not put over an interpreter"):
            plan(columns, **changes)


def test_one_environment_has_one_overlay_of_a_name(trees):
    frameworks = ("pytorch-eager", "pytorch-compiled")
    same = plan([over(trees[0], framework=name) for name in frameworks])
    assert len(same.environments) == 1
    with pytest.raises(ConfigError, match="differ and are called alike"):
        plan([over(tree, framework=name) for tree, name in zip(trees, frameworks, strict=True)])
