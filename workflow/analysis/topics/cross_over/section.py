"""From how many parameters on the GPU is faster, and a published table of both devices beside ours:
the section, a key sentence and how it was found.
"""

from collections.abc import Callable
from statistics import fmean
from typing import Any

import pandas as pd

from analysis.data import ROW, Data
from analysis.formats.text import NA, percent
from analysis.results.cells import Cell
from analysis.results.runs import Run
from analysis.statistics.cross_over import DRAWS
from analysis.topics import KeySentence
from analysis.topics.cross_over.compute import amount, on_both_devices, shown, sweeps, words
from analysis.writing.grid import Grid
from analysis.writing.texts import Texts

TEXTS = Texts(__file__)
SIDES = {"cpu": "base_cell", "cuda": "new_cell"}


def section(data: Data) -> dict[str, Any] | None:
    """Return both tables; None where neither has a line."""
    tables = {"cross_overs": cross_overs(data), "published": beside_the_published(data)}
    return tables if any(table.lines for table in tables.values()) else None


def cross_overs(data: Data) -> Grid:
    """Return a line per framework, net, task and batch size that is planned in several sizes."""
    lines = [
        {"label": sweep.label, "title": sweep.title, "words": words(sweep), **_ends(measured)}
        for sweep, measured in sweeps(data)
    ]
    return TEXTS.grid("cross_overs", pd.DataFrame(lines))


def _ends(measured: pd.DataFrame) -> dict[str, Any]:
    """Return what is told of the smallest and of the largest size that both devices measured; None
    without one.
    """
    compared = measured.dropna(subset="speedup")
    sizes = compared.to_dict("records")
    compared = compared.assign(
        idle=[_of_both(size, _idle_share, percent) for size in sizes],
        operations=[_of_both(size, _operations, "{:.0f}".format) for size in sizes],
    )
    told = compared[["speedup", "ci95_low", "ci95_high", "idle", "operations"]]
    ends = {"smallest": told.head(1), "largest": told.tail(1)}
    return {
        f"{name}_{end}": next(iter(of[name]), None) for end, of in ends.items() for name in told
    }


def _of_both(
    size: dict[str, Any], fact: Callable[[Run], float | None], spell: Callable[[float], str]
) -> str:
    """Return what the profiles of both cells say, means over their runs."""
    cells = (size[side] for side in SIDES.values())
    found = [[value for run in cell.ok_runs if (value := fact(run)) is not None] for cell in cells]
    return " and ".join(spell(fmean(known)) if known else NA for known in found)


def _idle_share(run: Run) -> float | None:
    return run.idle_share


def _operations(run: Run) -> float | None:
    profile = run.record.host_overhead if run.record else None
    return (profile and profile.launched) or None  # older records list none


def beside_the_published(data: Data) -> Grid:
    """Return the published trainings of rows that this table has on both devices."""
    published, found = data.reference.devices, on_both_devices(data)
    frameworks = found["new_cell"].map(lambda cell: cell.column.framework)
    found = found[frameworks == published.framework].drop_duplicates(ROW)
    found = published.trainings.merge(found, on=ROW)
    found["cell"] = [line[SIDES[line["device"]]] for line in found.to_dict("records")]
    found["machines"] = [_machines(cell) for cell in found["cell"]]
    return TEXTS.grid("published", found, published=published)


def _machines(cell: Cell) -> str | None:
    device = "accelerator_name" if cell.column.accelerator == "cuda" else "cpu"
    names = {getattr(record.machine, device) or NA for record in cell.records}
    return ", ".join(sorted(names)) or None


def key_sentences(data: Data) -> list[KeySentence]:
    """Say between which sizes a GPU overtakes, as far as intervals show that it does."""
    compared = [sweep for sweep, _ in sweeps(data) if pd.notna(sweep.outcome)]
    found = [sweep for sweep in compared if shown(sweep)]
    if not found:
        return []
    low, high = min(s.ci95_low for s in found), max(s.ci95_high for s in found)
    told = {"shown": len(found), "compared": len(compared)}
    text = TEXTS.say("key", low=amount(low), high=amount(high), **told)
    return [KeySentence(text, "#cross_over")]


def methods(data: Data) -> list[str]:
    """Say how the size is found from which on the GPU is faster, where a net has several."""
    several = any(pd.notna(sweep.outcome) for sweep, _ in sweeps(data))
    return [TEXTS.say("methods", draws=f"{DRAWS:,}")] if several else []
