"""The report: one self-contained file from frames, sentences and figures."""

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from millistep.analysis import figures, stats, tables
from millistep.analysis.frames import Data
from millistep.analysis.report import first_page, setting
from millistep.analysis.words import NA, REPORT, count, environment, percent

APPENDIX = "appendix.html"
MOST_CAVEATS = 5  # on the first page
MOST_SENTENCES = 6  # of a topic; its CSV has the rest
IN_APPENDIX = ("rounds", "batch_sizes", "padding", "break_even", "why")  # figures of every cell
ALARMS = ("critical", "warning")


def write(
    data: Data,
    folder: Path,
    drawn: Sequence[str],
    caveats: pd.DataFrame,
    topics: dict[str, tuple[str, list[str]]],
    more: Sequence[dict[str, Any]] = (),
    appendix: bool = True,
) -> None:
    """Write report.html.

    `drawn`: names of the figures in folder/figures; `topics`: title and sentences by name; `more`:
    further sections, as `section` makes them.
    """
    sections = [
        section(
            name.replace("_", "-"),
            title,
            sentences=sentences[:MOST_SENTENCES],
            rest=max(0, len(sentences) - MOST_SENTENCES),
            csv=f"{name}.csv",
            figures=[name] if name in drawn and name not in IN_APPENDIX else [],
        )
        for name, (title, sentences) in topics.items()
        if sentences
    ]
    speedups = [name for name in drawn if name.startswith("speedup_")]
    if speedups:
        sections.insert(0, section("keras-3", "Keras 3 against others", figures=speedups))
    alarms = caveats[caveats["severity"].isin(ALARMS)]
    page = {
        "title": setting.title(data),
        "question": (data.plan["study"] or {}).get("question"),
        "so_far": so_far(data),
        "sentences": first_page.sentences(data),
        "table": table(data, APPENDIX if appendix else ""),
        "picture": picture("relative", folder) if "relative" in drawn else "",
        "ranked": data.cells["fastest"].notna().any(),
        "wide": len(data.configurations) > 6,
        "resolution": resolution(data),
        "possible": first_page.possible(data),
        "first_caveats": alarms.head(MOST_CAVEATS).to_dict("records"),
        "caveats": caveats.to_dict("records"),
        "sections": [*sections, *more],
        "pictures": {
            name: picture(name, folder) for section in sections for name in section["figures"]
        },
        "measures": measures(data),
        "facts": setting.facts(data),
        "reproduce": setting.reproduce(data),
        "results": data.plan["results"],
        "appendix": APPENDIX if appendix else "",
    }
    write_page(folder / "report.html", "report.html.j2", page)


def section(anchor: str, title: str, **content: Any) -> dict[str, Any]:
    """Return a section: sentences (of which `rest` more are in `csv`), text, code and figures."""
    empty = {"sentences": [], "rest": 0, "csv": "", "text": "", "code": "", "figures": []}
    return empty | {"anchor": anchor, "title": title} | content


def write_page(path: Path, name: str, content: dict[str, Any]) -> None:
    """Write a page with its style and script inside; no other script may run."""
    script = (REPORT / "report.js").read_text("utf-8")
    digest = b64encode(sha256(f"\n{script}\n".encode()).digest()).decode()
    look = {
        "style": Markup((REPORT / "style.css").read_text("utf-8")),
        "script": Markup(script),
        "script_source": Markup(f"'sha256-{digest}'"),
        "NA": NA,
    }
    text = environment(html=True).get_template(name).render(look | content)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(text, "utf-8", errors="backslashreplace")
    partial.replace(path)


def table(data: Data, appendix: str) -> Markup:
    """Return the table of the first page; its numbers link to their cells in the appendix."""
    content = {
        "titles": data.configurations["title"].tolist(),
        "lines": tables.printed(data),
        "short": data.workloads.reindex(columns=["measures.short"])["measures.short"].tolist(),
        "notes": tables.notes(data.cells),
        "legend": tables.legend(data),
        "appendix": appendix,
    }
    return Markup(environment(html=True).get_template("table.html.j2").render(content))


def resolution(data: Data) -> str:
    """Return what this machine resolves, in one number."""
    half = stats.resolution(data.cells)
    if pd.isna(half):
        return ""
    turns = data.runs["timing.in_turns"].fillna(1).astype(float).gt(1).any()
    how = "took turns" if turns else "were timed one after another"
    return (
        f"Resolution of this machine: {percent(half)} (median half-width of the 95 % intervals of "
        f"ratios to the fastest, {setting.rounds(data)}; the frameworks {how})."
    )


def so_far(data: Data) -> str:
    """Return how much is measured; '' if everything is."""
    missing = int((data.runs["status"] == "not measured").sum())
    done, total = len(data.runs) - missing, count(len(data.runs), "run")
    return f"Results so far: {done:,} of {total}." if missing else ""


def measures(data: Data) -> list[tuple[str, str]]:
    """Return what a step of each workload is."""
    names = ["measures.step", "measures.inputs", "measures.network", "measures.optimizer"]
    lines = data.workloads.reindex(columns=["workload", *names]).itertuples(index=False)
    return [
        (label, "; ".join(text for text in texts if isinstance(text, str)))
        for label, *texts in lines
    ]


def picture(name: str, folder: Path) -> Markup:
    """Return the SVG of a figure for a page: colors follow dark mode, ids are its own."""
    svg = (folder / "figures" / f"{name}.svg").read_text("utf-8")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'(url\(|href=")#([^")]+)', rf"\1#{name}-\2", svg)
    for color, variable in ((figures.INK, "ink"), (figures.RULE, "rule"), (figures.QUIET, "quiet")):
        svg = svg.replace(color, f"var(--{variable})")
    return Markup(svg.replace("<svg ", f'<svg role="img" aria-labelledby="caption-{name}" ', 1))
