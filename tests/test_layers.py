"""Which room (package) may import which: rooms stand in layers, nothing imports upwards."""

import ast
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).resolve().parents[1] / "workflow"
# From the bottom to the top; a room may import those before it.
MEASURING = ("deploy", "measure", "supervise", "planning", "bundle")
# Rooms that run inside a framework's interpreter, or before any environment exists.
ALONE = {room: {room} for room in ("measure", "deploy")}


def imported(path: Path) -> set[str]:
    """Modules that a file imports, as they are written."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def rooms_of(path: Path, houses: tuple[str, ...], prefix: str = "") -> set[str]:
    parts = (
        name.removeprefix(prefix).split(".")[0]
        for name in imported(path)
        if name.startswith(prefix)
    )
    return set(parts).intersection(houses)


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def test_every_file_has_a_room_and_every_room_a_place():
    folders = {path.name for path in WORKFLOW.iterdir() if any(path.rglob("*.py"))}
    assert folders <= {*MEASURING, "millistep"}
    assert [path.name for path in WORKFLOW.glob("*.py")] == []


@pytest.mark.parametrize("room", MEASURING)
def test_nothing_that_measures_imports_upwards_or_the_analysis(room):
    allowed = set(MEASURING[: MEASURING.index(room) + 1])
    for path in files(WORKFLOW / room):
        used = rooms_of(path, (*MEASURING, "millistep"))
        assert used <= ALONE.get(room, allowed), path


def test_the_analysis_imports_nothing_that_measures():
    for path in files(WORKFLOW / "millistep/analysis"):
        assert not rooms_of(path, MEASURING), path


def test_statistics_read_and_print_nothing():
    for name in ("stats", "steady"):
        used = imported(WORKFLOW / f"millistep/analysis/{name}.py")
        assert not {each for each in used if each.startswith(("pathlib", "json", "jinja2"))}
