"""Finds what computed in the traces (XPlane) that TensorFlow's and JAX' profilers write.

On a GPU these are the device's own kernels. On the host, XLA names the operation
of each piece of a program in ``hlo_op``, and TensorFlow's executor calls its
kernels ``name:Type``; whatever else is in a trace is dispatch and waiting.
"""

import re
import tempfile
import traceback
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from measure.frameworks import Cell, attention
from measure.frameworks.hlo import Program, programs, with_place, without_number
from measure.operations import Span

OPERATION = "hlo_op"
PROGRAM = ("program_id", "hlo_module_id")  # one of both
MODULE = "hlo_module"
ENDED = "end: "
# How events are named that launch a CUDA graph, or run what is one while nothing is profiled.
GRAPHS = ("cuGraphLaunch", "command_buffer")
LOOPS = {"while", "conditional"}  # the operations inside them are in the trace as well
FACTS = (OPERATION, MODULE, *PROGRAM)  # the facts of an event that are read
_KERNEL = re.compile(r"(?P<path>[^:\s]+):_?(?P<type>[A-Z]\w*)")
_CALLS = re.compile(r"PartitionedCall|StatefulPartitionedCall|XlaLaunch|_XlaRun|While|If|Case")


class Event(NamedTuple):
    """An event as the trace has it, with only those facts that FACTS names."""

    plane: str
    line: str
    name: str
    start_ns: float
    duration_ns: float
    facts: dict[str, Any]


class NoOperation(RuntimeError):
    """The trace does not tell what computes."""


class Trace:
    """A profile of this process in a temporary folder."""

    def __init__(
        self,
        start: Callable[[str], object],
        stop: Callable[[], object],
        read: Callable[[Path], Iterable[Event]],
        compiled: bool,
    ) -> None:
        """start: takes the folder. stop: writes the trace. read: gives the events of its file.

        compiled: the steps are programs of XLA.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="millistep-trace-")
        self._stop, self._read, self._compiled = stop, read, compiled
        self.graphs = False  # True once it has seen that CUDA graphs are launched
        start(self._folder.name)

    def end(self) -> list[Span]:
        """Stop the profile and return every piece of computation; raises :class:`NoOperation`."""
        self._stop()
        with self._folder:
            path = next(Path(self._folder.name).rglob("*.xplane.pb"))
            events = list(self._read(path))
            self.graphs = any(event.name.startswith(GRAPHS) for event in events)
            return computing(events, _programs(path), self._compiled)


class Traced:
    """Mixin of the frameworks whose profiles are such traces."""

    cell: Cell
    _trace: Trace

    def end_profile(self) -> list[Span]:
        spans = self._trace.end()
        # On a processor a fused operation has no name of its own.
        if self.cell.accelerator == "cuda":
            self.attention_kernels = attention.fused(span.name for span in spans)
            self.launches_graphs = self._trace.graphs
        return spans


def computing(events: list[Event], known: dict[int, Program], compiled: bool) -> list[Span]:
    """The spans of the events that compute; `known` are the programs that they may be of, by id.

    Raises :class:`NoOperation` if the steps are programs of XLA (`compiled`) and no event on the
    host is of one: early releases record none there, and what is left in the trace is what
    surrounds the programs.
    """
    on_device = [e for e in events if e.plane.startswith("/device:GPU")]
    on_device = [e for e in on_device if e.line.startswith("Stream")]
    if on_device:
        return [_span(event, _operation(event, known)) for event in on_device]
    if compiled and not any(OPERATION in event.facts for event in events):
        raise NoOperation("the profiler records no operation of XLA's programs")
    ends = _Ends(events)
    named = [(event, _on_the_host(event, known)) for event in events]
    return [_span(event, name, ends.of(event)) for event, name in named if name]


def _span(event: Event, name: str, later_ns: float = 0.0) -> Span:
    """later_ns: when the last part of the operation ended, on whichever thread."""
    end_ns, lane = event.start_ns + event.duration_ns, (event.plane, event.line)
    if later_ns > end_ns:
        # A lane of its own, beside what its thread does meanwhile.
        return Span(event.start_ns, later_ns, name, (*lane, "on other threads"))
    return Span(event.start_ns, end_ns, name, lane)


class _Ends:
    """When operations of XLA's programs ended on the host: their calls return while other threads
    still compute parts of them, and another event says when the last one is done.
    """

    def __init__(self, events: list[Event]) -> None:
        self._starts: dict[str, list[float]] = defaultdict(list)
        self._ends: dict[str, list[float]] = defaultdict(list)
        for event in sorted(events, key=lambda event: event.start_ns):
            if event.name.startswith(ENDED):
                self._ends[event.name.removeprefix(ENDED)].append(event.start_ns)
            elif OPERATION in event.facts:
                self._starts[event.name].append(event.start_ns)

    def of(self, event: Event) -> float:
        """End of an operation in ns, before it starts again; 0 if no event tells."""
        if OPERATION not in event.facts:
            return 0.0
        ends, starts = self._ends[event.name], self._starts[event.name]
        place = bisect_left(ends, event.start_ns)
        again = bisect_right(starts, event.start_ns)
        if place == len(ends) or (again < len(starts) and ends[place] > starts[again]):
            return 0.0
        return ends[place]


def _on_the_host(event: Event, known: dict[int, Program]) -> str:
    """The name of an event's operation; empty if the event computes nothing."""
    if OPERATION in event.facts:
        holds = without_number(event.name) in LOOPS
        return "" if holds or event.name.startswith(ENDED) else _operation(event, known)
    kernel = _KERNEL.fullmatch(event.name) if event.line.startswith("tf_") else None
    if kernel is None or _CALLS.fullmatch(kernel["type"]):
        return ""
    return with_place(kernel["type"], kernel["path"])


def _operation(event: Event, known: dict[int, Program]) -> str:
    """The name of a piece of an XLA program, or of another kernel on a device."""
    if OPERATION not in event.facts:
        return without_number(event.name)
    instruction = str(event.facts[OPERATION])
    program = _program(event, instruction, known)
    return program.described(instruction, event.name) if program else without_number(event.name)


def _program(event: Event, instruction: str, known: dict[int, Program]) -> Program | None:
    """The program that an instruction is of, or the event's kernel; None if the trace has none.

    The events of a program that JAX read from disk have the id that it had in the process that
    compiled it, and here it has another one. Both make their programs in the same order: among
    those of its name it has the nearest id.
    """
    number = next((int(event.facts[name]) % 2**64 for name in PROGRAM if name in event.facts), None)
    if number is None:
        return None
    if MODULE not in event.facts:
        return known.get(number)
    of_name = {id: of for id, of in known.items() if of.name == event.facts[MODULE]}
    named = [id for id, of in of_name.items() if of.has(instruction) or of.runs(event.name)]
    return known[min(named, key=lambda id: abs(id - number))] if named else None


def _programs(path: Path) -> dict[int, Program]:
    """The programs of a trace; if they cannot be read, events keep their plain names."""
    try:
        return programs(path.read_bytes())
    except ValueError:
        traceback.print_exc()
        return {}
