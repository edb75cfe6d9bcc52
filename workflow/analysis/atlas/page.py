"""The page of an atlas: texts for report/atlas.html.j2."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.atlas.parts import Course, Entry, Number, Section
from analysis.atlas.read import MEAN
from analysis.atlas.tables import WORDS, Atlas
from analysis.atlas.trends import MIN_DATES
from analysis.comparisons.gains import VERDICT_TEXT
from analysis.formats.spelling import within
from analysis.formats.text import NA, count, interval_ms, listed, ms, percent, times
from analysis.statistics.intervals import MARGIN, Interval
from analysis.writing.rendering import write_rendered

# Outcomes that the first sentences count.
EVERY, CONTRARY = "every machine", "contrary"


def write_page(atlas: Atlas, trends: pd.DataFrame, path: Path) -> None:
    """Write the page as one HTML file that needs no other."""
    write_rendered(
        path,
        "atlas.html.j2",
        script="atlas.js",
        title="Millistep: an atlas of archives",
        says=_says(atlas),
        sections={
            "archives": _archives(atlas),
            "claims": Section("claims", _claims(atlas), atlas.claims),
            "pairs": Section("pairs", _pairs(atlas), _in_order(atlas.pairs)),
            "trends": Section("trends", _trends(atlas), trends),
            "cells": _cells(atlas),
        },
        left_out=[(one["archive"], "; ".join(one["wrong"])) for one in atlas.left_out],
        choices={
            "scale": sorted(set(atlas.archives["scale"])),
            "machine": list(atlas.machines.values()),
            "column": sorted(set(atlas.cells["column"])),
        },
        machines=atlas.machines,
        margin=percent(MARGIN),
        least_dates=MIN_DATES,
    )


def _says(atlas: Atlas) -> list[str]:
    """The sentences that a reader should read first."""
    dates, pairs = atlas.archives["date"], atlas.pairs
    several = pairs[pairs["machines"] > 1]
    agree = sum(_outcome(one) == EVERY for one in several.itertuples())
    contrary = sum(_outcome(one) == CONTRARY for one in several.itertuples())
    when = [dates.min(), dates.max()]
    days = f"on {when[0]}" if when[0] == when[1] else f"from {when[0]} to {when[1]}"
    found = [
        f"{count(len(atlas.cells), 'cell')} of {count(len(atlas.used), 'archive')}, measured on "
        f"{count(len(atlas.machines), 'machine')} {days}."
    ]
    if len(several):
        found.append(
            f"Of {count(len(several), 'comparison')} of two columns that several machines made, "
            f"{agree} come out the same way on every machine, and {contrary} come out the other "
            "way round on some."
        )
    else:
        found.append("No two machines compared the same two columns, so nothing is said of both.")
    return found


def _archives(atlas: Atlas) -> Section:
    columns: dict[str, Entry] = {
        "Archive": "label",
        "File": "name",
        "sha256": "sha256",
        "Machine": lambda one: atlas.machines[one.machine],
        "Measured": "date",
        "Scale": "scale",
        "Revision": lambda one: one.revision or NA,
        "Verified": "verified",
    }
    return Section("archives", columns, atlas.archives, lambda one: f"a{one.archive}")


def _claims(atlas: Atlas) -> dict[str, Entry]:
    return {
        "Claim": "text",
        "Read as": "reading",
        "Scale": "scale",
        "Stacks": "stacks",
        "Holds on": _voters(atlas, "in_favour"),
        "Does not hold on": _voters(atlas, "against"),
        "Undecided on": _voters(atlas, "undecided"),
        "Ratio": _range,
    }


def _range(one: Any) -> Number | str:
    if pd.isna(one.ratio_low):
        return NA
    ends = dict.fromkeys([times(one.ratio_low), times(one.ratio_high)])
    return Number(" to ".join(ends), archives=one.archives)


def _pairs(atlas: Atlas) -> dict[str, Entry]:
    return {
        "Row": "row_title",
        "Batch": lambda one: str(one.batch_size) if one.model != MEAN else "",
        "First column": "a",
        "Second column": "b",
        "Stack": "stacks",
        "Scale": _scale,
        "Outcome": _outcome,
        "First faster on": _voters(atlas, "in_favour"),
        "Second faster on": _voters(atlas, "against"),
        "Same on": _voters(atlas, "same"),
        "Undecided on": _voters(atlas, "undecided"),
        "Lowest ratio": lambda one: _end(one.ratio_low, one.low_cells, one.low_archive),
        "Highest ratio": lambda one: _end(one.ratio_high, one.high_cells, one.high_archive),
    }


def _in_order(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs in the order of the page: machines that disagree first, then means over rows."""
    if pairs.empty:
        return pairs
    split = pairs["in_favour"].map(bool) & pairs["against"].map(bool)
    order = pairs.assign(split=split, mean=pairs["model"] == MEAN)
    return order.sort_values(["split", "mean"], ascending=False, kind="stable")


def _scale(one: Any) -> str:
    """Scale and accelerator, as in 'laptop, cpu'."""
    return f"{one.scale}, {one.accelerator}"


def _end(ratio: float, cells: list[int], archive: int) -> Number:
    return Number(times(ratio), cells, () if cells else (int(archive),))


def _outcome(one: Any) -> str:
    ways = [word for word in WORDS if word != "undecided" and getattr(one, word)]
    if len(ways) == 1 and len(getattr(one, ways[0])) == one.machines:
        return EVERY if one.machines > 1 else "one machine"
    return CONTRARY if {"in_favour", "against"} <= {*ways} else "some" if ways else "undecided"


def _voters(atlas: Atlas, word: str) -> Callable[[Any], Number | str]:
    """An entry such as '2 (M1, M3)': how many machines came out this way, and which."""

    def entry(one: Any) -> Number | str:
        names = [atlas.machines[name] for name in getattr(one, word)]
        text = f"{len(names)} ({', '.join(names)})"
        return Number(text, archives=getattr(one, f"{word}_archives")) if names else "0"

    return entry


def _trends(atlas: Atlas) -> dict[str, Entry]:
    return {
        "Row": "row_title",
        "Batch": "batch_size",
        "Column": "column",
        "Machine": lambda one: atlas.machines[one.machine],
        "Scale": _scale,
        "Dates": lambda one: f"{one.dates}, {one.first_date} to {one.last_date}",
        "Stacks": lambda one: listed(one.stacks),
        "Trend": lambda one: Course(one.points),
        "First, ms/step": lambda one: _time(*one.points[0]),
        "Last, ms/step": lambda one: _time(*one.points[-1]),
        "Last over first": lambda one: Number(
            within(one.ratio, one.ci95_low, one.ci95_high), [one.last_cell, one.first_cell]
        ),
        "Verdict": lambda one: (
            VERDICT_TEXT[one.verdict] if one.verdict else "one run has no interval"
        ),
        "Changes of level": _changes,
    }


def _time(cell: float, value: float, low: float, high: float) -> Number | str:
    if pd.isna(value):
        return NA
    ends = "" if pd.isna(low) else " [{}, {}]".format(*interval_ms(value, Interval(low, high)))
    return Number(ms(value) + ends, [int(cell)])


def _changes(one: Any) -> Number | str:
    if one.changes is None:
        return f"too few dates ({one.dates} of {MIN_DATES})"
    if not one.changes:
        return "none"
    texts = [f"{change['date']}: {times(change['factor'])}" for change in one.changes]
    return Number("; ".join(texts), [change["cell"] for change in one.changes])


def _cells(atlas: Atlas) -> Section:
    labels = dict(zip(atlas.archives["archive"], atlas.archives["label"], strict=True))
    columns: dict[str, Entry] = {
        "Row": "row_title",
        "Batch": "batch_size",
        "Column": "column",
        "ms/step": lambda one: _time(one.cell, one.step_ms, one.ci95_low_ms, one.ci95_high_ms),
        "Runs": "ok_runs",
        "Status": lambda one: (
            f"not compared: {one.tells_nothing}"
            if one.status == "ok" and one.tells_nothing
            else one.status
        ),
        "Stack": lambda one: one.stack or NA,
        "Scale": _scale,
        "Machine": lambda one: atlas.machines[one.machine],
        "Measured": "date",
        "Archive": lambda one: labels[one.archive],
        "Revision": lambda one: one.revision or NA,
    }
    return Section(
        "cells", columns, atlas.cells, lambda one: f"c{one.cell}", lambda one: one.archive
    )
