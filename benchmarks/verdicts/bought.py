"""Gain from rounds: true gaps that are significant, and the change by each further round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from tables import GAPS, count, lone_cell, power
from worlds import LONE_MODES, UNSHIFTED, WORLDS

COUNTED = ("even, CV 2 %", "mixture")  # worlds whose power is printed round by round


def of_gaps(number: int, rounds: Sequence[int], seed: int) -> Iterator[str]:
    """Per cent of rows in which each of GAPS is significant, by world: a Markdown table's lines."""
    for world in (*WORLDS, UNSHIFTED):
        generator = np.random.default_rng(seed)
        shares = [power(world, n, number, generator) for n in rounds]
        yield _line(world.words, [" / ".join(_whole(share) for share in found) for found in shares])


def of_each_round(number: int, rounds: Sequence[int], seed: int) -> Iterator[str]:
    """Lines of the table that the recommended number of rounds rests on."""
    lone = [lone_cell(LONE_MODES, n, 4 * number, np.random.default_rng(seed)) for n in rounds]
    yield _line("a lone cell of two modes: its pairs cover", [cover for cover, _ in lone])
    yield _line("... its row has a false slower", [false for _, false in lone])
    found = [count(LONE_MODES, n, number // 4, np.random.default_rng(seed)) for n in rounds]
    widths = [each.half_width / found[0].half_width for each in found]
    yield _line("half-width of the pairs of other cells, over the first", widths)
    for world in (world for world in WORLDS if world.words in COUNTED):
        shown = [power(world, n, number, np.random.default_rng(seed)) for n in rounds]
        for place, gap in enumerate(GAPS[2:], start=2):
            what = f"{world.words}: a gap of {100 * gap:.0f} % is shown"
            yield _line(what, [shares[place] for shares in shown])


def head(rounds: Sequence[int], *more: str) -> str:
    """The first two lines of a table by rounds."""
    cells = ["rounds", *map(str, rounds), *more]
    return f"| {' | '.join(cells)} |\n|---|{'---:|' * len(rounds)}{'---|' * len(more)}"


def _line(what: str, cells: Sequence[str | float]) -> str:
    texts = [cell if isinstance(cell, str) else f"{_whole(cell)} %" for cell in cells]
    return f"| {' | '.join([what, *texts])} |"


def _whole(share: float) -> str:
    return f"{100 * share:.0f}"
