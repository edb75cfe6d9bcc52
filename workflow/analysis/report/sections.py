"""The tables of the appendix that are not about ms/step: time, environments."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from analysis.caveats.groups import Group, of_cell
from analysis.data import CELL, ROW, RUN, CellKey, Data
from analysis.formats.spelling import each_known
from analysis.formats.text import anchor, count, listed, mib, ms, percent, seconds
from analysis.report.details import OfTopics, cell_views
from analysis.report.parity import differing
from analysis.results.plan import RowKey
from analysis.results.results import Results
from analysis.topics import Detail
from analysis.writing.grid import Grid

# Title of a column -> field of a run, how the runs of a cell are put together, how it is spelled.
PHASES = {
    "Import, s": ("timing.import_s", "mean", seconds),
    "Build": ("timing.build_s", "mean", seconds),
    "First step": ("timing.first_step_s", "mean", seconds),
    "Warm-up": ("timing.warmup_s", "mean", seconds),
    "Measured": ("timing.timed_s", "mean", seconds),
    "Other": ("timing.other_s", "mean", seconds),
    "Total": ("total_s", "mean", seconds),
    "Host, MiB": ("memory.peak_rss_mib", "max", mib),
    "Device, MiB": ("memory.peak_device_mib", "max", mib),
}
BREAKDOWN = PHASES | {
    "by the driver": ("monitor.gpu.process_memory_mib.max", "max", mib),
    "J/step": ("energy.joules_per_step", "mean", "{:.3g}".format),
    "Nothing computes": ("share", "mean", percent),
}
TENSORFLOW, CACHES = "timing.import_tensorflow_s", "timing.compile_cache"
STOPS = {"steps": "all steps", "time": "as many as fit", "precision": "precise enough"}
# Title of a column -> field of a single run, how it is spelled.
OF_A_RUN = {
    "Status": ("status", str),
    "ms/step": ("ms_per_step", ms),
    "Fenced": ("synchronised_p50_ms", ms),
    "Published": ("legacy_ms", ms),
    "Steps": ("steps", str),
    "Stop": ("timing.stop", STOPS.__getitem__),
    "Caches": (CACHES, str),
    **{title: (name, spell) for title, (name, _, spell) in PHASES.items()},
    "Load before": ("load.before", "{:.2f}".format),
    "Foreign CPU": ("load.foreign_cpu_share", percent),
    "In the kernel": ("load.system_cpu_share", percent),
    "Page faults/step": ("load.page_faults_per_step", "{:,.0f}".format),
}
WITHOUT_RECORDS = ("Run", "Measured as", "Status")  # the first columns, of a cell without a record


def row_views(
    data: Data,
    groups: Sequence[Group],
    details: Mapping[RowKey, Sequence[Detail]],
    of_topics: OfTopics,
) -> Iterator[dict[str, Any]]:
    """The values that the template shows of each row of the table."""
    runs = runs_of_cells(data)
    environment = {
        view["key"]: (f"#{view['anchor']}", view["title"]) for view in environments(data.results)
    }
    broken_down = breakdowns(data)
    for row in data.results.rows:
        yield {
            "anchor": anchor("row", row.row.model, row.row.task, f"b{row.row.batch_size}"),
            "title": row.row.heading,
            "differing": differing(row),
            "breakdown": broken_down.get(row.row.key),
            "details": details.get(row.row.key, ()),
            "cells": cell_views(row, runs, environment, partial(of_cell, groups), of_topics),
        }


def runs_of_cells(data: Data) -> dict[CellKey, Grid]:
    """A table of each cell's runs, with their place in the order in which runs really started."""
    order = ["started_at", "position"]
    started = data.runs.reindex(columns=order).dropna(subset="started_at").sort_values(order)
    places = pd.Series(range(1, len(started) + 1), started.index).reindex(data.runs.index)
    runs = data.runs.reindex(columns=[name for name, _ in OF_A_RUN.values()])
    texts = pd.DataFrame(
        {
            "Run": data.runs["run"].map(str),
            "Measured as": each_known(places, "{:,.0f}.".format),
            **{title: each_known(runs[name], spell) for title, (name, spell) in OF_A_RUN.items()},
        }
    )
    caption = "Every run: ms by three clocks, seconds of each phase, memory, and what else ran"
    titles, lines, ran = tuple(texts), texts.to_numpy(object), places.notna().to_numpy()
    found = {}
    # without a frame for each cell: ten thousand of them take as long as all else of the page
    for key, at in data.runs.groupby(CELL, sort=False).indices.items():
        told = titles if ran[at].any() else WITHOUT_RECORDS
        found[key] = Grid(caption, told, tuple(map(tuple, lines[at, : len(told)])))
    return found


def breakdowns(data: Data) -> dict[RowKey, Grid]:
    """A table per row of where the wall time of a run went: mean over the runs of a cell that count
    and that found the same in their compiler's caches; memory peaks, energy, idle time.
    """
    wanted = [*(name for name, *_ in BREAKDOWN.values()), TENSORFLOW]
    runs = data.ok_runs.merge(data.profiles[[*RUN, "share"]], on=RUN, how="left")
    runs = runs.reindex(columns=[*CELL, CACHES, *wanted])
    runs = runs.astype({CACHES: object, **dict.fromkeys(wanted, float)}).fillna({CACHES: ""})
    of_cells = runs.groupby([*CELL, CACHES], sort=False)
    means = of_cells.agg({name: how for name, how, _ in BREAKDOWN.values()})
    titles = data.cells.set_index(CELL)[["row_title", "column_title"]]
    took = runs.groupby(CELL, sort=False)[TENSORFLOW].mean().dropna()
    imports = dict(list(took.reset_index().join(titles, on=CELL).groupby(ROW)))
    named = means.index.to_frame(index=False).join(titles, on=CELL)
    caches = (", " + named[CACHES] + " caches").where(named[CACHES] != "", "")
    texts = pd.DataFrame(
        {
            "Framework": named["column_title"] + caches,
            "Runs": of_cells.size().map(str).to_numpy(),
            **{
                title: each_known(means[name], spell)
                for title, (name, _, spell) in BREAKDOWN.items()
            },
        }
    )
    found = {}
    for key, of in named.groupby(ROW, sort=False):
        caption = (
            f"{of['row_title'].iloc[0]}, batch {key[2]}: seconds of a run (means; measured: "
            "the timed steps and what is looked at after them, most of it in a cell's first run), "
            "peaks of memory (of the device: what the framework counted, and what the driver saw "
            "the process hold during the timed steps), energy" + _of_the_import(imports.get(key))
        )
        found[key] = Grid.of(texts.loc[of.index], caption)
    return found


def _of_the_import(took: pd.DataFrame | None) -> str:
    """A sentence on what TensorFlow takes of the import of columns that compute with another
    library; "" without any.
    """
    if took is None:
        return ""
    whose = "Of the import, TensorFlow's, which Keras' model libraries need on every backend, took "
    named = zip(took[TENSORFLOW], took["column_title"], strict=True)
    return f". {whose}{listed([f'{seconds(value_s)} s with {name}' for value_s, name in named])}"


def environments(results: Results) -> list[dict[str, Any]]:
    """Every different environment that a counted run found itself in, with all versions."""
    different = {record.environment.found: record.environment for record in results.records}
    return [
        {
            "key": key,
            "anchor": f"environment-{place}",
            "title": found.name,
            "facts": f"{found.method}, Python {found.python}, "
            f"{count(len(found.packages), 'package')}, definition sha256 "
            f"{found.definition_sha256}",
            "packages": sorted(found.packages.items()),
        }
        for place, (key, found) in enumerate(different.items(), start=1)
    ]
