"""From how many parameters on the GPU is faster: one net in several sizes, each on both devices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from analysis.comparisons.devices import pairs_on_devices
from analysis.comparisons.effects import Comparison, PairEffect
from analysis.comparisons.questions import Pair
from analysis.results.cells import Cell, moderate_ratio
from analysis.results.plan import Plan
from analysis.results.results import Results
from analysis.statistics.cross_over import ABOVE, BELOW, CrossOver, Point, cross_over
from analysis.statistics.intervals import MIN_RUNS, paired_logs, standard_error

MIN_SIZES = 2  # fewer have nothing between them


@dataclass(frozen=True)
class Size:
    """A net of so many parameters in a column on the processor and in one on the GPU."""

    parameters: int
    comparison: Comparison

    @property
    def point(self) -> Point:
        """Of a comparison with a ratio."""
        base, new = self.comparison.base, self.comparison.new
        logs = paired_logs(base.compared_ms, new.compared_ms)
        if len(logs) < MIN_RUNS:
            return Point(self.parameters, fmean(logs))
        return Point(self.parameters, fmean(logs), *standard_error(logs, moderate_ratio(base, new)))


@dataclass(frozen=True)
class Sweep:
    """A pair of columns over the sizes of a net, in ascending order; those that neither column
    measured are left out.
    """

    pair: Pair
    net: str
    task: str
    batch_size: int
    sizes: tuple[Size, ...]

    @property
    def label(self) -> str:
        """'MNIST dense fit, batch 32'."""
        return f"{self.net} {self.task}, batch {self.batch_size}"

    @property
    def compared(self) -> list[Size]:
        """Those that both columns measured."""
        return [size for size in self.sizes if size.comparison.gain]

    @cached_property
    def found(self) -> CrossOver | None:
        """None without two sizes that have a ratio."""
        if len(self.compared) < MIN_SIZES:
            return None
        return cross_over([size.point for size in self.compared])

    @property
    def missing(self) -> str:
        """Why sizes have no ratio, each reason once."""
        reasons = (s.comparison.missing for s in self.sizes if not s.comparison.gain)
        return "; ".join(dict.fromkeys(part for r in reasons for part in r.split("; ")))

    @property
    def outcome(self) -> str:
        """What the sizes show, in words that a table prints; empty without a finding."""
        if self.found is None:
            return ""
        outside = {BELOW: "faster at every size", ABOVE: "not faster at the largest size"}
        where = outside.get(self.found.size)
        return f"none in the range: the GPU is {where}" if where else "crosses"

    @property
    def words(self) -> str:
        """'GPU ahead from 1.2 million parameters [0.9 million, 1.6 million]', or why not."""
        if self.found is None:
            return f"no cross-over: {self.missing or 'fewer than two sizes were measured'}"
        if not self.found.in_range:
            return f"{self.outcome} ({amount(self.smallest)} to {amount(self.largest)} parameters)"
        ends = f" [{self.ends}]" if self.found.interval else ""
        return f"GPU ahead from {amount(self.found.size)} parameters{ends}"

    @property
    def ends(self) -> str:
        """Of an interval, which may leave the sizes that both devices measured."""
        outside = {
            BELOW: f"below {amount(self.smallest)}",
            ABOVE: f"above {amount(self.largest)}",
        }
        interval = self.found.interval
        return ", ".join(outside.get(e) or amount(e) for e in (interval.low, interval.high))

    @property
    def shown(self) -> bool:
        """Whether the interval shows that it crosses between the smallest and the largest size."""
        interval = self.found.interval if self.found else None
        return interval is not None and interval.low > BELOW and interval.high < ABOVE

    @property
    def smallest(self) -> int:
        return self.compared[0].parameters

    @property
    def largest(self) -> int:
        return self.compared[-1].parameters


def amount(parameters: float) -> str:
    """To three digits: '61 thousand', '1.23 million'."""
    size, word = (1e6, "million") if parameters >= 999_500 else (1e3, "thousand")
    return f"{float(f'{parameters / size:.3g}'):,.10g} {word}"


def sweeps(results: Results) -> list[Sweep]:
    """One for each framework, net, task and batch size that is planned in two sizes or more on both
    devices.
    """
    pairs = pairs_on_devices(results)
    return [sweep for pair in pairs for sweep in _of_pair(results.plan, pair)]


def _of_pair(plan: Plan, pair: PairEffect) -> Iterator[Sweep]:
    nets: dict[tuple[str, str, int], list[Comparison]] = {}
    for found in pair.comparisons:
        model, task, batch_size = found.row.row.key
        net = plan.models[model].variant_of or model
        nets.setdefault((net, task, batch_size), []).append(found)
    for (net, task, batch_size), comparisons in nets.items():
        if len(comparisons) >= MIN_SIZES:
            sizes = [
                Size(parameters, found)
                for found in comparisons
                if (parameters := _parameters(found.base, found.new))
            ]
            ascending = tuple(sorted(sizes, key=lambda size: size.parameters))
            yield Sweep(pair.pair, _title(plan, net), task, batch_size, ascending)


def _title(plan: Plan, net: str) -> str:
    """Of the net itself, which need not be a row."""
    if net in plan.models:
        return plan.models[net].title
    variant = next(model for model in plan.models.values() if model.variant_of == net)
    return variant.title.rpartition(" ")[0]


def _parameters(*cells: Cell) -> int | None:
    works = (record.work for cell in cells for record in cell.records if record.work)
    return next((work.parameters for work in works), None)
