"""The key findings of page.md: Keras 3's backends, native PyTorch, "out of the box", Keras 2.

A finding is left out if the run cannot support it. Every number links to its cell in the appendix.
"""

from typing import Any, NamedTuple

import pandas as pd

from millistep.analysis import claims
from millistep.analysis.frames import CELL, WORKLOAD, Data
from millistep.analysis.report.first_page import every, workload_count
from millistep.analysis.stats import FASTEST, INCONCLUSIVE, SLOWER, TIED, same_work
from millistep.analysis.topics import padding, pairs
from millistep.analysis.topics.pairs import FASTER
from millistep.analysis.words import anchor, count, gain, listed, markdown, percent, times, within

KERAS3, KERAS2 = "family == 'keras3'", "family == 'keras2'"
MOST_GAINS = 3
COMPARED = {FASTER: "is faster than", SLOWER: "is slower than", TIED: "is tied with"}
COMPARED |= {INCONCLUSIVE: "is not shown to differ from"}


class Finding(NamedTuple):
    """A key finding: its title, its sentences, and the name of its figure if there is one."""

    title: str
    sentences: list[str]
    figure: str = ""


def findings(data: Data, cells: pd.DataFrame) -> list[Finding]:
    """Return the key findings in the order of the page."""
    found = [backends(data, cells), *native(data, cells), box(data, cells), keras2(data, cells)]
    return [finding for finding in found if finding]


def backends(data: Data, cells: pd.DataFrame) -> Finding | None:
    """Return key finding 1: whether a backend of Keras 3 is the best."""
    found = claims.among({"of": KERAS3}, cells, data).drop(columns=["title", "workload"])
    found = found.merge(cells[[*CELL, "title", "workload", "order"]], on=CELL)
    several = found.groupby(WORKLOAD)["configuration"].transform("size") > 1
    found = found[several]
    if found["configuration"].nunique() < 2:
        return None
    total = found[WORKLOAD].drop_duplicates().shape[0]
    titles = titles_of(found)
    ahead = found["standing"].isin([FASTEST, TIED]).groupby(found["title"]).sum()
    slower = found["standing"].eq(SLOWER).groupby(found["title"]).sum()
    others = found[found["standing"] != FASTEST]
    decided = others["standing"].eq(SLOWER).groupby([others[name] for name in WORKLOAD]).all()
    leaders = found[found["standing"] == FASTEST].set_index(WORKLOAD)["title"]
    single = set(leaders[decided.reindex(leaders.index, fill_value=False)])
    title = "No backend is shown to be the best"
    if (slower > 0).all():
        title = 'There is no "best" backend'
    elif len(single) == 1 and decided.all():
        where = every(total, workload_count(cells), "backends are")
        title = f"{backend(*single)} is the fastest backend in {where}"
    numbers = [f"{backend(name)} in {ahead[name] or 'none'}" for name in titles]
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
            ends = of.loc[[of["ratio"].idxmin(), of["ratio"].idxmax()]].drop_duplicates(WORKLOAD)
            spans = " to ".join(_ratio(line) for _, line in ends.iterrows())
            texts.append(
                f"The {backend(name)} backend is slower than the fastest one in "
                f"{every(len(of), workload_count(cells))}: it takes {spans} times as long."
            )
    return Finding(title, texts + _padding(data, cells))


def _padding(data: Data, cells: pd.DataFrame) -> list[str]:
    """Return whether static padding explains slow generation of the backends of Keras 3."""
    ours = cells.loc[cells["family"] == "keras3", [*CELL, "title"]]
    slow = padding.table(data).drop(columns="title").merge(ours, on=CELL)
    slow = slow[slow["verdict"] != padding.FAST]
    texts = []
    for name, of in slow.groupby("title", sort=False):
        words = of["verdict"].value_counts()
        parts = [f"{_VERDICTS[word]} in {number}" for word, number in words.items()]
        once = " (its share is from one run per cell)" if of["runs"].max() == 1 else ""
        texts.append(
            f"{name} generates slowly in {count(len(of), 'workload')}; static padding "
            f"{listed(parts)}{once}."
        )
    return texts


_VERDICTS = {
    padding.EXPLAINS: "is the reason",
    padding.NOT: "is not the reason",
    padding.OPEN: "may be the reason",
}


def native(data: Data, cells: pd.DataFrame) -> list[Finding]:
    """Return key finding 2: the fastest backend of Keras 3 against native PyTorch."""
    found = {}
    for framework, name in (("pytorch-eager", "eager"), ("pytorch-compiled", "compiled")):
        gains = _gains(KERAS3, f"framework == '{framework}'", data, cells)
        if len(gains):
            found[name] = gains
    if not found:
        return []
    texts = [
        text for name, gains in found.items() for text in against(f"native PyTorch ({name})", gains)
    ]
    texts += _left_out(KERAS3, "family == 'pytorch'", cells)
    return [Finding(_native_title(found), texts, "speedup_over_pytorch")]


def box(data: Data, cells: pd.DataFrame) -> Finding | None:
    """Return key finding 3: what the frameworks reach without optimization by their users."""
    texts = []
    compiled = _pair("pytorch-compiled", "pytorch-eager", data, cells)
    if len(compiled):
        texts.append(_counts("Native PyTorch (compiled)", "native PyTorch (eager)", compiled))
        faster = compiled[compiled["verdict"] == FASTER].head(1)
        texts += _largest("The largest gain from compiling", faster)
    upgrades = pairs.table(data).query("setting == 'overlay'")
    upgrades = upgrades[upgrades["verdict"].isin([FASTER, SLOWER])]
    for line in upgrades.to_dict("records"):
        texts.append(
            f"{markdown(line['to'])} instead of {markdown(line['from'])} changes the throughput of "
            f"{markdown(line['workload'])} by {_gain(line, line['new'])}."
        )
    best = cells[cells["comparable"]].dropna(subset="share_of_best")
    if len(best):
        best = best.loc[best.groupby(WORKLOAD, sort=False)["ms"].idxmin()]
        best = best.sort_values("share_of_best", ascending=False)
        parts = [
            f"{line['workload']} [{percent(line['share_of_best'])}]({target(line)})"
            for _, line in pd.concat([best.head(1), best.iloc[1:].tail(1)]).iterrows()
        ]
        texts.append(
            "Share of the FLOP/s of this machine's best matrix product that the lowest mean of a "
            f"workload reaches: {' down to '.join(parts)}."
        )
    return Finding('"Out-of-the-box" performance', texts) if texts else None


def keras2(data: Data, cells: pd.DataFrame) -> Finding | None:
    """Return key finding 4: the fastest backend of Keras 3, or an upgrade alone, and Keras 2."""
    gains = _gains(KERAS3, KERAS2, data, cells)
    if gains.empty:
        return None
    texts = [*against("Keras 2", gains), *_left_out(KERAS3, KERAS2, cells)]
    upgrade = _pair("keras3-tensorflow", "keras2-tensorflow", data, cells)
    if len(upgrade):
        subject = "After an upgrade alone, Keras 3 with the TensorFlow backend"
        texts.append(_counts(subject, "Keras 2", upgrade))
        slower = upgrade[upgrade["verdict"] == SLOWER].iloc[::-1]
        texts += _largest("The largest loss from upgrading alone", slower.head(1))
    return Finding(_title("Keras 2", gains), texts, "speedup_over_keras2")


def against(name: str, gains: pd.DataFrame) -> list[str]:
    """Return the sentences on Keras 3 with its fastest backend against another framework."""
    texts = [_counts("With its fastest backend, Keras 3", name, gains)]
    faster = gains[gains["verdict"] == FASTER].head(MOST_GAINS)
    texts += _largest(f"The largest gain{'s' * (len(faster) > 1)} in throughput", faster)
    double = int((gains["low"] > 1).sum())
    if double:
        texts.append(f"The gain exceeds 100 % in {double} of {count(len(gains), 'workload')}.")
    slower = gains[gains["verdict"] == SLOWER].iloc[::-1].head(1)
    return texts + _largest("The largest loss", slower)


def _counts(subject: str, other: str, gains: pd.DataFrame) -> str:
    """Return '... is faster than ... in 5 of 6 workloads, slower in 1 and tied in none.'"""
    if len(gains) == 1:
        return (
            f"{subject} {COMPARED[gains['verdict'].iloc[0]]} {other} in the only workload compared."
        )
    numbers = {word: int((gains["verdict"] == word).sum()) for word in COMPARED}
    first = f"{numbers.pop(FASTER) or 'none'} of {count(len(gains), 'workload')}"
    parts = [first, *(f"{word} in {number}" for word, number in numbers.items() if number)]
    return f"{subject} is faster than {other} in {listed(parts)}."


def _largest(text: str, gains: pd.DataFrame) -> list[str]:
    """Return the gains with interval, link and workload."""
    parts = [
        f"{_gain(line, line['configuration'])} in {line['workload']}"
        for line in gains.to_dict("records")
    ]
    return [f"{text}: {'; '.join(parts)}."] if parts else []


def _title(other: str, gains: pd.DataFrame) -> str:
    """Return the title of a finding on Keras 3 against another framework."""
    if len(gains) == 1:
        return f"Keras 3 {COMPARED[gains['verdict'].iloc[0]]} {other} in the only workload compared"
    faster, slower = (int((gains["verdict"] == word).sum()) for word in (FASTER, SLOWER))
    total = count(len(gains), "workload")
    if faster and slower:
        return f"Keras 3 is faster than {other} in {faster} and slower in {slower} of {total}"
    if faster or slower:
        word = "faster" if faster else "slower"
        return f"Keras 3 is {word} than {other} in {faster or slower} of {total}"
    return f"No difference between Keras 3 and {other} is shown"


def _native_title(found: dict[str, pd.DataFrame]) -> str:
    """Return 'Keras 3 is faster than native PyTorch in 8 (eager) and 4 (compiled) of 12 ...'"""
    if len(found) == 1:
        ((name, gains),) = found.items()
        return _title(f"native PyTorch ({name})", gains)

    def numbers(word: str) -> str:
        counted = {name: (gains["verdict"] == word).sum() for name, gains in found.items()}
        return listed(f"{number or 'none'} ({name})" for name, number in counted.items())

    verdicts = {word for gains in found.values() for word in gains["verdict"]}
    shown = [word for word in (FASTER, SLOWER) if word in verdicts]
    if not shown:
        return "No difference between Keras 3 and native PyTorch is shown"
    sizes = dict.fromkeys(map(len, found.values()))
    total = f"{listed(sizes)} {'workload' if max(sizes) == 1 else 'workloads'}"
    rest = "".join(f", {word} in {numbers(word)}" for word in shown[1:])
    return f"Keras 3 is {shown[0]} than native PyTorch in {numbers(shown[0])} of {total}{rest}"


def _other_work(new: str, base: str, cells: pd.DataFrame) -> pd.Series:
    """Return whether the two sides have different numbers of parameters in a cell's workload."""
    sides = cells.query(f"({new}) or ({base})", engine="python")
    other = (~same_work(sides, WORKLOAD)).reindex(cells.index, fill_value=False)
    return other.groupby([cells[name] for name in WORKLOAD]).transform("any")


def _left_out(new: str, base: str, cells: pd.DataFrame) -> list[str]:
    """Return a sentence on the workloads that are not counted; none if all are."""
    cells = claims.rivals(cells)
    other = cells.loc[_other_work(new, base, cells), "workload"].unique()
    text = f"Left out: {listed(other)}, in which the numbers of parameters differ."
    return [text] if len(other) else []


def _pair(new: str, base: str, data: Data, cells: pd.DataFrame) -> pd.DataFrame:
    """Return the gains of a pair of the report's pairwise comparisons, the largest first."""
    names = cells.drop_duplicates("framework").set_index("framework")["configuration"]
    found = pairs.table(data).dropna(subset="verdict")
    of = (found["new"] == names.get(new)) & (found["base"] == names.get(base))
    found = found[of].rename(columns={"new": "configuration"})
    found["workload"] = found["workload"].map(markdown)
    return found.sort_values("speedup", ascending=False, kind="stable")


def _gains(new: str, base: str, data: Data, cells: pd.DataFrame) -> pd.DataFrame:
    """Return the gains of workloads with the same work and a verdict; one run shows none."""
    cells = claims.rivals(cells)
    cells = cells[~_other_work(new, base, cells)]
    return claims.gains({"new": new, "base": base}, cells, data).dropna(subset="verdict")


def titles_of(cells: pd.DataFrame) -> list[str]:
    """Return the titles of the configurations in the page's order."""
    titles: list[str] = (
        cells.sort_values("order", kind="stable")["title"].drop_duplicates().tolist()
    )
    return titles


def backend(title: str) -> str:
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
    return f"[{text}]({target(line)}) ({line['workload']})"


def target(line: pd.Series) -> str:
    return f"appendix.html#{anchor([line[name] for name in CELL])}"
