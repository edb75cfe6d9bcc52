"""Which room (package) may import which: rooms stand in layers, nothing imports upwards."""

import ast
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).resolve().parents[1] / "workflow"
# Both houses, each from the bottom to the top; a room may import those before it.
MEASURING = ("contract", "packing", "deploy", "measure", "supervise", "planning")
MEASURING += ("machine_card", "bundle")
ANALYSIS = (
    "statistics",
    "formats",
    "writing",
    "results",
    "data",
    "comparisons",
    "caveats",
    "claims",
)
ANALYSIS += ("tables", "figures", "topics", "report", "archive", "compare", "atlas", "answer")
# Rooms of the other house that the analysis may use: to read a record, to pack a zip.
SHARED = ("contract", "packing")
# Rooms that run inside a framework's interpreter, or before any environment exists.
ALONE = {room: {room} for room in ("measure", "deploy", "contract")}


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
    assert folders == {*MEASURING, "analysis"}
    rooms = {path.name for path in (WORKFLOW / "analysis").iterdir() if any(path.rglob("*.py"))}
    assert rooms == {*ANALYSIS}
    assert [path.name for path in WORKFLOW.glob("*.py")] == []
    assert [path.name for path in (WORKFLOW / "analysis").glob("*.py")] == ["__init__.py"]


@pytest.mark.parametrize("room", MEASURING)
def test_nothing_that_measures_imports_upwards_or_the_analysis(room):
    allowed = set(MEASURING[: MEASURING.index(room) + 1])
    for path in files(WORKFLOW / room):
        used = rooms_of(path, (*MEASURING, "analysis"))
        assert used <= ALONE.get(room, allowed), path


@pytest.mark.parametrize("room", ANALYSIS)
def test_nothing_that_analyses_imports_upwards_or_what_measures(room):
    allowed = set(ANALYSIS[: ANALYSIS.index(room) + 1])
    for path in files(WORKFLOW / "analysis" / room):
        # a command stands above the rooms: it loads what topics register
        above = {"topics"} if path.name == "__main__.py" else set()
        assert rooms_of(path, ANALYSIS, "analysis.") <= allowed | above, path
        assert rooms_of(path, MEASURING) <= set(SHARED), path


def test_no_topic_imports_another():
    topics = {path.name for path in (WORKFLOW / "analysis/topics").iterdir() if path.is_dir()}
    for topic in topics - {"__pycache__"}:
        for path in files(WORKFLOW / "analysis/topics" / topic):
            others = rooms_of(path, tuple(topics - {topic}), "analysis.topics.")
            assert not others, path
