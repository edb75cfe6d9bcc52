"""The plan as a file: every cell and run of the configuration, with the texts of the table."""

from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from millistep.contracts.base import ABSENT, Accelerator, Contract, Precision, Scale, Workload
from millistep.contracts.config import Study


class Further(Contract):
    """Configured values of keys without a field of their own in the plan; defaults are absent."""

    device: int | str = ABSENT
    limits: dict[str, Any] = ABSENT
    folders: list[str] = ABSENT
    unsupported: list[dict[str, Any]] = ABSENT
    environment: dict[str, Any] = ABSENT
    interpreters: dict[str, Any] = ABSENT


class Reference(Workload):
    round: PositiveInt
    path: str


class PlannedModel(Contract):
    title: str
    citation: str
    preset: str
    architecture: dict[str, Any]
    variant_of: str = ABSENT
    """Model of which this one is a variant; absent if it is no variant."""
    full_size: Literal[True] = ABSENT
    """True if the model has its `paper` sizes at another scale; otherwise absent."""


class Row(Workload):
    title: str
    looks: NonNegativeInt
    """With `runs: auto`, the checks so far whether the workload is decided, with this one; or 0."""
    measures: dict[str, str] = ABSENT
    """Texts: short (below the name), step, network, inputs, trained, optimizer, loss, and sizes."""


class Column(Contract):
    name: Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9._+!-]*$")]
    """Name in paths: the framework, and the settings that differ from its defaults."""
    title: str
    framework: str
    family: str
    """keras2, keras3, pytorch or a custom family, in which configurations compete."""
    settings: dict[str, Any]
    """All settings of the configuration, including defaults."""
    asked: dict[str, Any] = ABSENT
    """Requested settings that differ from the defaults, as written in the configuration."""
    against: dict[str, str]
    """Frameworks that differ in one property, with the question that the comparison answers."""
    color: Annotated[str, Field(pattern="^#[0-9a-f]{6}$")]
    marker: Annotated[str, Field(max_length=1)]


class Run(Contract):
    run: PositiveInt
    position: NonNegativeInt
    """Position in the schedule of all runs, from 0."""
    record: str
    """Path of the record, relative to the project."""
    identity: str


class Cell(Workload):
    column: str
    unsupported: str | None
    """Reason why this cell is not measured; null if it is measured."""
    runs: list[Run]
    """Runs of the cell; empty for an unsupported cell."""


class Plan(Contract):
    """Millistep plan: every cell and run of the configuration, with the texts of the table."""

    schema_: Literal["millistep.plan/1"] = Field(alias="schema")
    study: Study | None
    """Study of the configuration; null for the table of the published benchmark."""
    results: Annotated[str, Field(pattern="^results(/studies/[a-z][a-z0-9_]*)?$")]
    """Folder of all files that belong to this plan."""
    scale: Scale
    scale_reason: str
    """One sentence: the scale was requested, or why auto chose it."""
    accelerator: Accelerator
    weights: Literal["random", "preset"]
    seed: int
    runs: PositiveInt
    """Number of rounds: the largest number of runs per cell of any workload."""
    precision: Precision
    """Precision of float32 products: each framework's own, or one forced in all frameworks."""
    further: Further = ABSENT
    """Absent if all these keys have their defaults."""
    references: list[Reference]
    """Measurements of the reference workload, one per workload, round and accelerator."""
    self_test: str
    """Path of the results of the self-test."""
    models: dict[str, PlannedModel]
    """Title, citation and architecture at this scale, by model name."""
    rows: list[Row]
    """Workloads, in the order of the table's rows."""
    columns: list[Column]
    """Configurations, in the order of the table's columns."""
    cells: list[Cell]
