"""Colour, marker and hatch of columns: by rule, from a column alone."""

import itertools

import pytest
import yaml

from contract.settings import SETTINGS, said
from planning.frameworks import frameworks
from planning.looks import look

from .test_config import ROOT, plan

OURS = frameworks([])
STUDIES = sorted((ROOT / "config/studies").glob("*.yaml"))
# Values that have a declared place, by setting.
PLACED = {
    name: [value for value in about.get("enum", ()) if "look" in said(name, value)]
    for name, about in SETTINGS.items()
    if "enum" in about
}


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
        assert one.look.colour != other.look.colour
        if one.framework == other.framework:
            assert one.look.marker != other.look.marker


@pytest.mark.parametrize("setting", PLACED)
def test_values_of_a_setting_differ_in_shade_and_in_marker(setting):
    named = [{}, *({setting: value} for value in PLACED[setting])]
    looks = [look(OURS["keras3-jax"], entry) for entry in named]
    for part in ("colour", "marker", "hatch"):
        assert len({getattr(found, part) for found in looks}) == len(looks)
