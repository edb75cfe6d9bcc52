"""Is native code worth it? Its gain in each workload, next to the lines of code that it costs.

Each native implementation is compared with the fastest one that the same library offers without it,
on the same device and in the same rounds.
"""

import sys
from pathlib import Path

import pandas as pd

from millistep.analysis.claims import described, gains, select
from millistep.analysis.frames import CELL, Data
from millistep.analysis.stats import SLOWER
from millistep.analysis.topics import why
from millistep.analysis.topics.pairs import FASTER
from millistep.analysis.words import count, gain, number, within

sys.path.insert(0, str(Path(__file__).parent))
from lines import IMPLEMENTATIONS, lines

sys.path.pop(0)
sys.modules.pop("lines")  # another copy of this study counts its own files

NAME = "native_code"
TITLE = "Is native code worth it?"
NATIVE = ("pytorch-cpp", "pytorch-triton", "keras3-jax-cpp", "host-cython")
COLUMNS = [*CELL, "workload", "title", "base", "base_title", "base_ms", "ms", "speedup", "low"]
COLUMNS += ["high", "rounds", "verdict", "lines", "base_lines", "build_s", "most_by_faster_host"]


def table(data: Data) -> pd.DataFrame:
    """Return a line per native implementation and workload; `speedup` is t(base) / t(native)."""
    cells = described(data)
    parts = [_against_own(native, cells, data) for native in NATIVE]
    found = pd.concat([part for part in parts if len(part)] or [pd.DataFrame(columns=CELL)])
    if found.empty:
        return pd.DataFrame(columns=COLUMNS)
    frameworks = data.configurations.set_index("configuration")[["framework", "title"]]
    found["base_title"] = found["base"].map(frameworks["title"])
    bases = found["base"].map(frameworks["framework"])
    pairs = zip(found["model"], found["framework"], bases, strict=True)
    counted = [(_lines(model, new), _lines(model, base)) for model, new, base in pairs]
    found["lines"], found["base_lines"] = zip(*counted, strict=True)
    build_s = data.runs[data.runs["used"]].groupby(CELL)["timing.build_s"].mean()
    found = found.join(build_s.rename("build_s"), on=CELL)
    ceiling = why.idle_shares(data).rename(columns={"configuration": "base"})
    keys = [*CELL[:-1], "base"]
    found = found.merge(ceiling[[*keys, "most_by_faster_host"]], on=keys, how="left")
    found[["low", "high"]] += 1  # ends of the gain
    return found[COLUMNS]


def _against_own(native: str, cells: pd.DataFrame, data: Data) -> pd.DataFrame:
    """Return the gains of one native implementation over the fastest of its library without one."""
    claim = {
        "new": f"framework == '{native}'",
        "base": f"framework not in {list(NATIVE)}",
        "same": ["library", "accelerator"],
    }
    return gains(claim, cells, data) if len(select(cells, claim["new"])) else pd.DataFrame()


def _lines(model: str, framework: str) -> int | None:
    return lines(model, framework) if (model, framework) in IMPLEMENTATIONS else None


def sentences(table: pd.DataFrame) -> list[str]:
    """Return sentences such as 'Native code pays in 2 of 6 comparisons and is slower in 1. Aligner
    fit: ... +120 % ...'
    """
    judged = table.dropna(subset="verdict")
    if judged.empty:
        return []
    number_of = judged["verdict"].value_counts()
    faster, slower = number_of.get(FASTER, 0), number_of.get(SLOWER, 0)
    found = [
        f"Native code is faster in {faster} of {count(len(judged), 'comparison')} and slower in "
        f"{slower}."
    ]
    for line in judged.sort_values("speedup", ascending=False).itertuples():
        more = line.lines - line.base_lines
        code = f", for {more:+.0f} lines of code" if pd.notna(more) else ""
        text = within(line.speedup, line.low, line.high, gain)
        found.append(f"{line.workload}: {line.title} over {line.base_title} {text}{code}.")
    bound = table["most_by_faster_host"].dropna()
    if len(bound):
        found.append(
            "A faster host language could make the steps without native code at most "
            f"{number(bound.min(), 2)} to {number(bound.max(), 2)} times as fast."
        )
    return found
