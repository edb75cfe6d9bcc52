"""Finds what computed among the events of PyTorch's profiler.

The profiler sees a compiled graph as one operation. Its C++ kernels are called through Python, so
each can be announced while a profile is taken; what was timed is not changed.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from millistep.measure.operations import NAME_CHARACTERS, Span

PREFIX = "cpp_"


@contextmanager
def announced(torch: Any) -> Iterator[None]:
    """While this is open, a profile names the kernels; afterwards they are as before."""
    record = torch._C._profiler._RecordFunctionFast
    cache = sys.modules.get("torch._inductor.codecache")
    generated = list(getattr(getattr(cache, "PyCodeCache", None), "modules", ()))
    found = [
        (module, name, kernel)
        for module in generated
        for name, kernel in list(vars(module).items())
        if name.startswith(PREFIX) and callable(kernel)
    ]
    try:
        for module, name, kernel in found:
            setattr(module, name, _announcing(record, name, kernel))
        yield
    finally:
        for module, name, kernel in found:
            setattr(module, name, kernel)


def _announcing(record: Any, name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    def announce(*arguments: Any) -> Any:
        with record(name):
            return kernel(*arguments)

    return announce


GRAPH = "CompiledFxGraph"
# On the host: operations of ATen and its libraries, and kernels that inductor made.
COMPUTING = ("aten::", "mkldnn::", "mkl::", "quantized::", "_quantized::", "onednn::", PREFIX)
# ATen's operations that allocate memory for numbers, or query it, and compute none.
ALLOCATING = re.compile(
    r"aten::(empty|new_empty|resize_|set_|_unsafe_view|_nnpack_available|result_type)"
)
# The dispatcher's word for what is written in other operators.
COMPOSITE = "CompositeImplicitAutograd"
# A compiled graph as a whole, where none of its kernels could be announced.
GRAPHS = (f"## Call {GRAPH}", "CompiledFunction")
OPTIMISER = "Optimizer.step"
LISTS = "aten::_foreach_"  # on all parameters at once: only optimizers do so, Keras' too
LONGEST = NAME_CHARACTERS - len(f" in {OPTIMISER}")  # so that this ending is never cut off
_GRAPH = re.compile(rf"## Call {GRAPH} .*")
_NUMBERED = re.compile(r"_\d+$")
_OF_A_COMPILER = re.compile(rf"{PREFIX}|triton_")


class TimeRange(NamedTuple):
    """Start and end in microseconds since the profiler was started."""

    start: float
    end: float


class Event(NamedTuple):
    """The parts that are read of an event of PyTorch's profiler, named as there."""

    name: str
    time_range: TimeRange
    device_type: Any
    device_resource_id: int
    thread: int
    is_user_annotation: bool


def recorded_events(profile: Any) -> Sequence[Any]:
    """Return the events of a ``torch.profiler.profile`` that has ended.

    Its own ``events()`` makes a tree of them, in Python: this takes ten times as long as all that
    is read here, and seconds of every run of a model that generates token by token.
    """
    results = profile.profiler.kineto_results
    found = results.events()
    if found and not hasattr(found[0], "is_user_annotation"):  # PyTorch 2.2
        if any(event.device_type().name != "CPU" for event in found):
            raise RuntimeError("PyTorch 2.2 does not tell kernels on a GPU from named ranges")
        tree: Sequence[Any] = profile.events()
        return tree
    began = results.trace_start_ns()
    events = [
        Event(
            event.name(),
            TimeRange((event.start_ns() - began) / 1000, (event.end_ns() - began) / 1000),
            event.device_type(),
            event.device_resource_id(),
            event.start_thread_id(),
            event.is_user_annotation(),
        )
        for event in found
        if not event.is_hidden_event()
    ]
    return _once(events)


def allocated(profile: Any) -> int:
    """Return the bytes of all allocations in a profile with ``profile_memory``."""
    events = profile.profiler.kineto_results.events()
    return sum(max(0, event.nbytes()) for event in events if event.name() == "[memory]")


def _once(events: list[Event]) -> list[Event]:
    """Return the events without those of the host directly in one of their name: operations that
    call themselves. Kernels of a device call none; those of one name may overlap in a stream.
    """
    kept, inside = [], defaultdict[Hashable, list[Event]](list)
    for event in sorted(events, key=lambda each: (each.time_range.start, -each.time_range.end)):
        if event.device_type.name != "CPU":
            kept.append(event)
            continue
        holds = inside[event.device_resource_id, event.thread]
        while holds and holds[-1].time_range.end <= event.time_range.start:
            holds.pop()
        if not holds or holds[-1].name != event.name:
            kept.append(event)
            holds.append(event)
    return kept


def namespaces(torch: Any) -> set[str]:
    """Return namespaces of all operators registered by now: of ATen, its libraries, extensions."""
    return {name.partition("::")[0] for name in torch._C._dispatch_get_all_op_names()}


def computing_nothing(torch: Any, names: Iterable[str]) -> set[str]:
    """Return ATen's operators among these that compute nothing by themselves, by the dispatcher's
    registry: views, allocations, and operators written in other operators alone. Their time belongs
    to the operators that they call, or that call them.
    """
    own = {name for name in names if name.startswith("aten::")}
    return {
        name
        for name in own
        if ALLOCATING.match(name)
        or _views_or_calls(torch._C, torch._C._jit_get_schemas_for_operator(name))
    }


def _views_or_calls(library: Any, schemas: Iterable[Any]) -> bool:
    """Return True if an operator is a view or only calls others, whatever its ``out`` does."""
    composite: list[bool] = []
    for schema in schemas:
        aliases = [each.alias_info for each in schema.returns if each.alias_info]
        if any(not alias.is_write for alias in aliases):
            return True
        if "out" not in schema.overload_name:
            overload = ".".join(filter(None, (schema.name, schema.overload_name)))
            with suppress(RuntimeError):  # an overload of TorchScript's
                has_kernel = library._dispatch_has_kernel_for_dispatch_key
                composite.append(has_kernel(overload, COMPOSITE))
    return bool(composite) and all(composite)


def computing(
    events: Sequence[Any],
    device: Any = None,
    extensions: Iterable[str] = (),
    nothing: Container[str] = (),
) -> list[Span]:
    """Return the spans of the torch.profiler events that compute.

    device: the type of the device that computes, None for the host. extensions: namespaces of
    operators that PyTorch did not bring, which compute as its own do. nothing: names of operators
    that compute nothing, see :func:`computing_nothing`. On a device a named range
    (``Optimizer.step``, a compiled graph's) lasts from its first kernel to its last one, idle time
    included: it is no operation.
    """
    if device is None:
        names = (*COMPUTING, *(f"{each}::" for each in extensions))
        if not any(event.name.startswith(PREFIX) for event in events):
            names += GRAPHS
        chosen = [e for e in events if e.name.startswith(names) and e.name not in nothing]
    else:
        chosen = [e for e in events if e.device_type == device and not e.is_user_annotation]

    def lane(event: Any) -> Hashable:
        """Return the thread; on a device the stream, whichever thread has filled it."""
        return event.device_type, event.thread if device is None else event.device_resource_id

    updates = [(lane(e), e.time_range) for e in events if e.name.startswith((LISTS, OPTIMISER))]
    return [_span(event, lane(event), updates) for event in chosen]


def _span(event: Any, lane: Hashable, updates: list[tuple[Hashable, Any]]) -> Span:
    name = _GRAPH.sub(GRAPH, event.name)
    if _OF_A_COMPILER.match(name):
        name = _NUMBERED.sub("", name)
    start, end = event.time_range.start, event.time_range.end
    if any(lane == where and each.start <= start < each.end for where, each in updates):
        name = f"{name[:LONGEST]} in {OPTIMISER}"
    return Span(1000 * start, 1000 * end, name, lane)
