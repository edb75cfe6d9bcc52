"""The plan: every cell and run that the configuration asked for, in table order."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from analysis.formats.errors import InputError
from analysis.formats.strict_json import read_json, validate
from analysis.formats.text import count
from analysis.results.structure import build
from contract.settings import said

RowKey = tuple[str, str, int]
OLDER = [f"millistep.plan/{version}" for version in (1, 2, 3)]  # measured in other units


@dataclass(frozen=True)
class Row:
    """A row of the table: model x task x batch size."""

    model: str
    task: str
    batch_size: int
    title: str
    published_batch_size: int | None
    label: str  # the title, with the batch size where another row has the same title
    measures: dict[str, str] = field(default_factory=dict, hash=False)  # what it measures, in words

    @property
    def key(self) -> RowKey:
        return (self.model, self.task, self.batch_size)

    @property
    def heading(self) -> str:
        """The title with the batch size, which no other row has."""
        return f"{self.title}, batch {self.batch_size}"


@dataclass(frozen=True)
class Column:
    """A column of the table: a framework with settings, and how both are drawn."""

    name: str
    title: str
    family: str  # keras2, keras3, pytorch, or a framework's own
    framework: str
    # Not known of a published column:
    settings: dict[str, Any] = field(default_factory=dict, hash=False)
    asked: dict[str, Any] = field(default_factory=dict, hash=False)  # of these, in its own words
    against: dict[str, str] = field(default_factory=dict, hash=False)  # question by framework
    colour: str = "#56b4e9"
    marker: str = "X"
    hatch: str = "++"

    @property
    def plain(self) -> bool:
        """True if it is a framework without settings of its own. Findings, claims, speed-ups and
        the comparison with the published numbers are about these; one with settings answers another
        question, what they change.
        """
        return self.name == self.framework

    @property
    def framework_title(self) -> str:
        """Its title without the settings that it names."""
        named = [
            self.settings[name] if name == "overlay" else [said(name, value)["title"]]
            for name, value in self.asked.items()
        ]
        return self.title.removesuffix("".join(f", {text}" for texts in named for text in texts))

    @property
    def alone(self) -> bool:
        """True if it is operations on the processor without a framework: these have no weights, no
        arithmetic that a peak is about, and no other device.
        """
        return self.family == "host"

    @property
    def accelerator(self) -> str | None:
        """The accelerator, cpu or cuda; None for a published column."""
        return self.settings.get("accelerator")

    @property
    def stack(self) -> str | None:
        """Its dated set of library versions; None for a published column."""
        return self.settings.get("stack")

    @property
    def bare(self) -> bool:
        """True if it is a framework without settings of its own but its stack."""
        return self.name in (self.framework, f"{self.framework}+{self.stack}")


@dataclass(frozen=True)
class PlannedRun:
    """One process that is to measure one cell; `position` is its place in the schedule, from 0."""

    run: int
    position: int
    record: str
    identity: str


@dataclass(frozen=True)
class PlannedCell:
    """A cell; `unsupported` is the reason why it cannot run, None when it is measured."""

    unsupported: str | None
    runs: tuple[PlannedRun, ...]


@dataclass(frozen=True)
class PlannedBlock:
    """All columns of a row in one round; `path` is the file that says where they were measured."""

    row: RowKey
    round: int
    path: str


@dataclass(frozen=True)
class Model:
    """A model at the scale of this plan."""

    title: str
    citation: str
    preset: str
    architecture: dict[str, Any]
    variant_of: str | None = None  # the model of which it is a variant in other sizes
    full_size: bool = False  # the paper's sizes although the scale is another


@dataclass(frozen=True)
class Plan:
    """The plan: what was to be measured."""

    study: dict[str, str] | None  # name, title and question
    results: str  # folder
    scale: str
    scale_reason: str
    accelerator: str
    weights: str
    seed: int
    runs: int  # of the row that has most: the number of rounds
    precision: str
    blocks: tuple[PlannedBlock, ...]
    self_test: str
    models: dict[str, Model]
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    cells: dict[tuple[RowKey, str], PlannedCell]
    training: dict[str, Any] | None = None  # data, epochs and target accuracy, where asked for
    # Keys of the configuration that nothing else here tells, as it has them.
    further: dict[str, Any] = field(default_factory=dict)
    steps: dict[str, float] | None = None  # how many are timed; older plans do not tell

    @property
    def reduced(self) -> bool:
        """True if some model is smaller than the paper's."""
        return self.scale != "paper" and not all(m.full_size for m in self.models.values())

    @property
    def cited(self) -> dict[str, list[Model]]:
        """The models of each citation, which a model shares with its variants; "none" of those that
        have none.
        """
        found: dict[str, list[Model]] = {}
        for model in self.models.values():
            found.setdefault(model.citation, []).append(model)
        return found

    def named(self, model: Model) -> str:
        """The title of a model, with its preset where it has that one's weights or size."""
        if model.preset == "none":
            return model.title
        if self.weights == "preset" or self.scale == "paper" or model.full_size:
            return f"{model.title}, preset {model.preset}"
        return f"a reduced {model.title}"

    @property
    def without_models(self) -> bool:
        """True if all columns are operations without a framework."""
        return all(column.alone for column in self.columns)

    def machine_card(self, node: str) -> str:
        """The file of the card of a node."""
        return f"{self.results}/machines/{node}.json"

    def cell(self, row: Row, column: Column) -> PlannedCell:
        """A cell as it is planned; without runs where the plan does not hold it."""
        return self.cells.get((row.key, column.name), PlannedCell(None, ()))

    @property
    def runs_by_row(self) -> dict[RowKey, int]:
        """The number of runs that the cells of each row have; 0 if a row cannot be measured."""
        found = {row.key: 0 for row in self.rows}
        for (row, _), cell in self.cells.items():
            found[row] = max(found[row], len(cell.runs))
        return found

    @property
    def runs_per_cell(self) -> str:
        """'3 runs per cell', or where rows have other numbers '1 to 5 runs per cell'."""
        fewest = min(filter(None, self.runs_by_row.values()), default=self.runs)
        start = f"{fewest} to " if fewest < self.runs else ""
        return f"{start}{count(self.runs, 'run')} per cell"

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Plan:
        """Build a plan from data that already passed the schema."""
        titles = [row["title"] for row in data["rows"]]
        parts = {
            "blocks": [{**block, "row": _row_key(block)} for block in data["blocks"]],
            "rows": [{**row, "label": _label(row, titles)} for row in data["rows"]],
            "cells": {_cell_key(cell): _in_order(cell) for cell in data["cells"]},
        }
        return build(cls, {**data, **parts})


def _label(row: dict[str, Any], titles: list[str]) -> str:
    alone = titles.count(row["title"]) == 1
    return row["title"] if alone else f"{row['title']} (batch {row['batch_size']})"


def _row_key(entry: dict[str, Any]) -> RowKey:
    return entry["model"], entry["task"], entry["batch_size"]


def _cell_key(cell: dict[str, Any]) -> tuple[RowKey, str]:
    return _row_key(cell), cell["column"]


def _in_order(cell: dict[str, Any]) -> dict[str, Any]:
    runs = [{**run, "identity": sys.intern(run["identity"])} for run in cell["runs"]]
    return {**cell, "runs": sorted(runs, key=lambda run: run["run"])}


def load_plan(path: Path) -> Plan:
    """Read and check a plan; a plan that contradicts itself is refused, because its table would
    lie.
    """
    shown = str(path)
    data = read_json(path, shown)
    if isinstance(data, dict) and data.get("schema") in OLDER:
        raise InputError(
            f"{shown}: made by an older revision ({data['schema']}); draw it with the sources of "
            "that revision, or measure again"
        )
    validate(data, "plan", shown)
    problems = _contradictions(data)
    if problems:
        raise InputError(f"{shown}: {problem}" for problem in problems)
    return Plan.from_json(data)


def _contradictions(data: dict[str, Any]) -> list[str]:
    named = {
        "rows": [_row_key(row) for row in data["rows"]],
        "columns": [column["name"] for column in data["columns"]],
        "cells": [_cell_key(cell) for cell in data["cells"]],
        "records": [run["record"] for cell in data["cells"] for run in cell["runs"]],
        "blocks": [block["path"] for block in data["blocks"]],
    }
    known = {*product(named["rows"], named["columns"])}
    return [
        *(
            f"/{name}: {item!r} stands there twice"
            for name, items in named.items()
            for item, times in Counter(items).items()
            if times > 1
        ),
        *(
            f"/cells: {row!r} on {column!r} is no row and framework of this plan"
            for row, column in named["cells"]
            if (row, column) not in known
        ),
        *(
            f"/models: {model!r} is missing, a row needs it"
            for model, _, _ in named["rows"]
            if model not in data["models"]
        ),
    ]
