"""What a setting is meant to change is no caveat of its pair of columns, and one of all others."""

import pytest
from results_factory import Project, make_column, make_plan

from analysis.caveats import collect

JAX, CHANGED, TORCH = "keras3-jax", "keras3-jax+changed", "pytorch-eager"
CHANGES = {
    "thread_policies_differ": ("threads", 1, "threads", "requested"),
    "deployments_differ": ("interpreter", "/opt/python", "environment", "method"),
}


def caveats_of(folder, name, *columns, **more):
    """The caveats `name` of a table in which CHANGED differs in the setting that it is about."""
    setting, value, section, key = CHANGES[name]
    plan = make_plan(columns=columns, rows=(("bert", "fit", 8, 32),))
    plan["columns"] = [
        make_column(c, **({setting: value, **more} if c == CHANGED else {})) for c in columns
    ]
    project = Project(folder, plan)
    changed = 1 if setting == "threads" else "interpreter"
    project.change(lambda r: r[section].update({key: changed}), column=CHANGED)
    return [caveat for caveat in collect(project.load()) if caveat.id == name]


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_pair_is_made_for_is_no_caveat_of_it(tmp_path, name):
    assert caveats_of(tmp_path, name, JAX, CHANGED) == []


@pytest.mark.parametrize("name", CHANGES)
def test_a_pair_that_differs_in_more_keeps_it(tmp_path, name):
    (caveat,) = caveats_of(tmp_path, name, JAX, CHANGED, precision="float32")
    assert {cell.column.name for cell in caveat.cells} == {JAX, CHANGED}


@pytest.mark.parametrize("name", CHANGES)
def test_it_stays_between_the_changed_column_and_another_framework(tmp_path, name):
    (caveat,) = caveats_of(tmp_path, name, JAX, CHANGED, TORCH)
    assert {cell.column.name for cell in caveat.cells} == {CHANGED, TORCH}
