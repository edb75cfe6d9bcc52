"""Recipes make as many runs as they say, with the options that they name."""

import re
import shlex

import pytest
import yaml

from millistep.planning import changes
from millistep.planning.config import lay_over, read_configuration
from millistep.planning.plan import Plan

from ..measure.nvml import A100
from ..shared import put
from ..workshop import source_tree
from .test_config import ROOT, plan

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
