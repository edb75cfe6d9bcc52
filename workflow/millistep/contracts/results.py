"""Results besides records: self-test, machine, regression check, archive, and environment."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from millistep.contracts.base import ABSENT, Accelerator, Contract, Text, Workload
from millistep.contracts.record import Ending, Installation

Round = Annotated[str, Field(pattern="^[1-9][0-9]{0,5}$")]
ByRound = dict[Round, PositiveFloat]


class KnownStep(Contract):
    nominal_ms: PositiveFloat
    measured_ms: PositiveFloat
    """Geometric mean over the runs."""
    steps: PositiveInt
    runs_ms: list[PositiveFloat] = ABSENT
    """ms/step of each run, computed as for the table; absent in older files."""


class SameCell(Workload):
    column: Text
    a_ms: ByRound
    """ms/step by round, counted from 1."""
    b_ms: ByRound


class SelfTest(Contract):
    """Millistep self-test, version 1: timer calibration and A/A test."""

    schema_: Literal["millistep.self_test/1"] = Field(alias="schema")
    identity: str
    """Fingerprint: sorted-keys JSON of everything that defines these numbers."""
    started_at: str
    """UTC, ISO 8601."""
    status: Literal["ok", "unsupported", "oom", "timeout", "error", "killed", "invalid"]
    reason: str
    """Reason for the status in one line; empty only if the status is ok."""
    ending: Ending | None = None
    """How the last process ended; null if no process was started."""
    refused: str | None = None
    """Reason why no process was started, in one line."""
    known_steps: list[KnownStep]
    """Timer calibration: artificial steps of known duration, timed as every cell."""
    same_cell: SameCell | None
    """A/A test: one cell measured under two names; null if no cell was measured."""


class Fact(Contract):
    name: Text
    value: str | None
    """Text with its unit; null if the machine does not report the value."""


class Section(Contract):
    title: Text
    facts: list[Fact]


class Machine(Contract):
    """System description of a machine, without host name, user name, serial number and UUID."""

    schema_: Literal["millistep.machine/1"] = Field(alias="schema")
    ids: Annotated[dict[Accelerator, str], Field(min_length=1)]
    """Id of the machine by accelerator, equal to machine.id in the records."""
    collected_at: str
    """UTC, ISO 8601."""
    sections: list[Section]


class Comparison(Workload):
    base: str
    """Name of the base's configuration."""
    new: str
    """Name of the patch's configuration."""
    ratio: float | None
    """Time of the patch divided by the geometric mean of the two measurements of the base."""
    low: float | None
    """Lower end of its interval. The 95 % intervals of all workloads and looks hold together."""
    high: float | None
    null_ratio: float | None
    """The same for a second measurement of the base."""
    null_low: float | None
    null_high: float | None
    operations_base: float | None = None
    """Operations that a profiled step launches: base, its second measurement, patch."""
    operations_null: float | None = None
    operations_new: float | None = None
    calls_base: float | None = None
    """Python functions that a step calls: base, its second measurement, patch."""
    calls_null: float | None = None
    calls_new: float | None = None
    allocated_base: float | None = None
    """Bytes that a step allocates: base, its second measurement, patch."""
    allocated_null: float | None = None
    allocated_new: float | None = None
    rounds: NonNegativeInt
    verdict: Literal["faster", "slower", "tied", "inconclusive"]
    """Verdict on the patch, relative to the threshold."""
    smallest_shown: float | None
    """Smallest ratio that 80 % of such measurements would call slower."""
    work: str
    """same: losses or outputs of base and patch agree within rounding, and complete calls hide no
    work; not compared: a custom loop, a first run that failed, or a base with other numbers of
    outputs each time; otherwise the difference.
    """
    failure: str
    """What fails: the patch does not run or does other work, or neither side runs; empty if
    nothing fails.
    """
    missing: str
    """Reason for a missing ratio or verdict; empty if there are both."""


class Answer(Contract):
    """Result of a regression check, workload by workload."""

    schema_: Literal["millistep.answer/1"] = Field(alias="schema")
    status: Literal[0, 1, 3]
    """0: no workload is slower; 1: a workload is significantly slower, does not run with the patch,
    does not run on either side, or does not do the same work; 3: inconclusive.
    """
    decided: bool
    """True if no workload needs further rounds."""
    seconds_of_a_round: dict[str, NonNegativeFloat]
    """Seconds of one more round of each workload, by model/task/batch size."""
    rows: list[Comparison]


class Archive(Contract):
    """Millistep archive, version 1: the versions that rendered the results."""

    schema_: Literal["millistep.archive/1"] = Field(alias="schema")
    revision: str | None
    """Revision of the sources from git describe; null without git."""
    paths: Literal["replaced", "kept"]
    """Whether folders and names of the machine are replaced or kept in texts."""
    made_with: dict[str, str]
    """Versions of the software that determines the rendered results."""


class Environment(Installation):
    """Millistep environment, version 1: the packages found in the environment of a framework."""

    schema_: Literal["millistep.environment/1"] = Field(alias="schema")
    accelerator: Accelerator | None
    interpreter: str
    prefix: str
    below: str = ABSENT
    """Prefix of the environment below a package override; absent without an override."""
