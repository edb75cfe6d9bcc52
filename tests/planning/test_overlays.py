"""Overlays and stacks in a configuration: their names, and one line for a wrong one."""

import json

import pytest

from millistep.deploy.environments import definition_sha256
from tests.workshop import build_wheel, source_tree

from ..shared import ROOT, put
from .test_config import JAX, refused
from .test_config import plan as planned


def plan(columns, **changes):
    return planned(columns=columns, models={"bert": {"predict": 1}}, **changes)


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
    assert {c.name.removeprefix(JAX): c.title.removeprefix("Keras 3 (JAX)") for c in columns} == {
        "": "",
        "+keras-3.10.0+keras-hub-0.20.0": ", keras 3.10.0, keras-hub 0.20.0",
        "+tiny_thing-2.0": ", tiny_thing 2.0",
        "+thing": ", thing",
    }


def test_a_checkout_whose_name_no_path_may_have_is_a_tree(tmp_path):
    (column,) = plan([over(source_tree(tmp_path / "源", "AT = 1"))]).columns
    assert column.name == "keras3-jax+tree"


def test_a_changed_file_changes_the_identities_of_its_column_alone(trees):
    def identities():
        runs = plan([JAX, over(trees[0])]).runs
        return {run.column.name: json.loads(run.identity)["environment"] for run in runs}

    before = identities()
    put(trees[0] / "tiny_thing.py", "AT = 'another place'")
    after = identities()
    assert before[JAX] == after[JAX] == definition_sha256(ROOT / "envs/2026-11/cpu/keras3-jax.yaml")
    assert before["keras3-jax+thing"] != after["keras3-jax+thing"]


def test_two_checkouts_called_alike_are_told_apart_by_links(trees, tmp_path):
    refused(
        ["another entry is called keras3-jax+thing, too; change a setting"],
        columns=[*map(over, trees)],
    )
    (tmp_path / "mine").symlink_to(trees[1])
    columns = plan([over(trees[0]), over(tmp_path / "mine")]).columns
    assert [column.name for column in columns] == ["keras3-jax+thing", "keras3-jax+mine"]


def test_a_wheel_without_a_name_is_refused(tmp_path):
    (tmp_path / "thing.whl").touch()
    refused(["'thing.whl'", "name-version-"], columns=[over(tmp_path / "thing.whl")])


def test_nothing_is_put_over_an_interpreter_of_ones_own(trees):
    for columns, changes in (
        ([{**over(trees[0]), "interpreter": "/usr/bin/python3"}], {}),
        ([over(trees[0])], {"interpreters": {JAX: "/usr/bin/python3"}}),
    ):
        words = ["columns.0.overlay: not possible with your own interpreter"]
        refused(words, columns=columns, **changes)


def test_one_environment_has_one_overlay_of_a_name(trees):
    frameworks = ("pytorch-eager", "pytorch-compiled")
    same = plan([over(trees[0], framework=name) for name in frameworks])
    assert len(same.environments) == 1
    differ = [over(tree, framework=name) for tree, name in zip(trees, frameworks, strict=True)]
    refused(["differ and are called alike"], columns=differ)
