"""The page of an atlas: texts for report/atlas.html.j2."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.atlas.parts import Course, Line, Number, Section
from analysis.atlas.read import MEAN
from analysis.atlas.tables import WORDS, Atlas
from analysis.atlas.trends import MIN_DATES
from analysis.comparisons.gains import VERDICT_TEXT
from analysis.formats.text import NA, count, interval_ms, listed, ms, percent, times, times_within
from analysis.report.rendering import write_rendered
from analysis.statistics.intervals import MARGIN, Interval


def write_page(atlas: Atlas, trends: pd.DataFrame, path: Path) -> None:
    """Write the page, which needs nothing else."""
    sections = [_claims(atlas), _pairs(atlas), _trends(atlas, trends), _cells(atlas)]
    write_rendered(
        path,
        "atlas.html.j2",
        script="atlas.js",
        title="Millistep: an atlas of archives",
        says=_says(atlas),
        archives=_archives(atlas),
        left_out=[(one["archive"], "; ".join(one["wrong"])) for one in atlas.left_out],
        sections=sections,
        choices={
            "scale": sorted(set(atlas.archives["scale"])),
            "machine": list(atlas.machines.values()),
            "column": sorted(set(atlas.cells["column"])),
        },
        machines=atlas.machines,
    )


def _says(atlas: Atlas) -> list[str]:
    """What a reader is to know first."""
    dates, pairs = atlas.archives["date"], atlas.pairs
    several = pairs[pairs["machines"] > 1]
    n_for, n_against = several["for"].map(len), several["against"].map(len)
    agree = ((n_for == several["machines"]) | (n_against == several["machines"])).sum()
    contrary = ((n_for > 0) & (n_against > 0)).sum()
    found = [
        f"{count(len(atlas.cells), 'cell')} of {count(len(atlas.used), 'archive')}, measured on "
        f"{count(len(atlas.machines), 'machine')} from {dates.min()} to {dates.max()}."
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


ARCHIVES = ("Archive", "File", "sha256", "Machine", "Measured", "Scale", "Revision", "Verified")


def _archives(atlas: Atlas) -> Section:
    lines = [
        Line(
            (
                *(one["label"], one["name"], one["sha256"], atlas.machines[one["machine"]]),
                *(one["date"], one["scale"], one["revision"] or NA, one["verified"]),
            ),
            f"a{one['archive']}",
        )
        for one in atlas.used
    ]
    return Section("archives", "Archives", "", ARCHIVES, lines)


def _claims(atlas: Atlas) -> Section:
    header = ("Claim", "Read as", "Scale", "Stacks", "Holds on", "Does not hold on")
    header += ("Undecided on", "Ratio")
    says = (
        "Each published claim by the same test as in a report, whatever the conditions of the "
        "claim were. A machine has one vote. The ratio is the range of throughput gains that were "
        "looked at, new over base."
    )
    lines = [
        Line(
            (
                *(one.text, one.reading, one.scale, one.stacks),
                *(_voters(atlas, one, word) for word in ("for", "against", "undecided")),
                _range(one),
            )
        )
        for one in _each(atlas.claims)
    ]
    return Section("claims", "Published claims", says, header, lines)


def _pairs(atlas: Atlas) -> Section:
    header = ("Row", "Batch", "First column", "Second column", "Stack", "Scale", "Outcome")
    header += ("First faster on", "Second faster on", "Same on", "Undecided on")
    header += ("Lowest ratio", "Highest ratio")
    says = (
        "The ratio is the time of the second column over that of the first, paired by round: above "
        f"1 the first is faster. Faster means by more than {percent(MARGIN)}, by the whole 95 % "
        "interval, not adjusted for the number of comparisons. A machine has one vote; archives of "
        "one machine that contradict each other leave it undecided."
    )
    found = atlas.pairs
    split = found["for"].map(bool) & found["against"].map(bool) if len(found) else []
    order = found.assign(split=split, mean=found["model"] == MEAN) if len(found) else found
    by = ["split", "mean"]
    order = order.sort_values(by, ascending=False, kind="stable") if len(found) else order
    lines = [
        Line(
            (
                *(one.row_title, str(one.batch_size) if one.model != MEAN else "", one.a, one.b),
                *(one.stacks, _scale(one), _outcome(one)),
                *(_voters(atlas, one, word) for word in WORDS),
                *(_end(one, "low"), _end(one, "high")),
            )
        )
        for one in _each(order)
    ]
    return Section("pairs", "Pairs of columns", says, header, lines)


def _scale(one: Any) -> str:
    """'laptop, cpu'."""
    return f"{one.scale}, {one.accelerator}"


def _end(one: Any, name: str) -> Number:
    cells, archive = getattr(one, f"{name}_cells"), int(getattr(one, f"{name}_archive"))
    return Number(times(getattr(one, f"ratio_{name}")), cells, () if cells else (archive,))


def _outcome(one: Any) -> str:
    ways = [word for word in ("for", "against", "same") if getattr(one, f"votes_{word}")]
    if len(ways) == 1 and len(getattr(one, f"votes_{ways[0]}")) == one.machines:
        return "every machine" if one.machines > 1 else "one machine"
    return "contrary" if {"for", "against"} <= {*ways} else "some" if ways else "undecided"


def _voters(atlas: Atlas, one: Any, word: str) -> Number | str:
    """'2 (M1, M3)'."""
    names = [atlas.machines[name] for name in getattr(one, f"votes_{word}")]
    if not names:
        return "0"
    return Number(f"{len(names)} ({', '.join(names)})", archives=getattr(one, f"{word}_archives"))


def _all_archives(one: Any) -> list[int]:
    return sorted({number for word in WORDS for number in getattr(one, f"{word}_archives")})


def _range(one: Any) -> Number | str:
    if pd.isna(one.ratio_low):
        return NA
    text = f"{times(one.ratio_low)} to {times(one.ratio_high)}"
    return Number(text, archives=_all_archives(one))


def _trends(atlas: Atlas, trends: pd.DataFrame) -> Section:
    header = ("Row", "Batch", "Column", "Machine", "Scale", "Dates", "Stacks", "Trend")
    header += ("First, ms/step", "Last, ms/step", "Last over first", "Verdict", "Changes of level")
    says = (
        "Cells that one machine measured in several archives, oldest first. Last over first with "
        "Welch's 95 % interval, since runs of two archives are not paired. Changes of level by "
        f"PELT from {MIN_DATES} archives on, beyond {percent(MARGIN)}."
    )
    lines = [
        Line(
            (
                *(one.row_title, str(one.batch_size), one.column, atlas.machines[one.machine]),
                *(_scale(one), f"{one.dates}, {one.first_date} to {one.last_date}"),
                *(listed(one.stacks), Course(one.points)),
                *(_time(one.points[0]), _time(one.points[-1]), _ratio(one)),
                VERDICT_TEXT[one.verdict] if one.verdict else "one run has no interval",
                _changes(one),
            )
        )
        for one in _each(trends)
    ]
    return Section("trends", "Trends", says, header, lines)


def _time(point: list[float]) -> Number:
    cell, value, low, high = point
    return Number(_ms(value, low, high), [int(cell)])


def _ms(value: float, low: float, high: float) -> str:
    if math.isnan(low):
        return ms(value)
    ends = interval_ms(value, Interval(low, high))
    return f"{ms(value)} [{ends[0]}, {ends[1]}]"


def _ratio(one: Any) -> Number:
    known = not pd.isna(one.ci95_low)
    text = times_within(one.ratio, Interval(one.ci95_low, one.ci95_high) if known else None)
    return Number(text, [one.last_cell, one.first_cell])


def _changes(one: Any) -> Any:
    if one.changes is None:
        return f"too few dates ({one.dates} of {MIN_DATES})"
    if not one.changes:
        return "none"
    texts = [f"{change['date']}: {times(change['factor'])}" for change in one.changes]
    return Number("; ".join(texts), [change["cell"] for change in one.changes])


def _cells(atlas: Atlas) -> Section:
    header = ("Row", "Batch", "Column", "ms/step", "Runs", "Status", "Stack", "Scale")
    header += ("Machine", "Measured", "Archive", "Revision")
    says = "Geometric mean of the runs with its 95 % interval; one run has none."
    labels = dict(zip(atlas.archives["archive"], atlas.archives["label"], strict=True))
    lines = [
        Line(
            (
                *(one.row_title, str(one.batch_size), one.column, _time_of(one), str(one.ok_runs)),
                *(
                    _status(one),
                    one.stack or NA,
                    _scale(one),
                    atlas.machines[one.machine],
                    one.date,
                ),
                *(labels[one.archive], one.revision or NA),
            ),
            f"c{one.cell}",
            one.archive,
        )
        for one in _each(atlas.cells)
    ]
    return Section("cells", "All cells", says, header, lines)


def _time_of(one: Any) -> Number | str:
    if pd.isna(one.step_ms):
        return NA
    return Number(_ms(one.step_ms, one.ci95_low_ms, one.ci95_high_ms), [one.cell])


def _status(one: Any) -> str:
    if one.status == "ok":
        return f"not compared: {one.tells_nothing}" if one.tells_nothing else "ok"
    return one.status


def _each(frame: pd.DataFrame) -> Iterator[Any]:
    """Lines by their names; `for` is no name in Python."""
    renamed = frame.rename(columns={word: f"votes_{word}" for word in WORDS})
    return renamed.itertuples(index=False)
