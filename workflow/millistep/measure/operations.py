"""Divides a profiled time among the operations that computed in it.

Operations call each other and run side by side, so their durations add up to more than the time
that passed. Here every instant in which anything computes is counted once: it is shared equally by
the threads (or streams) that compute in it, and on each of them it belongs to the innermost
operation.

Operations also show the fused kernels of attention. A CUDA graph is replayed without the operators
that it was recorded from, and XLA has no operators: there only the kernels show the attention. They
are named as PyTorch's operators are, so that columns can be compared.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

MOST = 100  # operations of a record; the report shows ten, and groups them all
NAME_CHARACTERS = 200  # kernels made of templates have names of many lines


class Span(NamedTuple):
    """A time in which an operation computed, in ns on any one clock."""

    start: float
    end: float
    name: str
    lane: Hashable  # thread or stream: what runs one operation at a time
    part: bool = False  # True if another span shows that the operation ran


@dataclass
class Operation:
    """Totals of all spans of one name: ns of wall time, number of spans that are no parts of
    others, ns from their starts to their ends, and ns of these in which inner spans were open.
    """

    ns: float = 0.0
    count: int = 0
    lasted_ns: float = 0.0
    handed_on_ns: float = 0.0

    @property
    def launched(self) -> int:
        """How many of the spans computed themselves: none if they hand most of their time on to
        others, as ``aten::linear`` does, and ``aten::addmm`` does not.
        """
        return self.count if 2 * self.handed_on_ns <= self.lasted_ns else 0


class _Lane:
    def __init__(self) -> None:
        self.open: list[int] = []
        self.since = 0.0


def attributed(
    spans: Iterable[Span], found: defaultdict[str, Operation] | None = None
) -> dict[str, Operation]:
    """Divide the wall time of spans among operations, by name; add it to those already found.

    Where spans of a lane overlap without one being in the other, the later one is the innermost.
    """
    found = defaultdict(Operation) if found is None else found
    every = [
        Span(start, max(start, end), name[:NAME_CHARACTERS], lane, part)
        for start, end, name, lane, part in spans
    ]
    lanes: dict[Hashable, _Lane] = defaultdict(_Lane)
    begun: set[int] = set()  # numbers of the spans that have started and not ended
    # The time so far, each instant divided by the number of lanes that compute in it: what a lane
    # gets between two moments is the difference of this clock, however many others there are.
    shared, computing, now = 0.0, 0, 0.0
    for time, _, _, number in _moments(every):
        if computing:
            shared += (time - now) / computing
        now = time
        span = every[number]
        lane = lanes[span.lane]
        holding = every[lane.open[-1]] if lane.open else None
        if holding:
            found[holding.name].ns += shared - lane.since
            computing -= 1
        lane.since = shared
        if number in begun:
            begun.remove(number)
            while lane.open and lane.open[-1] not in begun:
                lane.open.pop()
        else:
            begun.add(number)
            lane.open.append(number)
            operation = found[span.name]
            operation.count += not span.part
            operation.lasted_ns += span.end - span.start
            if holding:
                found[holding.name].handed_on_ns += min(span.end, holding.end) - span.start
        computing += bool(lane.open)
    return found


def _moments(spans: list[Span]) -> list[tuple[float, int, float, int]]:
    """Return starts and ends in their order, each with the number of its span.

    At equal times, spans that lasted end before others start, longer ones start before shorter
    ones, and those that last no time end after they have started.
    """
    starts = [(span.start, 1, -span.end, number) for number, span in enumerate(spans)]
    ends = [
        (span.end, 0 if span.end > span.start else 2, 0.0, number)
        for number, span in enumerate(spans)
    ]
    return sorted(starts + ends)


def recorded(found: dict[str, Operation], steps: int) -> dict[str, Any]:
    """Return the record's operations of these steps: the longest first, the rest as a number."""
    ordered = sorted(found.items(), key=lambda entry: (-entry[1].ns, entry[0]))
    return {
        "operations": [
            {
                "name": name,
                "ms": operation.ns / steps / 1e6,
                "count": operation.count / steps,
                "launched": operation.launched / steps,
            }
            for name, operation in ordered[:MOST]
        ],
        "rest_ms": sum(operation.ns for _, operation in ordered[MOST:]) / steps / 1e6,
        "rest_launched": sum(operation.launched for _, operation in ordered[MOST:]) / steps,
    }


OPERATOR = "scaled_dot_product_"  # how the names of PyTorch's fused operators begin
KERNELS = {
    "flex_attention": re.compile(r"_tem_fused\w*flex_attention"),
    f"{OPERATOR}cudnn_attention": re.compile(r"cudnn\w*_sdpa_"),
    f"{OPERATOR}efficient_attention": re.compile(r"fmha_cutlass"),
    f"{OPERATOR}flash_attention": re.compile(r"flash_?(attn_?)?(fwd|bwd)", re.IGNORECASE),
}


def attention_operators(names: Iterable[str]) -> set[str]:
    """Return PyTorch's fused operators among all that ran; ``_math`` is attention written out."""
    ran = {name.removeprefix("aten::_").removesuffix("_backward") for name in names}
    return {name for name in ran if name.startswith(OPERATOR) and not name.endswith("_math")}


def fused_attention(kernels: Iterable[str]) -> list[str]:
    """Return the operators that kernels of these names belong to, in alphabetical order."""
    names = set(kernels)
    return [operator for operator, kind in KERNELS.items() if any(map(kind.search, names))]
