"""Finds what computed in the traces (XPlane) that TensorFlow's and JAX' profilers write.

On a GPU these are the device's own kernels. On the host, XLA names the operation of each piece of a
program in ``hlo_op``, and TensorFlow's executor calls its kernels ``name:Type``; whatever else is
in a trace is dispatch and waiting.

An event of XLA's is the call of a piece, which hands parts of it to the threads of a pool and may
return before they are done. Each part is in the trace as a task. A piece's ``end:`` event may be
late: the thread that computes the last part first runs what had to wait for the piece.
"""

import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from millistep.measure.frameworks import Framework
from millistep.measure.operations import Span, fused_attention

OPERATION = "hlo_op"
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
FACTS = (OPERATION, NUMBER, OF_NUMBER)  # the facts of an event that are read
_NUMBERED = re.compile(r"(\.\d+|_\d+|\.clone|\.remat)+$")  # as `dot.12`, an instruction of XLA
_INSTANCE = re.compile(r"_\d+(?=_|$)")
_SOFTMAX = re.compile(r"attention.*/Softmax(_\d+)?$")
_WORD = re.compile(r"[A-Za-z_]\w*")
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
    """The trace does not show which operations compute."""


class Traced(Framework):
    """Mixin of the frameworks whose profilers write such traces."""

    start_trace: Callable[[str], None]  # takes the folder
    stop_trace: Callable[[], None]  # writes the trace
    events: Callable[[Path], Iterable[Event]]  # of the trace's file
    _folder: tempfile.TemporaryDirectory[str]

    def runs_programs(self) -> bool:
        """Return True if the steps are programs of XLA."""
        return True

    def begin_profile(self) -> None:
        # In a folder that goes with the run's, whatever ends it.
        where = os.environ.get("MILLISTEP_SCRATCH")
        self._folder = tempfile.TemporaryDirectory(prefix="trace-", dir=where)
        self.start_trace(self._folder.name)

    def end_profile(self) -> list[Span]:
        with self._folder as folder:
            self.stop_trace()
            path = next(Path(folder).rglob("*.xplane.pb"))
            _check_complete(path.read_bytes())
            events = list(self.events(path))
        spans = computing(events, self.runs_programs(), self.cell.accelerator)
        # On a processor a fused operation has no name of its own.
        if self.cell.accelerator == "cuda":
            self.attention_kernels = fused_attention(span.name for span in spans)
            self.launches_graphs = any(event.name.startswith(GRAPHS) for event in events)
        return spans


def computing(events: list[Event], compiled: bool, accelerator: str = "cpu") -> list[Span]:
    """Return the spans of the events that compute.

    Raises :class:`NoOperation` if a GPU computes and no event is of it, as where the driver allows
    no profiling: those of the host are dispatch. So, too, if the steps are programs of XLA
    (`compiled`) and no event on the host is of one: early releases record none there, and what is
    left in the trace is what surrounds the programs.
    """
    on_device = [e for e in events if e.plane.startswith("/device:GPU")]
    on_device = [e for e in on_device if e.line.startswith("Stream")]
    if on_device:
        return [_span(event, _NUMBERED.sub("", event.name)) for event in on_device]
    if accelerator == "cuda":
        raise NoOperation("no event of the device")
    if compiled and not any(OPERATION in event.facts for event in events):
        raise NoOperation("the profiler records no operation of XLA's programs")
    named = [(event, _name(event)) for event in events]
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
    """Yield the parts of pieces of XLA programs that the threads of pools compute.

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


def _name(event: Event) -> str:
    """Return the name of an event's operation on the host; empty if the event computes nothing."""
    if OPERATION in event.facts:
        name = _NUMBERED.sub("", event.name)
        return "" if name in LOOPS else name
    kernel = _KERNEL.fullmatch(event.name) if event.line.startswith("tf_") else None
    if kernel is None or _CALLS.fullmatch(kernel["type"]):  # those only call others
        return ""
    return with_place(kernel["type"], kernel["path"])


def with_place(operation: str, path: str) -> str:
    """Return an operation with its place: ``MatMul in query`` for ``bert/query_3/MatMul``.

    Numbers of layers are left out, so that all of a kind have one name. The subscripts of an einsum
    are no place. The softmax of an attention is one: XLA makes several operations of it.
    """
    parts = path.split("/")
    for part in reversed(parts if _SOFTMAX.search(path) else parts[:-1]):
        words = [] if "->" in part else _WORD.findall(part)
        place = _INSTANCE.sub("", words[-1]) if words else operation
        if place != operation:  # as in the gradients of TensorFlow's operations
            return f"{operation} in {place}"
    return operation


def _check_complete(trace: bytes) -> None:
    """Raise :class:`NoOperation` with the profiler's own message, if it reports that events are
    missing in the trace: an error, or a warning that some were dropped.
    """
    texts = list(_texts(trace))
    missing = [text for field, text in texts if field == ERRORS]
    missing += [text for field, text in texts if field == WARNINGS and "dropped" in text.lower()]
    if missing:
        raise NoOperation("; ".join(missing))


def _texts(trace: bytes) -> Iterator[tuple[int, str]]:
    """Yield the errors and warnings of a trace with the numbers of their fields.

    JAX reads its traces without them. All fields of an XSpace are messages or texts: a byte with
    the field's number, the length in groups of seven bits, and the content.
    """
    place = 0
    while place < len(trace):
        field, size, shift = trace[place] >> 3, 0, 0
        more = True
        while more:
            place += 1
            size |= (trace[place] & 0x7F) << shift
            shift, more = shift + 7, trace[place] & 0x80 > 0
        place += 1
        if field in (ERRORS, WARNINGS):
            yield field, trace[place : place + size].decode("utf-8", "replace")
        place += size
