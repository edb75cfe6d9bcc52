"""Colour, marker and hatch of columns: by rule, from a column alone."""

import itertools
from types import SimpleNamespace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from contract.settings import SETTINGS, said
from planning.frameworks import frameworks
from planning.looks import Look, look

from .test_config import ROOT, plan

OURS = frameworks([])
STUDIES = sorted((ROOT / "config/studies").glob("*.yaml"))
# By setting, the values that have a declared place.
PLACED = {
    name: [value for value in about.get("enum", ()) if "look" in said(name, value)]
    for name, about in SETTINGS.items()
    if "enum" in about
} | {"way": ["native", "naive", "callback", "triton"]}
# Settings with few values, of which a framework takes one of the last two.
FEW = (("accelerator", "precision", "mode"), ("accelerator", "precision", "jit_compile"))


def drawn(found: Look) -> tuple[str, str]:
    """What tells two lines apart."""
    return found.colour, found.marker


@pytest.mark.parametrize("study", STUDIES, ids=lambda path: path.stem)
def test_columns_of_a_study_are_told_apart(study, tmp_path):
    config = yaml.safe_load(study.read_text())
    tree = tmp_path / "keras"  # stands for the source tree of a study about a patch
    tree.mkdir()
    (tree / "pyproject.toml").touch()
    for column in config["columns"]:
        if not isinstance(column, str) and isinstance(column.get("overlay"), list):
            column["overlay"] = [str(tree)]
    columns = plan(columns=config["columns"], models=config["models"]).columns
    for one, other in itertools.combinations(columns, 2):
        # One framework has five shades; an operation has more ways on the processor alone.
        part = "hatch" if one.framework.name == "host" else "colour"
        assert getattr(one.look, part) != getattr(other.look, part)
        if one.framework == other.framework:
            assert one.look.marker != other.look.marker


@pytest.mark.parametrize("settings", FEW, ids=("mode", "jit_compile"))
@pytest.mark.parametrize("framework", OURS.values(), ids=str)
def test_all_combinations_of_settings_with_few_values_differ(framework, settings):
    named = [
        {key: value for key, value in zip(settings, values, strict=True) if value is not None}
        for values in itertools.product(*([None, *PLACED[setting]] for setting in settings))
    ]
    assert len({drawn(look(framework, entry)) for entry in named}) == len(named) == 36


@pytest.mark.parametrize("setting", PLACED)
def test_values_of_a_setting_differ_in_shade_and_in_marker(setting):
    named = [{}, *({setting: value} for value in PLACED[setting])]
    looks = [look(OURS["keras3-jax"], entry) for entry in named]
    for part in ("colour", "marker", "hatch"):
        assert len({getattr(found, part) for found in looks}) == len(looks)


def test_a_column_looks_the_same_beside_any_other():
    asked = {"framework": "keras3-jax", "precision": "float32", "threads": 1}
    alone = plan(columns=[asked]).columns[0]
    beside = plan(columns=["keras3-torch", "keras3-jax", asked]).columns[-1]
    assert alone.look == beside.look
    entry = plan(columns=[asked]).document()["columns"][0]
    assert (entry["colour"], entry["marker"]) == drawn(alone.look)


def test_a_framework_without_settings_looks_as_its_registry_says():
    columns = plan().columns
    assert [c.look.colour for c in columns] == [c.framework.colours[0] for c in columns]


@given(st.sets(st.integers(1, 44), min_size=2, max_size=2))
def test_numbers_of_threads_differ(numbers):
    assert len({drawn(look(OURS["keras3-jax"], {"threads": n})) for n in numbers}) == 2


names = st.text("abc-123.", min_size=1, max_size=8)


@given(names, names, st.integers(1, 512))
def test_names_that_anyone_may_choose_have_a_look(stack, interpreter, threads):
    overlay = (SimpleNamespace(word=interpreter), SimpleNamespace(word=stack))
    named = {"stack": stack, "interpreter": interpreter, "threads": threads, "overlay": overlay}
    assert set(named) <= set(SETTINGS)
    found = look(OURS["pytorch-eager"], named)
    assert found == look(OURS["pytorch-eager"], dict(reversed(named.items())))
    assert len(found.marker) == 1


@pytest.mark.parametrize("name", OURS)
def test_shades_are_apart_in_grey_and_readable_on_white_and_on_black(name):
    light = [luminance(shade) for shade in OURS[name].colours]
    assert len(light) == 5
    for one, other in itertools.combinations(light[1:], 2):
        assert contrast(one, other) > 1.25
    assert all(min(contrast(1, shade), contrast(0, shade)) > 2 for shade in light[1:])


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one: float, other: float) -> float:
    low, high = sorted((one, other))
    return (high + 0.05) / (low + 0.05)
