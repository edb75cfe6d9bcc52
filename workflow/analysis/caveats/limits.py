"""Rules that look for one reading of each cell beyond a limit, declared in limits.yaml."""

import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analysis.caveats.core import Found, register, where_and_how_much
from analysis.caveats.readings import Reading, column, each, extreme
from analysis.data import Data
from analysis.formats.sentences import template, texts_of
from analysis.results.runs import Run
from analysis.statistics.intervals import relative_standard_error

DECLARED = Path(__file__).with_suffix(".yaml")
LIMITS = {"above": operator.gt, "at_least": operator.ge, "below": operator.lt}


def _block_error(run: Run) -> float | None:
    blocks = run.record.timing.blocks if run.record else ()
    return relative_standard_error([block.step_ms for block in blocks])


def _warm_up(run: Run) -> float:
    return run.left_out / max(run.steadiness.blocks, 1)


# What the table of runs has no column for.
OF_RUNS = {"error of the block means": _block_error, "share of blocks that were warm-up": _warm_up}


def _reading(data: Data, name: str) -> Reading:
    if name in OF_RUNS:
        return each(data, OF_RUNS[name])
    value, _, by = name.partition(" / ")
    return lambda runs: column(runs, value) / column(runs, by) if by else column(runs, value)


def _declare(name: str, reading: str, spell: str, **entry: Any) -> None:
    (kind,) = LIMITS.keys() & entry.keys()
    threshold, lowest = entry.pop(kind), kind == "below"

    def judge(data: Data) -> Iterator[Found]:
        found = extreme(
            data,
            _reading(data, reading),
            "min" if lowest else "max",
            lambda values: LIMITS[kind](values, threshold),
        )
        return where_and_how_much(
            found,
            lambda value: template(spell).render(value=value),
            size=lambda value: -value if lowest else value,
            **({"threshold": threshold} if threshold else {}),
        )

    register(name, judge, entry)


for _name, _entry in texts_of(DECLARED).items():
    _declare(_name, **_entry)
