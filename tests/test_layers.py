"""Which room (package) may import which: rooms stand in layers, nothing imports upwards."""

import ast
from pathlib import Path

import pytest

from tests.shared import python

PACKAGE = Path(__file__).resolve().parents[1] / "workflow" / "millistep"
# From the bottom to the top; a room may import those before it.
MEASURING = ("contracts", "deploy", "measure", "supervise", "planning", "bundle")
# Rooms that run inside a framework's interpreter, or before any environment exists.
ALONE = {room: {room} for room in ("contracts", "measure", "deploy")}


def imported(path: Path) -> set[str]:
    """Modules that a file imports, as they are written."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def rooms_of(path: Path) -> set[str]:
    parts = (name.split(".") for name in imported(path))
    return {part[1] for part in parts if part[0] == "millistep" and len(part) > 1}


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def test_every_file_has_a_room_and_every_room_a_place():
    folders = {path.name for path in PACKAGE.iterdir() if any(path.rglob("*.py"))}
    assert folders == {*MEASURING, "analysis"}


@pytest.mark.parametrize("room", MEASURING)
def test_nothing_that_measures_imports_upwards_or_the_analysis(room):
    allowed = set(MEASURING[: MEASURING.index(room) + 1])
    for path in files(PACKAGE / room):
        assert rooms_of(path) <= ALONE.get(room, allowed), path


def test_the_analysis_imports_nothing_that_measures():
    for path in files(PACKAGE / "analysis"):
        assert rooms_of(path) <= {"analysis", "contracts"}, path


def test_statistics_read_and_print_nothing():
    for name in ("stats", "steady"):
        used = imported(PACKAGE / f"analysis/{name}.py")
        assert not {each for each in used if each.startswith(("pathlib", "json", "jinja2"))}


def test_a_run_starts_without_the_typed_models():
    program = "import sys, millistep.supervise.cell; print('pydantic' in sys.modules)"
    assert python("-c", program) == "False\n"
