"""Published numbers, as data with their labels (reference/)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.formats.errors import InputError
from analysis.results.plan import Column, Row

if TYPE_CHECKING:
    from pandas import DataFrame

REFERENCE = Path(__file__).resolve().parents[3] / "reference"

CellKey = tuple[str, str, int, str]
TABLE = ["revision", "model", "task", "batch_size", "framework", "ms_per_step"]
TRAININGS = {
    **{"model": str, "task": str, "batch_size": int, "device": str, "epochs": int},
    **{"total_s": float, "steps_per_epoch": int, "ms_per_step_low": float},
    **{"ms_per_step_high": float, "accuracy": float, "validation_accuracy": float},
}


@dataclass(frozen=True)
class PublishedModel:
    """A model of the page: its title here, and the dtype that the page gives."""

    title: str
    dtype: str


@dataclass(frozen=True)
class Conditions:
    """The conditions of the page's columns: when it was published, our stack of its versions, these
    by column and library, execution mode by column and, where it differs, by (column, model, task),
    precision of float32 products by (column, model) where its script set one.
    """

    published: str
    stack: str
    scale: str
    weights: str
    precision: str
    versions: dict[str, dict[str, str]]
    also_called: dict[str, str]
    execution: dict[str, str]
    exceptions: dict[tuple[str, str, str], str]
    products: dict[tuple[str, str], str]

    def execution_of(self, framework: str, row: Row) -> str | None:
        """Execution mode of a column in a row; None for a column that the page does not have."""
        usual = self.execution.get(framework)
        return self.exceptions.get((framework, row.model, row.task), usual)


@dataclass(frozen=True, eq=False)
class PublishedDevices:
    """A source that compares a processor and a GPU of one machine, in one framework.

    `trainings` has a line per training to its end, with TRAININGS: on a device (cpu, cuda) from
    `ms_per_step_low` to `ms_per_step_high`, `total_s` with the validation of every epoch.
    """

    title: str
    url: str | None
    framework: str
    hardware: dict[str, str]  # by device
    software: str
    versions: dict[str, str]  # by package
    parameters: dict[str, int]  # by model
    method: str
    trainings: DataFrame


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
    models: dict[str, PublishedModel]
    columns: dict[str, Column]
    conditions: Conditions
    step_ms: dict[str, dict[CellKey, float | None]]
    devices: PublishedDevices

    def beside(self, columns: Iterable[Column]) -> tuple[Column, ...]:
        """The columns that stand beside the published ones: frameworks on the page's own versions
        where any is, else frameworks without settings of their own.
        """
        columns = tuple(columns)
        own = [column for column in columns if column.bare and column.stack == self.stack]
        return tuple(own) or tuple(column for column in columns if column.plain)

    @property
    def stack(self) -> str:
        """Our stack of the page's versions."""
        return self.conditions.stack

    def published_ms(self, row: Row, column: Column) -> float | None:
        """The published ms/step of our cell, at the published batch size; None where the page has
        none, and for a column with other settings of its own than the stack of the page's versions.
        """
        known = column.plain or (column.bare and column.stack == self.stack)
        if row.published_batch_size is None or not known or column.family not in self.compared:
            return None
        key = (row.model, row.task, row.published_batch_size, column.framework)
        return self.step_ms[self.compared[column.family]].get(key)

    def fastest(self, row: Row, columns: tuple[Column, ...], family: str) -> float | None:
        """The lowest published ms/step of a row in a family."""
        found = [self.published_ms(row, column) for column in columns if column.family == family]
        return min((value for value in found if value is not None), default=None)


def load_reference(folder: Path = REFERENCE) -> Reference:
    """Read sources.yaml and the tables that it names."""
    import yaml

    path = folder / "sources.yaml"
    try:
        sources = yaml.safe_load(path.read_text(encoding="utf-8"))
        revisions = {name: entry["title"] for name, entry in sources["revisions"].items()}
        labels = {
            name: sources[name]
            for name in ("hardware", "hardware_short", "software", "method", "compared")
        }
        return Reference(
            title=sources["page"]["title"],
            url=sources["page"]["url"],
            revisions=revisions,
            models={name: PublishedModel(**entry) for name, entry in sources["models"].items()},
            columns={
                name: Column(name, framework=name, **entry)
                for name, entry in sources["frameworks"].items()
            },
            conditions=_load_conditions(sources["conditions"]),
            step_ms=_load_table(folder / sources["table"], revisions),
            devices=_load_devices(folder, sources["devices"]),
            **labels,
        )
    except (KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None


def _load_conditions(data: dict[str, Any]) -> Conditions:
    exceptions = {
        (entry["framework"], entry["model"], entry["task"]): entry["execution"]
        for entry in data["exceptions"]
    }
    products = {(of["framework"], of["model"]): of["precision"] for of in data["products"]}
    published = str(data["published"])
    read = {"published": published, "exceptions": exceptions, "products": products}
    return Conditions(**{**data, **read})


def _load_table(path: Path, revisions: dict[str, str]) -> dict[str, dict[CellKey, float | None]]:
    from pandas import isna, read_csv  # here, because importing it takes longer than most commands

    cells: dict[str, dict[CellKey, float | None]] = {name: {} for name in revisions}
    for revision, *key, step_ms in read_csv(path)[TABLE].itertuples(index=False):
        cells[revision][tuple(key)] = None if isna(step_ms) else float(step_ms)
    return cells


def _load_devices(folder: Path, entry: dict[str, Any]) -> PublishedDevices:
    """Read the table that an entry of sources.yaml names, with its labels."""
    from pandas import read_csv

    trainings = read_csv(folder / entry["table"], usecols=list(TRAININGS), dtype=TRAININGS)
    labels = {name: value for name, value in entry.items() if name != "table"}
    return PublishedDevices(**labels, trainings=trainings)
