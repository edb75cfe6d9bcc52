"""Published numbers, as data with their labels (reference/)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.errors import InputError
from analysis.plan import Framework, Row

REFERENCE = Path(__file__).resolve().parents[2] / "reference"

CellKey = tuple[str, str, int, str]


@dataclass(frozen=True)
class Reference:
    """The published table: ms/step by revision and cell, None where the page prints NA."""

    title: str
    url: str
    hardware: str
    hardware_short: str
    software: str
    method: str
    revisions: dict[str, str]
    compared: dict[str, str]
    step_ms: dict[str, dict[CellKey, float | None]]

    def beside(self, row: Row, framework: Framework) -> float | None:
        """The published ms/step beside our cell, at the published batch size; None without one."""
        if row.published_batch_size is None or framework.family not in self.compared:
            return None
        key = (row.model, row.task, row.published_batch_size, framework.name)
        return self.step_ms[self.compared[framework.family]].get(key)

    def fastest(self, row: Row, frameworks: tuple[Framework, ...], *families: str) -> float | None:
        """The lowest published ms/step of a row among these families."""
        columns = [framework for framework in frameworks if framework.family in families]
        found = [self.beside(row, framework) for framework in columns]
        return min((value for value in found if value is not None), default=None)


def load_reference(folder: Path = REFERENCE) -> Reference:
    """Read sources.yaml and the table that it names."""
    import yaml

    path = folder / "sources.yaml"
    try:
        sources = yaml.safe_load(path.read_text(encoding="utf-8"))
        revisions = {name: entry["title"] for name, entry in sources["revisions"].items()}
        labels = {
            name: sources[name]
            for name in ("hardware", "hardware_short", "software", "method", "compared")
        }
        page, table = sources["page"], folder / sources["table"]
        step_ms = _load_table(table, revisions)
    except (KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
    return Reference(
        title=page["title"], url=page["url"], revisions=revisions, step_ms=step_ms, **labels
    )


def _load_table(path: Path, revisions: dict[str, str]) -> dict[str, dict[CellKey, float | None]]:
    cells: dict[str, dict[CellKey, float | None]] = {name: {} for name in revisions}
    with path.open(encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            cells[line["revision"]][_cell_key(line)] = (
                float(line["ms_per_step"]) if line["ms_per_step"] else None
            )
    return cells


def _cell_key(line: dict[str, Any]) -> CellKey:
    return line["model"], line["task"], int(line["batch_size"]), line["framework"]
