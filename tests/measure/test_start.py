"""A measured process imports our package `measure`, and none of our others by their names."""

import json
import subprocess
import sys

from ..shared import ROOT, put

START = ROOT / "workflow/measure/start.py"
USERS = ("datasets", "analysis", "planning", "deploy", "timer", "frameworks")
PROGRAM = f"""
import importlib, json
import measure.timer, measure.frameworks

def main():
    found = {{name: importlib.import_module(name).__file__ for name in {USERS}}}
    try:
        import supervise
    except ModuleNotFoundError as error:
        found["supervise"] = str(error)
    print(json.dumps(found))
"""


def test_packages_of_a_user_may_have_the_names_of_ours(tmp_path):
    for name in USERS:
        put(tmp_path / name / "__init__.py", "")
    put(tmp_path / "program.py", PROGRAM)
    command = [sys.executable, "-s", str(START), "program"]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert found.pop("supervise") == "No module named 'supervise'"
    assert found == {name: str(tmp_path / name / "__init__.py") for name in USERS}
