"""Tables: one frame becomes Markdown, CSV, LaTeX and, on the page, HTML."""

from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler

from millistep.analysis.frames import CELL, GROUP, RUN, WORKLOAD, Data
from millistep.analysis.stats import EXCLUDED, FASTEST, INCONCLUSIVE, TIED
from millistep.analysis.words import NA, anchor, csv_text, markdown, ms, one_line

# After the number: `fastest` is bold, `slower` has no mark.
MARKS = {TIED: "=", INCONCLUSIVE: "?"}
LEGEND = (
    "ms per step: geometric mean of the runs with its 95 % interval. Bold: fastest. =: tied, the"
    " 95 % interval of the ratio to the fastest lies within 5 % of 1. No mark: slower (paired t"
    " over rounds, corrected for all pairs of the workload). ?: inconclusive. Letter: excluded from"
    " comparisons. Intervals include the drift between rounds; verdicts compare times within"
    " rounds, so intervals may overlap."
)
OF_GROUP = " Cells are ranked within one software stack and accelerator."
CSV = [
    *CELL, "workload", "title", "framework", "family", "stack", "accelerator", "precision",
    "status", "reason", "ms", "low", "high", "runs", "planned_runs", "steps", "state", "standing",
    "why_excluded", "fastest", "ratio", "ratio_low", "ratio_high", "p", "rounds", "in_turns",
    "flops_per_s", "best_flops_per_s", "share_of_best", "host_memory_mib",
    "device_memory_mib", "joules_per_step", "synchronized_ms", "legacy_ms",
]  # fmt: skip


def legend(data: Data) -> str:
    """Return the legend of the table, also of one that has several groups of cells per workload."""
    groups = data.planned[GROUP].drop_duplicates()
    return LEGEND + (OF_GROUP if groups.duplicated(WORKLOAD).any() else "")


def notes(cells: pd.DataFrame) -> dict[str, str]:
    """Return the letter of each reason to exclude a cell, in the order of the table."""
    reasons = cells.loc[cells["standing"] == EXCLUDED, "why_excluded"].map(one_line).unique()
    return {reason: _letter(place) for place, reason in enumerate(reasons)}


def printed(data: Data) -> list[dict[str, Any]]:
    """Return a line per workload: its label and its cells as texts, for every format.

    A cell has text, interval, mark, letter (of its note), standing, status and anchor.
    """
    letters, names = notes(data.cells), data.configurations["configuration"]
    empty = {"text": NA, "interval": "", "mark": "", "letter": "", "standing": "", "anchor": ""}
    shown = [*CELL, "workload", "ms", "low", "high", "standing", "why_excluded"]
    rows: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for cell in data.cells[shown].to_dict("records"):
        rows.setdefault(tuple(cell[name] for name in WORKLOAD), []).append(cell)
    lines = []
    for key, row in rows.items():
        cells = {cell["configuration"]: _cell(cell, letters) for cell in row}
        line = {"workload": row[0]["workload"], "batch_size": key[2], "anchor": anchor(key)}
        lines.append(line | {"cells": [cells.get(name, empty) for name in names]})
    return lines


def _cell(cell: dict[str, Any], letters: dict[str, str]) -> dict[str, str]:
    excluded = cell["standing"] == EXCLUDED
    interval = "" if pd.isna(cell["low"]) else f"[{ms(cell['low'])}, {ms(cell['high'])}]"
    return {
        "text": ms(cell["ms"]),
        "interval": interval,
        "mark": MARKS.get(cell["standing"], ""),
        "letter": letters[one_line(cell["why_excluded"])] if excluded else "",
        "standing": cell["standing"],
        "anchor": anchor([cell[name] for name in CELL]),
    }


def wide(data: Data, bold: str, escape: Any = one_line) -> pd.DataFrame:
    """Return the printed table; `bold` surrounds the fastest, as in '**{}**'."""
    titles = [escape(title) for title in data.configurations["title"]]
    rows = []
    for line in printed(data):
        texts = []
        for cell in line["cells"]:
            text = bold.format(cell["text"]) if cell["standing"] == FASTEST else cell["text"]
            note = f"({cell['letter']})" if cell["letter"] else ""
            parts = [text, cell["mark"] or note, cell["interval"]]
            texts.append(" ".join(part for part in parts if part))
        rows.append([escape(line["workload"]), str(line["batch_size"]), *texts])
    return pd.DataFrame(rows, columns=["Workload", "Batch size", *titles])


def write(data: Data, folder: Path) -> None:
    """Write table.md, table.tex and table.csv."""
    cells = data.cells
    noted = [f"- {letter}: {markdown(reason)}" for reason, letter in notes(cells).items()]
    shown = wide(data, "**{}**", markdown)
    right = ["left", *["right"] * (shown.shape[1] - 1)]
    text = shown.to_markdown(index=False, colalign=right, disable_numparse=True)
    (folder / "table.md").write_text(
        "\n".join([text, "", legend(data), "", *noted]).rstrip() + "\n"
    )
    (folder / "table.tex").write_text(latex(data))
    write_csv(cells.reindex(columns=CSV), folder / "table.csv")


def latex(data: Data) -> str:
    """Return the table and its notes for a document that uses booktabs and UTF-8."""
    shown = wide(data, "\x02{}\x03")  # the fastest becomes bold after the escape
    table = _latex(shown).to_latex(hrules=True, column_format="lr" + "r" * (shown.shape[1] - 2))
    lines = [(f"({letter})", reason) for reason, letter in notes(data.cells).items()]
    below = _latex(pd.DataFrame([("", legend(data)), *lines])).hide(axis="columns")
    noted = below.to_latex(column_format=r"lp{0.9\linewidth}")
    return f"{table}\n{noted}".replace("\x02", r"\textbf{").replace("\x03", "}")


def _latex(frame: pd.DataFrame) -> Styler:
    """Return a frame without its index, and with escaped texts."""
    style = frame.style.hide(axis="index").format(escape="latex")
    return style.format_index(escape="latex", axis=1)


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame with full precision; texts never become formulas of a spreadsheet."""
    safe = cache(csv_text)  # most texts of a column are equal
    texts = {
        name: [safe(value) if isinstance(value, str) else value for value in frame[name]]
        for name in frame
        if not pd.api.types.is_numeric_dtype(frame[name])
    }
    frame.assign(**texts).to_csv(path, index=False, lineterminator="\n")


def write_runs(data: Data, folder: Path) -> None:
    """Write every scalar of every record as runs.csv and runs.parquet."""
    runs = data.runs.dropna(axis=1, how="all")
    runs = runs[[*RUN, *(name for name in runs if name not in RUN)]]
    write_csv(runs, folder / "runs.csv")
    mixed = runs.columns[[str(kind) == "object" for kind in runs.dtypes]]
    runs.astype(dict.fromkeys(mixed, "string")).to_parquet(folder / "runs.parquet", index=False)


def _letter(place: int) -> str:
    head, tail = divmod(place, 26)
    return (_letter(head - 1) if head else "") + chr(ord("a") + tail)
