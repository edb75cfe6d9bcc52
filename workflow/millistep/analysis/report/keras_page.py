"""page.md: the page "Keras 3 benchmarks" as this run would write it.

Headings and tables are those of the page. Every sentence is computed from the frames, every number
links to its cell in the appendix, and what the run cannot support is left out.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from millistep.analysis import caveat_frames, published, tables
from millistep.analysis.frames import CELL, GROUP, WORKLOAD, Data
from millistep.analysis.report import first_page, setting
from millistep.analysis.report.keras_findings import backend, findings, target, titles_of
from millistep.analysis.stats import (
    EXCLUDED,
    FASTEST,
    SLOWER,
    TIED,
    resolution,
    with_the_fastest,
)
from millistep.analysis.words import (
    NA,
    count,
    environment,
    listed,
    markdown,
    ms,
    one_line,
    percent,
)

ORDER = ["pytorch-eager", "pytorch-compiled", "keras2-tensorflow"]
ORDER += ["keras3-tensorflow", "keras3-jax", "keras3-torch"]
FAMILIES = {"pytorch": "native PyTorch", "keras2": "Keras 2", "keras3": "Keras 3"}
OTHERS = {"pytorch": "native PyTorch implementations", "keras2": "Keras 2 with TensorFlow"}
MOST_CAVEATS = 5


def write(data: Data, folder: Path, drawn: Sequence[str], caveats: pd.DataFrame) -> None:
    """Write page.md into a folder, in which `drawn` are the names of the figures.

    A run without any framework of the page has no such page.
    """
    if data.configurations["framework"].isin(ORDER).any():
        (folder / "page.md").write_text(page(data, drawn, caveats), encoding="utf-8")


def page(data: Data, drawn: Sequence[str], caveats: pd.DataFrame) -> str:
    """Return the page as Markdown."""
    cells = shown(data)
    used = data.runs[data.runs["used"]].merge(cells[CELL], on=CELL)
    alarms = caveats[caveats["severity"].isin(["critical", "warning"])]
    head, lines, notes = table(data, cells)
    return environment().get_template("page.md.j2").render(
        intro=intro(cells),
        period=setting.period(used),
        runs=len(used),
        scale=data.plan["scale"],
        reduced=caveat_frames.plan(data)["reduced"].item(),
        models=models(data),
        libraries=libraries(data, cells),
        machines=setting.machines(used),
        threads=sorted(used["threads.requested"].dropna().unique()),
        results=results(data, used),
        head=head,
        lines=lines,
        notes=notes,
        alarms=alarms.head(MOST_CAVEATS).to_dict("records"),
        more_alarms=max(0, len(alarms) - MOST_CAVEATS),
        conditions=published.conditions(data, used),
        findings=findings(data, cells),
        drawn=drawn,
        conclusions=conclusions(data, cells),
        references=[model["citation"] for model in data.plan["models"].values()],
    )  # fmt: skip


def shown(data: Data) -> pd.DataFrame:
    """Return the cells of the frameworks as they are, without variants, in the page's order.

    Standings are among these cells only. With several software stacks or devices, those are shown
    that have the most frameworks; of a CPU and a GPU with as many, the GPU.
    """
    found = data.configurations[data.configurations["framework"].isin(ORDER)]
    found = found.drop_duplicates(["framework", "stack", "accelerator"])
    groups = found.groupby(["stack", "accelerator"], sort=False, dropna=False)["framework"]
    found = found[groups.transform("size") == groups.transform("size").max()]
    on_cpu = found["accelerator"].eq("cpu").sort_values(kind="stable")
    found = found.loc[on_cpu.index].drop_duplicates("framework")
    cells = data.timed[data.timed["configuration"].isin(found["configuration"])]
    cells = with_the_fastest(cells, data.ratios, GROUP, WORKLOAD)
    place = {name: place for place, name in enumerate(ORDER)}
    order = data.workloads[WORKLOAD].assign(workload_order=range(len(data.workloads)))
    cells = cells.merge(order, on=WORKLOAD).assign(
        order=cells["framework"].map(place),
        title=cells["title"].map(markdown),
        workload=cells["workload"].map(markdown),
    )
    return cells.sort_values(["workload_order", "order"], kind="stable").reset_index(drop=True)


def intro(cells: pd.DataFrame) -> str:
    """Return which frameworks are compared."""
    titles = [backend(title) for title in titles_of(cells[cells["family"] == "keras3"])]
    ours = [f"Keras 3 with the {title} backend" for title in titles]
    if len(titles) > 1:
        number = {2: "two", 3: "three"}[len(titles)]
        ours = [f"the {number} backends of Keras 3 ({listed(titles)})"]
    others = [OTHERS[name] for name in OTHERS if name in set(cells["family"])]
    if not ours or not others:
        return f"We benchmark {listed(ours or others)}."
    return f"We benchmark {ours[0]} alongside {listed(others)}."


def models(data: Data) -> dict[str, dict[str, list[str]]]:
    """Return Table 1: titles with the number of their reference, by domain and kind."""
    known = published.sources()["models"]
    found: dict[str, dict[str, list[str]]] = {}
    for number, (name, model) in enumerate(data.plan["models"].items(), start=1):
        entry = known.get(name, {})
        kind = "Generative" if entry.get("generative") else "Non-generative"
        text = f"{markdown(model['title'])}<sup>{number}</sup>"
        found.setdefault(entry.get("domain", "Other"), {}).setdefault(kind, []).append(text)
    return found


def libraries(data: Data, cells: pd.DataFrame) -> list[str]:
    """Return 'Keras 3: BERT and Gemma from keras-hub 0.32.0', a text per family."""
    found = data.metadata[data.metadata["entry"] == "model_library"]
    found = found.merge(cells[[*CELL, "family"]], on=CELL)
    titles = {name: model["title"] for name, model in data.plan["models"].items()}
    texts = []
    for family in FAMILIES:
        of = found[found["family"] == family].assign(title=found["model"].map(titles))
        parts = [
            f"{listed(same['title'].unique())} from {value}"
            for value, same in of.groupby("value", sort=False)
        ]
        name = FAMILIES[family]
        texts += [markdown(f"{name[0].upper()}{name[1:]}: {'; '.join(parts)}")] if parts else []
    return texts


def results(data: Data, used: pd.DataFrame) -> list[str]:
    """Return the sentences on what Table 2 shows and how it was measured, in these runs."""
    if used.empty:
        return []
    runs = used.groupby(CELL).size()
    steps = used["steps"].astype(int)
    most = used["timing.in_turns"].fillna(1).max()
    number = f"the geometric mean over {_range(runs)} processes"
    number = "the time of one process" if runs.max() == 1 else number
    texts = [
        f"Each number is {number} of {_range(steps)} timed steps, without model creation, "
        "compilation and warm-up."
    ]
    if most > 1:
        texts.append(
            f"In each round, up to {int(most)} processes of a workload took turns on the "
            "machine, so that its drift affects all alike."
        )
    dtypes = data.metadata[data.metadata["entry"] == "dtype"]
    titles = {name: model["title"] for name, model in data.plan["models"].items()}
    groups = dtypes.assign(title=dtypes["model"].map(titles)).groupby("value", sort=False)["title"]
    parts = [f"{listed(of.unique())} in {value}" for value, of in groups]
    return texts + ([f"Computed: {markdown('; '.join(parts))}."] if parts else [])


def table(data: Data, cells: pd.DataFrame) -> tuple[list[str], list[list[str]], dict[str, str]]:
    """Return Table 2: its head, its lines, and the letters of its footnotes by their texts."""
    titles = titles_of(cells)
    head = ["", "Batch<br>size", *(title.replace(" (", "<br>(") for title in titles)]
    has_best = (cells["family"] == "keras3").any()
    head += ["Keras 3<br>(best)"] if has_best else []
    letters = tables.notes(cells)
    lines = []
    workloads = data.workloads.set_index(WORKLOAD)
    names = workloads["title"].to_dict()
    measures = workloads.reindex(columns=["measures.short"])["measures.short"]
    short = {
        key: f"<br>{markdown(text)}" if isinstance(text, str) else ""
        for key, text in measures.items()
    }
    shown = [*CELL, "title", "family", "comparable", "ms", "low", "high", "standing"]
    for key, of in cells[[*shown, "why_excluded"]].groupby(WORKLOAD, sort=False):
        row = of.to_dict("records")
        texts = {cell["title"]: _cell(cell, letters) for cell in row}
        line = [f"**{markdown(names[key])}**{short[key]}", str(row[0]["batch_size"])]
        line += [texts.get(title, NA) for title in titles]
        ours = [cell for cell in row if cell["family"] == "keras3" and cell["comparable"]]
        if has_best:
            best = min(ours, key=lambda cell: cell["ms"], default=None)
            line.append(_cell(best, letters) if best else NA)
        lines.append(line)
    return head, lines, {markdown(text): letter for text, letter in letters.items()}


def _cell(line: dict[str, Any], letters: dict[str, str]) -> str:
    """Return a cell of Table 2 with its interval, a link, and the letter of its footnote."""
    letter = ""
    if line["standing"] == EXCLUDED:
        letter = f"<sup>{letters[one_line(line['why_excluded'])]}</sup>"
    if pd.isna(line["ms"]):
        return NA + letter
    text = ms(line["ms"])
    text = f"**{text}**" if line["standing"] in (FASTEST, TIED) else text
    open_mark = "" if line["standing"] in (FASTEST, TIED, SLOWER, EXCLUDED) else " ?"
    interval = "" if pd.isna(line["low"]) else f"<br>{ms(line['low'])} – {ms(line['high'])}"
    return f"[{text}]({target(line)}){open_mark}{letter}{interval}"


def conclusions(data: Data, cells: pd.DataFrame) -> list[str]:
    """Return the sentences of the conclusions, the largest fact first."""
    ranked = first_page.compared(cells)
    if ranked.empty:
        return ["Too few cells can be compared for a conclusion."]
    leaders = ranked[ranked["standing"] == FASTEST]["title"].value_counts()
    parts = [f"{title} in {number}" for title, number in leaders.items()]
    of = f", of {count(leaders.sum(), 'workload')}"
    if leaders.sum() == 1:
        parts, of = leaders.index.tolist(), f", in {ranked['workload'].iloc[0]}"
    texts = [f"Fastest by the mean{of}: {listed(parts)}{first_page.left_out(cells)}."]
    if _reversed(ranked):
        texts.append("Which framework is faster depends on the workload.")
    slowest, named = first_page.slowest(cells)
    texts = [slowest, *texts] if named else [*texts, slowest]
    texts += [first_page.by_task(cells, named)]
    half = resolution(data.cells)
    if not np.isnan(half):
        texts.append(
            f"This run resolves differences of about {percent(half)}; smaller ones are "
            "usually inconclusive."
        )
    return [text for text in texts if text]


def _reversed(ranked: pd.DataFrame) -> bool:
    """Return True if one configuration is slower than another, the fastest, and elsewhere the other
    way round.
    """
    slower = ranked.loc[ranked["standing"] == SLOWER, ["fastest", "configuration"]]
    pairs = set(slower.itertuples(index=False, name=None))
    return any((second, first) in pairs for first, second in pairs)


def _range(values: Iterable[int]) -> str:
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
