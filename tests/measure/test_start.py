"""A measured process finds our code as `millistep` alone, and ends with its parent."""

import json
import sys

import pytest

from ..shared import ROOT, put, python, succeed

START = ROOT / "workflow/millistep/measure/start.py"
USERS = ("datasets", "analysis", "measure", "planning", "deploy", "timer", "frameworks")
PROGRAM = f"""
import importlib, json
import millistep.measure.timer, millistep.measure.frameworks

def main():
    found = {{name: importlib.import_module(name).__file__ for name in {USERS}}}
    try:
        import supervise
    except ModuleNotFoundError as error:
        found["supervise"] = str(error)
    print(json.dumps(found))
"""


def started(folder, *arguments):
    """Run the folder's program as a measured process starts; what it prints."""
    environ = {"PYTHONPATH": str(folder)}
    return succeed([sys.executable, "-s", str(START), "program", *arguments], env=environ)


def test_packages_of_a_user_may_have_the_names_of_ours(tmp_path):
    for name in USERS:
        put(tmp_path / name / "__init__.py", "")
    put(tmp_path / "program.py", PROGRAM)
    found = json.loads(started(tmp_path))
    assert found.pop("supervise") == "No module named 'supervise'"
    assert found == {name: str(tmp_path / name / "__init__.py") for name in USERS}


def test_a_model_may_write_measure_for_our_package(tmp_path):
    """Both names are one module: a class that a framework checks for exists once."""
    put(
        tmp_path / "program.py",
        """
import sys
import measure.models.bert.work as short
from measure.models import xla
import millistep.measure.models.bert.work as full

def main():
    assert short is full and sys.modules["millistep.measure.models"].xla is xla
    assert full.__spec__.name == full.__name__ == "millistep.measure.models.bert.work"
    try:
        import measure.models.bert.nothing
    except ModuleNotFoundError as error:
        print(error)
""",
    )
    assert started(tmp_path) == "No module named 'millistep.measure.models.bert.nothing'\n"


def test_a_process_that_a_model_spawns_finds_the_model(tmp_path):
    put(tmp_path / "models/own/worker.py", "def twice(number):\n    return 2 * number\n")
    put(
        tmp_path / "program.py",
        """
import json, multiprocessing, sys
from millistep.measure import frameworks

def main():
    frameworks.add_folders(json.loads(sys.argv[1])["folders"])
    from millistep.measure.models.own.worker import twice
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(twice, [21]))
""",
    )
    assert started(tmp_path, json.dumps({"folders": [str(tmp_path)]})) == "42\n"


# The parent starts a child, which begins when the parent is gone.
PARENT = """
import os, subprocess, sys
subprocess.Popen([sys.executable, "-c", sys.argv[1], str(os.getpid())])
"""
CHILD = """
import os, sys, time
parent = int(sys.argv[1])
while os.getppid() == parent:
    time.sleep(0.01)
{}
print("goes on")
"""
IGNORED = """
import os, signal, subprocess
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from millistep.supervise import console
console.end_by_interrupt()
child = subprocess.Popen(["false"])
print(os.waitstatus_to_exitcode(os.wait4(child.pid, 0)[1]))
"""
MEASURING = "from millistep.measure.process import die_with_parent; die_with_parent(parent=parent)"
SUPERVISOR = """
from millistep.supervise import console
os.getppid, now = lambda: parent, os.getppid  # the parent dies after this first look
console.end_by_interrupt = lambda: setattr(os, "getppid", now)
console.end_with_snakemake()
"""


@pytest.mark.parametrize("begin", [MEASURING, SUPERVISOR], ids=["measuring", "supervisor"])
def test_a_process_whose_parent_is_gone_already_does_not_begin(begin):
    assert python("-c", PARENT, CHILD.format(begin), timeout=60) == ""


def test_a_child_is_waited_for_though_the_caller_of_its_parent_ignores_children():
    assert python("-c", IGNORED, timeout=60) == "1\n"
