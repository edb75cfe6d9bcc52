"""Finds what computed in the traces (XPlane) that TensorFlow's and JAX' profilers write.

On a GPU these are the device's own kernels. On the host, XLA names the operation
of each piece of a program in ``hlo_op``, and TensorFlow's executor calls its
kernels ``name:Type``; whatever else is in a trace is dispatch and waiting.

An event of XLA's is the call of a piece, which hands parts of it to the threads of a pool and may
return before they are done. Each part is in the trace as a task. A piece's ``end:`` event may be
late: the thread that computes the last part first runs what had to wait for the piece.
"""

import os
import re
import tempfile
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from measure.frameworks import Cell, attention
from measure.frameworks.hlo import Program, programs, with_place, without_number
from measure.frameworks.protobuf import parts
from measure.operations import Span

OPERATION = "hlo_op"
PROGRAM = ("program_id", "hlo_module_id")  # one of both
MODULE = "hlo_module"
ENDED = "end: "
# A task of a pool: one thread hands it on, another one starts and stops it.
HANDED_ON, STARTS, STOPS = (
    f"ThreadpoolListener::{what}" for what in ("Record", "StartRegion", "StopRegion")
)
# Numbers of tasks and of calls: in the event that hands on or calls, and in those that follow it.
NUMBER, OF_NUMBER = "_p", "_c"
# How events are named that launch a CUDA graph, or run what is one while nothing is profiled.
GRAPHS = ("cuGraphLaunch", "command_buffer")
LOOPS = {"while", "conditional"}  # the operations inside them are in the trace as well
ERRORS, WARNINGS = 2, 3  # fields of an XSpace, in tsl/profiler/protobuf/xplane.proto
FACTS = (OPERATION, MODULE, *PROGRAM, NUMBER, OF_NUMBER)  # the facts of an event that are read
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
    """A profile of this process, in a folder that goes with the run's, whatever ends it."""

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
        where = os.environ.get("MILLISTEP_SCRATCH")
        self._folder = tempfile.TemporaryDirectory(prefix="trace-", dir=where)
        self._stop, self._read, self._compiled = stop, read, compiled
        self.graphs = False  # True once it has seen that CUDA graphs are launched
        start(self._folder.name)

    def end(self, accelerator: str) -> list[Span]:
        """Stop the profile and return every piece of computation; raises :class:`NoOperation`."""
        with self._folder:
            self._stop()
            path = next(Path(self._folder.name).rglob("*.xplane.pb"))
            trace = path.read_bytes()
            _check_complete(trace)
            events = list(self._read(path))
            self.graphs = any(event.name.startswith(GRAPHS) for event in events)
            return computing(events, _programs(trace), self._compiled, accelerator)


class Traced:
    """Mixin of the frameworks whose profiles are such traces."""

    cell: Cell
    _trace: Trace

    def end_profile(self) -> list[Span]:
        spans = self._trace.end(self.cell.accelerator)
        # On a processor a fused operation has no name of its own.
        if self.cell.accelerator == "cuda":
            self.attention_kernels = attention.fused(span.name for span in spans)
            self.launches_graphs = self._trace.graphs
        return spans


def computing(
    events: list[Event], known: dict[int, Program], compiled: bool, accelerator: str = "cpu"
) -> list[Span]:
    """The spans of the events that compute; `known` are the programs that they may be of, by id.

    Raises :class:`NoOperation` if a GPU computes and no event is of it, as where the driver allows
    no profiling: those of the host are dispatch. So, too, if the steps are programs of XLA
    (`compiled`) and no event on the host is of one: early releases record none there, and what is
    left in the trace is what surrounds the programs.
    """
    on_device = [e for e in events if e.plane.startswith("/device:GPU")]
    on_device = [e for e in on_device if e.line.startswith("Stream")]
    names = _Names(known)
    if on_device:
        return [_span(event, names.on_device(event)) for event in on_device]
    if accelerator == "cuda":
        raise NoOperation("no event of the device")
    if compiled and not any(OPERATION in event.facts for event in events):
        raise NoOperation("the profiler records no operation of XLA's programs")
    named = [(event, names.on_the_host(event)) for event in events]
    return [*(_span(event, name) for event, name in named if name), *_parts(named)]


def _span(event: Event, name: str) -> Span:
    end_ns = event.start_ns + event.duration_ns
    return Span(event.start_ns, end_ns, name, (event.plane, event.line))


class _Call(NamedTuple):
    """A call of a piece of an XLA program: when it returns, and by when the piece is done."""

    name: str
    returns_ns: float
    done_ns: float


class _Thread:
    """What a thread is at: calls, the innermost one last, or since `since_ns` a part of a piece."""

    def __init__(self) -> None:
        self.calls: list[_Call] = []
        self.part: _Call | None = None
        self.since_ns = 0.0

    def at(self, now_ns: float) -> _Call | None:
        while self.calls and self.calls[-1].returns_ns <= now_ns:
            self.calls.pop()
        return self.calls[-1] if self.calls else self.part


def _parts(named: list[tuple[Event, str]]) -> Iterator[Span]:
    """The parts of pieces of XLA programs that the threads of pools compute.

    named: all events, each with the name of its operation, if it has one. A task is a part of what
    the thread is at that hands it on, until it stops or calls what comes next. Once the piece is
    done, a task that still runs helps others.
    """
    ends = [event for event, _ in named if event.name.startswith(ENDED)]
    done = {event.facts[OF_NUMBER]: event.start_ns for event in ends if OF_NUMBER in event.facts}
    threads: dict[tuple[str, str], _Thread] = defaultdict(_Thread)
    tasks: dict[int, _Call | None] = {}
    for event, name in sorted(named, key=lambda found: found[0].start_ns):
        thread, now_ns = threads[event.plane, event.line], event.start_ns
        if event.name == HANDED_ON:
            tasks[event.facts[NUMBER]] = thread.at(now_ns)
        elif event.name == STARTS:
            thread.part, thread.since_ns = tasks.get(event.facts[OF_NUMBER]), now_ns
        elif event.name == STOPS or OPERATION in event.facts:
            part, thread.part = thread.part, None
            if part and part.name and thread.since_ns < part.done_ns:
                end_ns = min(now_ns, part.done_ns)
                yield Span(thread.since_ns, end_ns, part.name, (event.plane, event.line), part=True)
        if OPERATION in event.facts:
            by_ns = done.get(event.facts.get(NUMBER), float("inf"))
            thread.calls.append(_Call(name, now_ns + event.duration_ns, by_ns))


class _Names:
    """Names what events of a trace compute; what is run again and again is looked up once."""

    def __init__(self, known: dict[int, Program]) -> None:
        self._known = known
        self._found: dict[tuple, str] = {}

    def on_device(self, event: Event) -> str:
        """The name of an operation, or of another kernel on a device."""
        return self._once(event, self._operation)

    def on_the_host(self, event: Event) -> str:
        """The name of an event's operation; empty if the event computes nothing."""
        if OPERATION in event.facts:
            return self._once(event, self._piece)
        return self._once(event, _kernel) if event.line.startswith("tf_") else ""

    def _once(self, event: Event, name: Callable[[Event], str]) -> str:
        key = (event.name, *map(event.facts.get, (OPERATION, MODULE, *PROGRAM)))
        if key not in self._found:
            self._found[key] = name(event)
        return self._found[key]

    def _piece(self, event: Event) -> str:
        return "" if without_number(event.name) in LOOPS else self._operation(event)

    def _operation(self, event: Event) -> str:
        if OPERATION not in event.facts:
            return without_number(event.name)
        instruction = str(event.facts[OPERATION])
        program = self._program(event, instruction)
        if program is None:
            return without_number(event.name)
        return program.described(instruction, event.name)

    def _program(self, event: Event, instruction: str) -> Program | None:
        """The program that an instruction is of, or the event's kernel; None if the trace has none.

        The events of a program that JAX read from disk have the id that it had in the process that
        compiled it, and here it has another one. Both make their programs in the same order: among
        those of its name it has the nearest id.
        """
        ids = (event.facts[name] for name in PROGRAM if name in event.facts)
        number = next((int(id) % 2**64 for id in ids), None)
        if number is None:
            return None
        if MODULE not in event.facts:
            return self._known.get(number)
        of_name = {id: of for id, of in self._known.items() if of.name == event.facts[MODULE]}
        named = [id for id, of in of_name.items() if of.has(instruction) or of.runs(event.name)]
        return self._known[min(named, key=lambda id: abs(id - number))] if named else None


def _kernel(event: Event) -> str:
    """The name of a kernel of TensorFlow's executor; empty for what only calls others."""
    kernel = _KERNEL.fullmatch(event.name)
    if kernel is None or _CALLS.fullmatch(kernel["type"]):
        return ""
    return with_place(kernel["type"], kernel["path"])


def _check_complete(trace: bytes) -> None:
    """Raise :class:`NoOperation` with the profiler's own words, if it says that events are missing
    in the trace: an error, or a warning that some were dropped.
    """
    errors, warnings = (
        [bytes(words).decode("utf-8", "replace") for words in parts(memoryview(trace), number)]
        for number in (ERRORS, WARNINGS)
    )
    if missing := [*errors, *(words for words in warnings if "dropped" in words.lower())]:
        raise NoOperation("; ".join(missing))


def _programs(trace: bytes) -> dict[int, Program]:
    """The programs of a trace; if they cannot be read, events keep their plain names."""
    try:
        return programs(trace)
    except ValueError:
        traceback.print_exc()
        return {}
