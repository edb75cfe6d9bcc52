"""Rules that look for one reading of each cell beyond a limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from analysis.caveats.causes import NOISE, UNTESTED
from analysis.caveats.core import Cause, Changes, Severity, frame_rule, where_and_how_much
from analysis.caveats.readings import column, each, fewest, worst
from analysis.caveats.thresholds import (
    BLOCK_ERROR,
    ENOUGH_STEPS,
    LOAD_PER_CORE,
    LOAD_WHILE_TIMED,
    SWAPPED_MIB,
)
from analysis.data import Data
from analysis.formats.text import percent
from analysis.results.cells import Cell
from analysis.results.runs import Run
from analysis.statistics.intervals import relative_standard_error
from analysis.statistics.steady_state import MIN_BLOCKS


def limit(
    name: str,
    texts: tuple[str, str, Changes, str],
    cause: Cause | None,
    find: Callable[[Data], dict[Cell, float]],
    sentence: str,
    spell: Callable[[float], str],
    **more: Any,
) -> None:
    """Register a rule that speaks of the cells that `find` finds, the worst first."""

    def judge(data: Data):
        return where_and_how_much(name, find(data), sentence, spell, **more)

    judge.__name__ = name
    frame_rule(*texts, cause)(judge)


def per_core(runs: pd.DataFrame, load: str) -> pd.Series:
    """Return a load average per core of the machine."""
    return column(runs, load) / column(runs, "machine.cores")


def _block_error(run: Run) -> float | None:
    blocks = run.record.timing.blocks if run.record else ()
    return relative_standard_error([block.step_ms for block in blocks])


def _left_out(run: Run) -> float:
    return run.left_out / max(run.steadiness.blocks, 1)


TO_DISK = (
    "Times may include waiting for the disk.",
    Changes.TIMES,
    "Close other programs, or reduce batch size or scale.",
)
limit(
    "swapped",
    ("The machine swapped during a run", *TO_DISK),
    NOISE,
    lambda data: worst(data, "load.swapped_mib", lambda mib: mib >= SWAPPED_MIB),
    "The machine swapped during a run ({where}): times may include waiting for the disk.",
    "{:.0f} MiB".format,
    threshold=SWAPPED_MIB,
)
limit(
    "swapped_while_timed",
    ("Swapping while steps were timed", *TO_DISK),
    NOISE,
    lambda data: worst(data, "monitor.swapped_mib", lambda mib: mib >= SWAPPED_MIB),
    "The machine swapped while steps were timed ({where}).",
    "{:.0f} MiB".format,
    threshold=SWAPPED_MIB,
)
limit(
    "busy_before",
    (
        "A high load before a run",
        "The run before it is part of that average.",
        Changes.UNTESTED,
        "",
    ),
    NOISE,
    lambda data: worst(
        data, lambda runs: per_core(runs, "load.before"), lambda load: load > LOAD_PER_CORE
    ),
    f"The one-minute load average before a run was above {LOAD_PER_CORE:g} per core ({{where}}); "
    "the run before it is part of that average.",
    "{:.2f}".format,
    severity=Severity.NOTE,
    threshold=LOAD_PER_CORE,
)
limit(
    "busy_while_timed",
    (
        "High load while steps were timed",
        "The load average was higher than one run explains.",
        Changes.TIMES,
        "Close other programs.",
    ),
    NOISE,
    lambda data: worst(
        data,
        lambda runs: per_core(runs, "monitor.load_max"),
        lambda load: load > LOAD_WHILE_TIMED,
    ),
    f"The one-minute load average was above {LOAD_WHILE_TIMED:g} per core while steps were timed "
    "({where}); the run's own threads are part of it.",
    "{:.2f}".format,
    severity=Severity.NOTE,
    threshold=LOAD_WHILE_TIMED,
)
limit(
    "device_shared",
    (
        "Other processes on the GPU",
        "These times are of a shared GPU: greyed, and not compared.",
        Changes.ORDER,
        "Free the GPU, remove these records and start again.",
    ),
    NOISE,
    lambda data: worst(data, "monitor.gpu.foreign_processes", lambda number: number > 0),
    "Other compute processes were on the GPU while steps were timed; most at once: {where}.",
    "{:.0f}".format,
    severity=Severity.CRITICAL,
)
limit(
    "scattered_blocks",
    (
        "Blocks scatter within a run",
        "Even one process did not keep one speed.",
        Changes.TIMES,
        "Use a quieter machine, or fix the clocks.",
    ),
    NOISE,
    lambda data: worst(data, each(data, _block_error), lambda error: error > BLOCK_ERROR),
    "Block means scatter within a run; relative standard error above "
    f"{percent(BLOCK_ERROR)}: {{where}}.",
    percent,
    threshold=BLOCK_ERROR,
)
limit(
    "few_steps",
    (
        "Few timed steps",
        "The cap on time came before the steps that the protocol asks for.",
        Changes.TIMES,
        "Use a faster machine or a smaller batch size, or add runs.",
    ),
    None,
    lambda data: fewest(data, "steps", lambda steps: steps < ENOUGH_STEPS),
    f"Fewer than {ENOUGH_STEPS} timed steps in a run ({{where}}).",
    "{:.0f}".format,
    size=lambda steps: -steps,
    threshold=ENOUGH_STEPS,
)
limit(
    "steady_state_not_tested",
    (
        "Too few blocks to test for a steady state",
        "Whether these steps had settled is not known.",
        Changes.UNTESTED,
        "",
    ),
    UNTESTED,
    lambda data: fewest(data, "blocks", lambda blocks: blocks < MIN_BLOCKS),
    f"Whether steps were steady was not tested in every run, for want of {MIN_BLOCKS} blocks "
    "({where}).",
    "{:.0f}".format,
    severity=Severity.NOTE,
    size=lambda blocks: -blocks,
    threshold=MIN_BLOCKS,
)
limit(
    "warm_up_left_out",
    (
        "Warm-up left out of a mean",
        "These runs reached their final level only while they were timed; what came before is not "
        "in the mean.",
        Changes.UNTESTED,
        "",
    ),
    None,
    lambda data: worst(data, each(data, _left_out), lambda share: share > 0),
    "First blocks of runs were warm-up and are not in their means ({where} of them).",
    lambda share: f"up to {percent(share)}",
    severity=Severity.NOTE,
)
