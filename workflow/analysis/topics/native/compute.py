"""Is native code worth it? For each operation and framework the best native way against the best
that the framework does itself, in the operation and in the whole step, beside what it costs.

All gains are t(framework) / t(native), paired by round; above 1 native code is faster. The two are
the fastest by their means among those that may be compared; what was built naively is no candidate.
The verdict does not rest on that choice: see :mod:`analysis.statistics.families`.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

import pandas as pd

from analysis.comparisons.gains import gain_of
from analysis.data import CELL, ROW, Data
from analysis.results.cells import cell_ratio
from analysis.statistics.intervals import (
    MARGIN,
    Interval,
    Ratio,
    Verdict,
    above,
    numbers,
    paired_ratio,
    verdict,
)
from analysis.statistics.overtaking import steps_to_overtake
from analysis.topics.native.ways import NAIVE, NATIVE, OF_FRAMEWORK, WAY, measured_ways

GROUP = [*ROW, "framework"]
NEVER = "never"
EARN_BACK = {
    "steps_to_earn_back": "gain_step",
    "earn_back_ci95_low": "gain_step_ci95_high",
    "earn_back_ci95_high": "gain_step_ci95_low",
}
COLUMNS = [*ROW, "operation", "framework", "column", "way", "written_as", "best", "alone_ms"]
COLUMNS += ["ms_per_step", "share", "share_ci95_low", "share_ci95_high", "most_by_share"]
COLUMNS += ["gain_alone", "gain_alone_ci95_low", "gain_alone_ci95_high", "gain_step"]
COLUMNS += ["gain_step_ci95_low", "gain_step_ci95_high", "rounds", "verdict", "beyond_share"]
COLUMNS += ["lines", "build_s", "packages", "compiler", "compile_flags", "link_flags", *EARN_BACK]


class Pays(StrEnum):
    """The answer to: does native code make the whole step shorter?"""

    YES = "yes"
    NO = "no"
    NOT_SHOWN = "not shown"


def native(data: Data) -> pd.DataFrame:
    """Return a line per way of an operation that was measured. Gains are t(best way of the
    framework) / t(this way), paired by round; the verdict, of the whole framework, stands with its
    best native way. NA where nothing is built or compared.
    """
    every = ways(data)
    found = every[every["way"].notna()].rename(columns={"rounds_step": "rounds"})
    judged = payoffs(every)[[*GROUP, "column_native", "verdict", "beyond"]]
    judged = judged.rename(columns={"column_native": "column"}).dropna(subset="column")
    found = found.merge(judged, on=[*CELL, "framework"], how="left")
    flags = {True: "true", False: "false"}
    builds = [operation.build for operation in found["first"]]
    return found.assign(
        best=found["best"].notna().map(flags),
        most_by_share=found["most_by_share"].where(found["best"] == OF_FRAMEWORK),
        beyond_share=found["beyond"].map(flags),
        compiler=[build and build.compiler for build in builds],
        **{
            name: [build and " ".join(getattr(build, name)) for build in builds]
            for name in ("packages", "compile_flags", "link_flags")
        },
    )[COLUMNS]


@lru_cache(maxsize=2)
def ways(data: Data) -> pd.DataFrame:
    """Return the measured ways, each with what it gains over the best way of its framework.

    `best` is the kind of way that it is the best of, else None. `gain_alone` and `gain_step`, with
    the ends of their intervals, are missing of the framework's best way itself;
    `steps_to_earn_back` is after how many steps the seconds of the build are earned back, "never"
    where the step gains nothing, and `earn_back_ci95_*` are those at the ends of its interval.
    """
    found = measured_ways(data)
    lowest = found.dropna(subset="kind").groupby([*GROUP, "kind"])["ms_per_step"].idxmin()
    found["best"] = found["kind"].where(found.index.isin(lowest))
    own = found[found["best"] == OF_FRAMEWORK][[*GROUP, "cell", "alone"]]
    found = found.merge(own, on=GROUP, how="left", suffixes=("", "_own"))
    others = found["best"].ne(OF_FRAMEWORK) & found["way"].notna() & found["cell_own"].notna()
    pairs = found[others]
    alone = map(paired_ratio, pairs["alone_own"], pairs["alone"])
    step = map(cell_ratio, pairs["cell_own"], pairs["cell"])
    found = found.join([_gains("alone", alone, pairs), _gains("step", step, pairs)])
    for name, gain in EARN_BACK.items():
        numbers = steps_to_overtake(found["build_s"], found["ms_per_step"] / 1000, found[gain])
        steps = [NEVER if pd.isna(number) else int(number) for number in numbers]
        known = found["build_s"].notna() & found[gain].notna()
        found[name] = pd.Series(steps, dtype=object).where(known, None)
    return found


def _gains(name: str, gains: Iterable[Ratio | None], of: pd.DataFrame) -> pd.DataFrame:
    """Return value, ends of the interval and rounds of a ratio for each of these lines."""
    names = [f"gain_{name}{end}" for end in ("", "_ci95_low", "_ci95_high")]
    columns, lines = [*names, f"rounds_{name}"], list(map(numbers, gains))
    found = pd.DataFrame(lines, index=of.index, columns=columns, dtype=object)
    return found.astype(dict.fromkeys(names, float))


def payoffs(found: pd.DataFrame) -> pd.DataFrame:
    """Return a line per row and framework of these ways: the best ones, their names ending in the
    kind (`_framework`, `_native`), and missing where none may be compared.

    `verdict` says whether native code pays, `why_not_shown` is empty where that is shown. `beyond`
    says whether the whole interval of the gain lies beyond what the operation's share would allow.
    """
    lines = found[[*GROUP, "title", "operation"]].drop_duplicates(GROUP)
    for kind in (OF_FRAMEWORK, NATIVE):
        best = found[found["best"] == kind].drop(columns=["title", "operation"])
        lines = lines.merge(best.set_index(GROUP).add_suffix(f"_{kind}"), on=GROUP, how="left")
    limit = lines["most_by_share_ci95_high_framework"].fillna(lines["most_by_share_framework"])
    lines["beyond"] = lines["gain_step_ci95_low_native"] > limit
    groups = [group for _, group in found.groupby(GROUP, sort=False)]
    lines["verdict"] = pd.Series(list(map(verdict_of, groups)), dtype=object)
    reasons = list(map(_why_not_shown, groups, lines["verdict"]))
    lines["why_not_shown"] = pd.Series(reasons, dtype=object)
    return lines


def verdict_of(group: pd.DataFrame, of: int = 1) -> Pays:
    """Judge whether native code pays in one row and framework; a yes holds for so many at once."""
    own, native = (list(group["cell"][group["kind"] == kind]) for kind in (OF_FRAMEWORK, NATIVE))
    gain = gain_of(native, own)
    return pays(gain.together(of), gain.interval) if gain else Pays.NOT_SHOWN


def pays(for_yes: Interval | None, for_no: Interval | None) -> Pays:
    """Judge by the intervals of t(framework) / t(native): beyond the margin, or below."""
    if above(for_yes, 1 + MARGIN):
        return Pays.YES
    return Pays.NO if above(for_no, 1 + MARGIN) is False else Pays.NOT_SHOWN


def _why_not_shown(group: pd.DataFrame, verdict: Pays) -> str:
    """Return 'one run' or 'the intervals do not decide', for example."""
    if verdict is not Pays.NOT_SHOWN:
        return ""
    for kind, what in ((OF_FRAMEWORK, "way of the framework"), (NATIVE, "native way")):
        if kind not in set(group["kind"]):
            naive = (group["way"] == NAIVE) & (kind == NATIVE)
            of_kind = group["cell"][(group["written_as"] == kind) & ~naive]
            why = next((cell.tells_nothing for cell in of_kind), "")
            return f"no {what} {f'may be compared: {why}' if why else 'was measured'}"
    best = group[group["best"] == NATIVE].iloc[0]
    if pd.isna(best["gain_step"]):
        return "no round that both measured"
    return "one run" if pd.isna(best["gain_step_ci95_low"]) else "the intervals do not decide"


def judged(low: float, high: float) -> Verdict:
    """Judge a gain by the ends of its interval: FASTER is the framework, not native code."""
    return verdict(None if pd.isna(low) else Interval(low, high))


def naive_builds(found: pd.DataFrame) -> pd.DataFrame:
    """Return a line per native way that is built naively and the same code built with its flags,
    whose names end in `_tuned`; `gain_flags` is t(naive) / t(tuned) of the operation alone.
    """
    built = found[found["written_as"] == NATIVE]
    columns = [cell.column for cell in built["cell"]]
    settings = [sorted({**column.settings, WAY: column.framework}.items()) for column in columns]
    built = built.assign(apart=list(map(str, settings)))
    naive, tuned = (built[built["way"] == way] for way in (NAIVE, NATIVE))
    pairs = naive.merge(tuned, on=[*GROUP, "apart"], suffixes=("", "_tuned"))
    gains = map(paired_ratio, pairs["alone"], pairs["alone_tuned"])
    return pairs.join(_gains("flags", gains, pairs)).dropna(subset="gain_flags")
