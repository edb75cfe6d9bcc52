"""Which room (package) may import which: rooms stand in layers, nothing imports upwards."""

import ast
from pathlib import Path

import pytest

from tests.shared import ROOT, python

PACKAGE = ROOT / "workflow/millistep"
# From the bottom to the top; a room may import those before it.
MEASURING = ("contracts", "deploy", "measure", "supervise", "planning", "bundle")
MAY_IMPORT = {room: {*MEASURING[: place + 1]} for place, room in enumerate(MEASURING)}
MAY_IMPORT["analysis"] = {"analysis", "contracts"}
# Rooms that run inside a framework's interpreter, or before any environment exists.
MAY_IMPORT |= {room: {room} for room in ("contracts", "measure", "deploy")}


def imported(path: Path) -> set[str]:
    """Modules that a file imports, as they are written."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_every_file_has_a_room_and_every_room_a_place():
    folders = {path.name for path in PACKAGE.iterdir() if any(path.rglob("*.py"))}
    assert folders == {*MAY_IMPORT}


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_nothing_imports_upwards_and_the_analysis_nothing_that_measures(room):
    for path in (PACKAGE / room).rglob("*.py"):
        names = (name.split(".") for name in imported(path))
        rooms = {name[1] for name in names if name[0] == "millistep" and name[1:]}
        assert rooms <= MAY_IMPORT[room], path


def test_statistics_read_and_print_nothing():
    for name in ("stats", "steady"):
        used = imported(PACKAGE / f"analysis/{name}.py")
        assert not {each for each in used if each.startswith(("pathlib", "json", "jinja2"))}


def test_a_run_starts_without_the_typed_models():
    program = "import sys, millistep.supervise.cell; print('pydantic' in sys.modules)"
    assert python("-c", program) == "False\n"
