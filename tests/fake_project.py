"""A checkout whose only framework is the fake one, on the interpreter of these tests."""

import shutil
import sys
from pathlib import Path

from tests.pipeline.conftest import Project, checkout

PLUGINS = Path(__file__).parent / "measure" / "plugins"
# Names with characters that a shell, and Snakemake, would read something into.
OWN, INTERPRETER = "my models; $x <1>", "my {python}; $(x)"
FRAMEWORKS = "fake: {like: pytorch-eager, module: fake, title: Fake}\n"
MODEL = """\
title: Fake
citation: none
preset: none
architecture:
  paper: {{{architecture}}}
  laptop: {{{architecture}}}
  smoke: {{{architecture}}}
tasks:
  fit:
    {{published: [4], paper: [4], laptop: [4], smoke: [4], trains: all,
     parameters: {{paper: 1, laptop: 1, smoke: 1}}}}
"""
# None of these is called: the fake framework builds no model.
BUILDER = "build = batch = optimizer = None\n"
CONFIG = """\
scale: smoke
accelerator: cpu
threads: 1
folders: ['{own}']
models: {{fake: {{fit: default}}}}
columns: [fake]
interpreters: {{fake: '{interpreter}'}}
"""


def add_model(own: Path, name: str, architecture: str) -> None:
    """Write a model of the fake framework into a user's folder."""
    folder = own / "models" / name
    shutil.copytree(PLUGINS / "models/fake", folder, dirs_exist_ok=True)
    (folder / "pytorch.py").write_text(BUILDER)
    text = MODEL.format(architecture=architecture).replace("Fake", name.title())
    (folder / "model.yaml").write_text(text)


def fake_project(folder: Path, architecture: str, other: bool = False) -> Project:
    """Make the checkout. architecture: what the fake framework reads, as in ``step_ms: 1.0``;
    other: with the same framework under another name and in a module of its own.
    """
    project = checkout(folder)
    own, interpreter = folder / OWN, folder / INTERPRETER / "python"
    shutil.copytree(PLUGINS, own)
    entries = FRAMEWORKS
    if other:
        shutil.copy(own / "frameworks/fake.py", own / "frameworks/other.py")
        entries += FRAMEWORKS.replace("fake", "other").replace("Fake", "Other")
    (own / "frameworks/frameworks.yaml").write_text(entries)
    add_model(own, "fake", architecture)
    interpreter.parent.mkdir()
    interpreter.symlink_to(sys.executable)
    config = CONFIG.format(own=OWN, interpreter=interpreter)
    (folder / "config/config.yaml").write_text(config)
    return project
