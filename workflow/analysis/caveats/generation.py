"""What static padding costs a generated token, from the probes at other lengths.

KerasHub pads every prompt to ``max_length`` and keeps a cache of that length. If that were
what makes a column slow, its time per new token would grow with the length.
"""

from __future__ import annotations

from collections.abc import Iterator

from analysis.caveats.core import Caveat, Severity, label, rule
from analysis.caveats.thresholds import SLOW_GENERATION
from analysis.cells import Cell, Results, RowCells
from analysis.text import listed, percent, spelled, times


@rule
def static_padding(results: Results) -> Iterator[Caveat]:
    """Rows that generate: the share of padding in a token's time, and what else is slow."""
    for row in results.rows:
        lengths = {cell: points for cell in row.measured if (points := token_ms(cell))}
        if not lengths:
            continue
        own_length = results.plan.models[row.row.model].architecture["max_length"]
        shares = {cell: padding_share(cell, own_length) for cell in lengths}
        words = [f"{cell.framework.title} {percent(share)}" for cell, share in shares.items()]
        sentence = (
            f"{row.row.label}: padding to a fixed length explains at most this share of the time "
            f"per new token: {listed(words)}.{_slowest(row, shares)}"
        )
        evidence = {
            label(cell): {
                "ms_per_new_token_by_max_length": {
                    str(n): value for n, value in token_ms_with_own(cell, own_length).items()
                },
                "padding_share": shares[cell],
                "execution": _execution(cell),
            }
            for cell in lengths
        }
        yield Caveat("static_padding", Severity.WARNING, tuple(lengths), evidence, sentence)


def _slowest(row: RowCells, shares: dict[Cell, float]) -> str:
    """What the padding leaves to explain in the slowest column, if it is far behind."""
    fastest = min(row.measured, key=lambda cell: cell.step_ms)
    slowest = max(shares, key=lambda cell: cell.step_ms)
    ratio = slowest.step_ms / fastest.step_ms
    if ratio < SLOW_GENERATION:
        return ""
    without = (1 - shares[slowest]) * ratio
    return (
        f" {slowest.framework.title} takes {times(ratio)} the time of {fastest.framework.title}; "
        f"without padding it would still be {times(without)} at least. "
        f"{slowest.framework.title} ran {_execution(slowest)}, {fastest.framework.title} "
        f"{_execution(fastest)}."
    )


def token_ms(cell: Cell) -> dict[int, float]:
    """ms per new token of one answer by ``max_length``; empty without probes of the length."""
    points: dict[int, list[float]] = {}
    for record in cell.records:
        for probe in record.probes:
            if probe.max_length and probe.new_tokens and probe.batch_size == cell.row.batch_size:
                per_answer = probe.new_tokens / probe.batch_size
                points.setdefault(probe.max_length, []).append(probe.step_ms / per_answer)
    means = {length: sum(values) / len(values) for length, values in sorted(points.items())}
    return means if len(means) > 1 else {}


def token_ms_with_own(cell: Cell, own_length: int) -> dict[int, float]:
    """The same with the row's own length, from the runs themselves."""
    points = token_ms(cell)
    own = [
        run.step_ms / (run.record.work.tokens_per_step / cell.row.batch_size)
        for run in cell.ok_runs
        if points and run.record.work and run.record.work.tokens_per_step
    ]
    if own:
        points[own_length] = sum(own) / len(own)
    return dict(sorted(points.items()))


def padding_share(cell: Cell, own_length: int) -> float:
    """Upper bound of the share of a token's time that is padding at the row's own length.

    A padded cache costs a token what its unused part costs. The slope of the time over the
    probed lengths prices a position of the cache; all positions of the own length are taken
    as padding. 0 where longer is no slower.
    """
    points = token_ms(cell)
    shortest, longest = min(points), max(points)
    slope = (points[longest] - points[shortest]) / (longest - shortest)
    own_ms = points[shortest] + slope * (own_length - shortest)
    return min(1.0, max(0.0, slope * own_length / own_ms)) if own_ms > 0 else 0.0


def _execution(cell: Cell) -> str:
    modes = {r.parity["execution"] for r in cell.records if r.parity}
    return listed([spelled(mode) for mode in sorted(modes)]) or "in an unknown mode"
