"""page.md: the page "Keras 3 benchmarks" as this run would write it.

Headings and tables are those of the page. Every sentence is computed from the frames, every number
links to its cell in the appendix, and what the run cannot support is left out.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from millistep.analysis import caveat_frames, claims, published
from millistep.analysis.frames import CELL, GROUP, WORKLOAD, Data
from millistep.analysis.report import first_page, setting
from millistep.analysis.stats import EXCLUDED, FASTEST, SLOWER, TIED, with_the_fastest
from millistep.analysis.topics import padding, pairs
from millistep.analysis.topics.pairs import FASTER
from millistep.analysis.words import (
    NA,
    anchor,
    count,
    environment,
    gain,
    listed,
    markdown,
    ms,
    percent,
    times,
    within,
)  # fmt: skip

ORDER = ["pytorch-eager", "pytorch-compiled", "keras2-tensorflow"]
ORDER += ["keras3-tensorflow", "keras3-jax", "keras3-torch"]
FAMILIES = {"pytorch": "native PyTorch", "keras2": "Keras 2", "keras3": "Keras 3"}
OTHERS = {"pytorch": "native PyTorch implementations", "keras2": "Keras 2 with TensorFlow"}
KERAS3, KERAS2 = "family == 'keras3'", "family == 'keras2'"
MOST_CAVEATS, MOST_GAINS = 5, 3


class Finding(NamedTuple):
    """A key finding: its title, its sentences, and the name of its figure if there is one."""

    title: str
    sentences: list[str]
    figure: str = ""


def write(data: Data, folder: Path, drawn: Sequence[str], caveats: pd.DataFrame) -> None:
    """Write page.md into a folder, in which `drawn` are the names of the figures."""
    (folder / "page.md").write_text(page(data, drawn, caveats), encoding="utf-8")


def page(data: Data, drawn: Sequence[str], caveats: pd.DataFrame) -> str:
    """Return the page as Markdown."""
    cells = shown(data)
    findings = [backends(data, cells), *native(data, cells), box(data, cells), keras2(data, cells)]
    alarms = caveats[caveats["severity"].isin(["critical", "warning"])]
    head, lines, notes = table(data, cells)
    return environment().get_template("page.md.j2").render(
        intro=intro(cells),
        period=setting.period(data.runs[data.runs["ok"]]),
        runs=int(data.runs["used"].sum()),
        scale=data.plan["scale"],
        models=models(data),
        libraries=libraries(data, cells),
        machines=setting.machines(data.runs[data.runs["used"]]),
        threads=sorted(caveat_frames.runs(data)["threads.requested"].dropna().unique()),
        results=results(data),
        head=head,
        lines=lines,
        notes=notes,
        alarms=alarms.head(MOST_CAVEATS).to_dict("records"),
        more_alarms=max(0, len(alarms) - MOST_CAVEATS),
        conditions=published.conditions(data),
        findings=[found for found in findings if found],
        drawn=drawn,
        conclusions=conclusions(data, cells),
        references=[model["citation"] for model in data.plan["models"].values()],
    )  # fmt: skip


def shown(data: Data) -> pd.DataFrame:
    """Return the cells of the frameworks as they are, without variants, in the page's order.

    Standings are among these cells only. With several software stacks or devices, those are shown
    that have the most frameworks.
    """
    found = data.configurations[data.configurations["framework"].isin(ORDER)]
    found = found.drop_duplicates(["framework", "stack", "accelerator"])
    groups = found.groupby(["stack", "accelerator"], sort=False, dropna=False)["framework"]
    found = found[groups.transform("size") == groups.transform("size").max()]
    found = found.drop_duplicates("framework")
    cells = data.timed[data.timed["configuration"].isin(found["configuration"])]
    cells = with_the_fastest(cells, data.ratios, GROUP, WORKLOAD)
    place = {name: place for place, name in enumerate(ORDER)}
    order = data.workloads[WORKLOAD].assign(workload_order=range(len(data.workloads)))
    cells = cells.merge(order, on=WORKLOAD).assign(order=cells["framework"].map(place))
    return cells.sort_values(["workload_order", "order"], kind="stable").reset_index(drop=True)


def intro(cells: pd.DataFrame) -> str:
    """Return which frameworks are compared."""
    titles = [_backend(title) for title in _titles(cells[cells["family"] == "keras3"])]
    number = {1: "the backend", 2: "the two backends", 3: "the three backends"}
    ours = [f"{number[len(titles)]} of Keras 3 ({listed(titles)})"] if titles else []
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


def results(data: Data) -> list[str]:
    """Return the sentences on what Table 2 shows and how it was measured."""
    used = data.runs[data.runs["used"]]
    if used.empty:
        return []
    runs = used.groupby(CELL).size()
    steps = used["steps"].astype(int)
    most = used["timing.in_turns"].fillna(1).max()
    texts = [
        f"Each number is the geometric mean over {_range(runs)} processes of {_range(steps)} timed "
        "steps, without model creation, compilation and warm-up."
    ]
    if most > 1:
        texts.append(
            f"In each round, up to {int(most)} configurations of a workload took turns on the "
            "machine, so that its drift affects all alike."
        )
    dtypes = data.metadata[data.metadata["entry"] == "dtype"]
    titles = {name: model["title"] for name, model in data.plan["models"].items()}
    groups = dtypes.assign(title=dtypes["model"].map(titles)).groupby("value", sort=False)["title"]
    parts = [f"{listed(of.unique())} in {value}" for value, of in groups]
    return texts + ([f"Computed: {markdown('; '.join(parts))}."] if parts else [])


def table(data: Data, cells: pd.DataFrame) -> tuple[list[str], list[list[str]], list[str]]:
    """Return Table 2: its head, its lines, and the texts of its footnotes."""
    titles = _titles(cells)
    head = ["", "Batch<br>size", *(title.replace(" (", "<br>(") for title in titles)]
    has_best = (cells["family"] == "keras3").any()
    head += ["Keras 3<br>(best)"] if has_best else []
    notes: dict[str, str] = {}
    lines = []
    for _, of in cells.groupby(WORKLOAD, sort=False):
        first, texts = of.iloc[0], {line["title"]: _cell(line, notes) for _, line in of.iterrows()}
        name = data.workloads.set_index(WORKLOAD)["title"].loc[tuple(first[WORKLOAD])]
        line = [f"**{markdown(name)}**", str(first["batch_size"])]
        line += [texts.get(title, NA) for title in titles]
        ours = of[(of["family"] == "keras3") & of["comparable"]].dropna(subset="ms")
        if has_best:
            line.append(_cell(ours.loc[ours["ms"].idxmin()], notes) if len(ours) else NA)
        lines.append(line)
    return head, lines, list(notes)


def _cell(line: pd.Series, notes: dict[str, str]) -> str:
    """Return a cell of Table 2 with its half-width, a link, and the letter of its footnote."""
    excluded = line["standing"] == EXCLUDED and bool(line["why_excluded"])
    letter = ""
    if excluded:
        letter = notes.setdefault(markdown(line["why_excluded"]), _letter(len(notes)))
        letter = f"<sup>{letter}</sup>"
    if pd.isna(line["ms"]):
        return NA + letter
    text = ms(line["ms"])
    text = f"**{text}**" if line["standing"] in (FASTEST, TIED) else text
    open_mark = "" if line["standing"] in (FASTEST, TIED, SLOWER, EXCLUDED) else " ?"
    half = np.sqrt(line["high"] / line["low"]) - 1
    width = "" if pd.isna(half) else f"<br>± {percent(half)}"
    return f"[{text}]({_target(line)}){open_mark}{letter}{width}"


def backends(data: Data, cells: pd.DataFrame) -> Finding | None:
    """Return key finding 1: whether a backend of Keras 3 is the best."""
    found = claims.among({"of": KERAS3}, cells, data).merge(cells[[*CELL, "order"]], on=CELL)
    several = found.groupby(WORKLOAD)["configuration"].transform("size") > 1
    found = found[several]
    if found["configuration"].nunique() < 2:
        return None
    total = found[WORKLOAD].drop_duplicates().shape[0]
    titles = _titles(found)
    ahead = found["standing"].isin([FASTEST, TIED]).groupby(found["title"]).sum()
    slower = found["standing"].eq(SLOWER).groupby(found["title"]).sum()
    others = found[found["standing"] != FASTEST].groupby(WORKLOAD)["standing"]
    decided = others.agg(lambda of: of.eq(SLOWER).all())
    leaders = found[found["standing"] == FASTEST].set_index(WORKLOAD)["title"]
    single = set(leaders[decided.reindex(leaders.index, fill_value=False)])
    title = "No backend is shown to be the best"
    if (slower > 0).all():
        title = 'There is no "best" backend'
    elif len(single) == 1 and decided.all():
        title = f"{_backend(*single)} is the fastest backend in every workload"
    numbers = [f"{_backend(name)} in {ahead[name] or 'none'}" for name in titles]
    texts = [
        f"Fastest or tied with the fastest backend, of {count(total, 'workload')}: "
        f"{listed(numbers)}."
    ]
    if not decided.all():
        number = count(int((~decided).sum()), "workload")
        texts.append(f"In {number}, the data do not separate a single fastest backend.")
    for name in titles:
        of = found[found["title"] == name]
        if slower[name] == len(of):
            low, high = of.loc[of["ratio"].idxmin()], of.loc[of["ratio"].idxmax()]
            texts.append(
                f"The {_backend(name)} backend is slower than the fastest one in every workload: "
                f"{_ratio(low)} to {_ratio(high)} times its time."
            )
    return Finding(title, texts + _padding(data, cells))


def _padding(data: Data, cells: pd.DataFrame) -> list[str]:
    """Return whether static padding explains slow generation of the backends of Keras 3."""
    ours = cells.loc[cells["family"] == "keras3", CELL]
    slow = padding.table(data).merge(ours, on=CELL)
    slow = slow[slow["verdict"] != padding.FAST]
    texts = []
    for name, of in slow.groupby("title", sort=False):
        words = of["verdict"].value_counts()
        parts = [f"{_VERDICTS[word]} in {number}" for word, number in words.items()]
        texts.append(
            f"{name} generates slowly in {count(len(of), 'workload')}; static padding "
            f"{listed(parts)}."
        )
    return texts


_VERDICTS = {
    padding.EXPLAINS: "is the reason",
    padding.NOT: "is not the reason",
    padding.OPEN: "may be the reason",
}


def native(data: Data, cells: pd.DataFrame) -> list[Finding]:
    """Return key finding 2: the fastest backend of Keras 3 against native PyTorch."""
    found = []
    for framework, name in (("pytorch-eager", "eager"), ("pytorch-compiled", "compiled")):
        base = f"framework == '{framework}'"
        gains = _gains(KERAS3, base, data, cells)
        if len(gains):
            found.append((f"native PyTorch ({name})", gains))
    if not found:
        return []
    title = _title("the reference PyTorch implementations", found[0][1])
    texts = [text for name, gains in found for text in against(name, gains)]
    return [Finding(title, texts, "speedup_over_pytorch")]


def box(data: Data, cells: pd.DataFrame) -> Finding | None:
    """Return key finding 3: what the frameworks reach without optimization by their users."""
    texts = []
    names = ("pytorch-compiled", "pytorch-eager")
    compiled = _gains(*(f"framework == '{name}'" for name in names), data, cells)
    if len(compiled):
        texts += _counts("Compiling makes native PyTorch faster", compiled)
        texts += _largest(
            "The largest gain from compiling", compiled[compiled["verdict"] == FASTER]
        )
    upgrades = pairs.table(data).query("setting == 'overlay'").dropna(subset="speedup")
    for line in upgrades.to_dict("records"):
        texts.append(
            f"{markdown(line['to'])} instead of {markdown(line['from'])} changes the throughput of "
            f"{line['workload']} by {_gain(line, line['new'])}."
        )
    best = _comparable(cells).dropna(subset="share_of_best")
    if len(best):
        best = best.loc[best.groupby(WORKLOAD, sort=False)["ms"].idxmin()]
        best = best.sort_values("share_of_best", ascending=False)
        parts = [
            f"{line['workload']} [{percent(line['share_of_best'])}]({_target(line)})"
            for _, line in pd.concat([best.head(1), best.iloc[1:].tail(1)]).iterrows()
        ]
        texts.append(
            "Share of this machine's best matrix product that the fastest configuration reaches: "
            f"{' down to '.join(parts)}."
        )
    return Finding('"Out-of-the-box" performance', texts) if texts else None


def keras2(data: Data, cells: pd.DataFrame) -> Finding | None:
    """Return key finding 4: the fastest backend of Keras 3, or an upgrade alone, and Keras 2."""
    gains = _gains(KERAS3, KERAS2, data, cells)
    if gains.empty:
        return None
    texts = against("Keras 2", gains)
    upgrade = _gains("framework == 'keras3-tensorflow'", KERAS2, data, cells)
    if len(upgrade):
        texts += _counts("Upgrading alone, with the TensorFlow backend, is faster", upgrade)
        slower = upgrade[upgrade["verdict"] == SLOWER].iloc[::-1]
        texts += _largest("The largest loss from upgrading alone", slower)
    return Finding(_title("Keras 2", gains), texts, "speedup_over_keras2")


def against(name: str, gains: pd.DataFrame) -> list[str]:
    """Return the sentences on Keras 3 with its fastest backend against another framework."""
    texts = _counts(f"With its fastest backend, Keras 3 is faster than {name}", gains)
    texts += _largest("The largest gains in throughput", gains[gains["verdict"] == FASTER])
    double = int((gains["low"] > 1).sum())
    if double:
        texts.append(f"The gain exceeds 100 % in {double} of {count(len(gains), 'workload')}.")
    slower = gains[gains["verdict"] == SLOWER].iloc[::-1]
    return texts + _largest("The largest loss", slower)


def _counts(text: str, gains: pd.DataFrame) -> list[str]:
    """Return '... in 5 of 6 workloads, slower in none, and inconclusive or tied in 1.'"""
    faster, slower = (int((gains["verdict"] == word).sum()) for word in (FASTER, SLOWER))
    rest = len(gains) - faster - slower
    parts = [f"{text} in {faster or 'none'} of {count(len(gains), 'workload')}"]
    parts += [f"slower in {slower}"] if slower else []
    parts += [f"not separated in {rest}"] if rest else []
    return [f"{listed(parts)}."]


def _largest(text: str, gains: pd.DataFrame) -> list[str]:
    """Return the first gains with interval, link and workload."""
    parts = [
        f"{_gain(line, line['configuration'])} in {line['workload']}"
        for line in gains.head(MOST_GAINS if text.endswith("s in throughput") else 1).to_dict(
            "records"
        )
    ]
    return [f"{text}: {'; '.join(parts)}."] if parts else []


def _title(other: str, gains: pd.DataFrame) -> str:
    """Return the title of a finding on Keras 3 against another framework."""
    faster, slower = (int((gains["verdict"] == word).sum()) for word in (FASTER, SLOWER))
    total = count(len(gains), "workload")
    if faster == len(gains):
        return f"Keras 3 is faster than {other}"
    if faster and slower:
        return f"Keras 3 is faster than {other} in {faster} and slower in {slower} of {total}"
    if faster or slower:
        word = "faster" if faster else "slower"
        return f"Keras 3 is {word} than {other} in {faster or slower} of {total}"
    return f"No difference between Keras 3 and {other} is shown"


def conclusions(data: Data, cells: pd.DataFrame) -> list[str]:
    """Return the sentences of the conclusions, the largest fact first."""
    ranked = first_page.compared(cells)
    if ranked.empty:
        return ["Too few cells can be compared for a conclusion."]
    leaders = ranked[ranked["standing"] == FASTEST]["title"].value_counts()
    parts = [f"{title} in {number}" for title, number in leaders.items()]
    texts = [f"Fastest by the mean, of {count(leaders.sum(), 'workload')}: {listed(parts)}."]
    texts += ["Performance depends on the model."] if len(parts) > 1 else []
    slowest, named = first_page.slowest(cells)
    texts = [slowest, *texts] if named else [*texts, slowest]
    texts += [first_page.by_task(cells, named)]
    half = first_page.resolution(data)
    if not np.isnan(half):
        texts.append(
            f"This run resolves differences of about {percent(half)}; smaller ones are "
            "inconclusive."
        )
    return [text for text in texts if text]


def _gains(new: str, base: str, data: Data, cells: pd.DataFrame) -> pd.DataFrame:
    """Return the gains of workloads with a verdict: a single run shows no difference."""
    found = claims.gains({"new": new, "base": base}, _comparable(cells), data)
    return found.dropna(subset="verdict")


def _comparable(cells: pd.DataFrame) -> pd.DataFrame:
    return cells[cells["comparable"]]


def _titles(cells: pd.DataFrame) -> list[str]:
    """Return the titles of the configurations in the page's order."""
    return cells.sort_values("order", kind="stable")["title"].drop_duplicates().tolist()


def _backend(title: str) -> str:
    """Return 'JAX' of 'Keras 3 (JAX)'."""
    return title.partition("(")[2].partition(")")[0] or title


def _gain(line: dict[str, Any], configuration: str) -> str:
    """Return a gain with its interval as a link to the cell of a configuration."""
    ends = (line["low"], line["high"])
    low, high = (end + 1 for end in ends) if "gain" in line else ends
    text = within(line["speedup"], low, high, gain)
    cell = [line[name] for name in WORKLOAD] + [configuration]
    return f"[{text}](appendix.html#{anchor(cell)})"


def _ratio(line: pd.Series) -> str:
    """Return a ratio to the fastest with its interval, its workload, and a link to its cell."""
    text = within(line["ratio"], line["ratio_low"], line["ratio_high"], times)
    return f"[{text}]({_target(line)}) ({line['workload']})"


def _target(line: pd.Series) -> str:
    return f"appendix.html#{anchor([line[name] for name in CELL])}"


def _letter(place: int) -> str:
    return chr(ord("a") + place) if place < 26 else str(place)


def _range(values: Iterable[int]) -> str:
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
