"""Benchmarks can be imported, replace lines that exist, and build a cell as a run does."""

import os
import re
import sys

from tests.shared import copy_tree, succeed

PATH = os.pathsep.join(("workflow", "envs", "benchmarks", "."))
IMPORTS = """
import importlib
from pathlib import Path
for path in sorted(Path("benchmarks").glob("*.py")):
    importlib.import_module(path.stem)
from gpu_fences import FENCES
folder = Path("workflow/millistep/measure/frameworks")
print({name: (folder / name).read_text().count(line) for name, line in FENCES.items()})
"""


def test_benchmarks_follow_the_code(tmp_path):
    copy_tree(tmp_path)
    here = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": PATH}}
    said = succeed([sys.executable, "-c", IMPORTS], **here)
    assert said == "{'torch.py': 1, 'keras3_jax.py': 1, 'tensorflow.py': 1}\n"
    # Gemma's builders are in another folder.
    cell = ("--scale", "smoke", "--models", "gemma", "--tasks", "fit", "--columns", "pytorch-eager")
    said = succeed([sys.executable, "benchmarks/build_memory.py", *cell], **here)
    assert re.search(r"^gemma fit b\d+ pytorch-eager +\d+ +\d+\.\d+ +none +\d+$", said, re.M), said
