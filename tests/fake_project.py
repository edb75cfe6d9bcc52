"""A checkout whose only framework is the fake one, on the interpreter of these tests."""

import shutil
import sys
from pathlib import Path

from tests.pipeline.conftest import Project, checkout

PLUGINS = Path(__file__).parent / "measure" / "plugins"
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
CONFIG = f"""\
scale: smoke
accelerator: cpu
threads: 1
folders: [own]
models: {{fake: {{fit: default}}}}
columns: [fake]
interpreters: {{fake: '{sys.executable}'}}
"""


def fake_project(folder: Path, architecture: str) -> Project:
    """architecture: what the fake framework reads, as in ``step_ms: 1.0``."""
    project = checkout(folder)
    shutil.copytree(PLUGINS, folder / "own")
    (folder / "own/frameworks/frameworks.yaml").write_text(FRAMEWORKS)
    (folder / "own/models/fake/model.yaml").write_text(MODEL.format(architecture=architecture))
    (folder / "own/models/fake/pytorch.py").touch()
    (folder / "config/config.yaml").write_text(CONFIG)
    return project
