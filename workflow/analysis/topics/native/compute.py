"""Is native code worth it? For each operation and framework the best native way against the best
that the framework does itself, in the operation and in the whole step, beside what it costs.

All gains are t(framework) / t(native), paired by round; above 1 native code is faster. The two are
the fastest by their means among those that may be compared; what was built naively is no candidate.
The verdict does not rest on that choice: see :mod:`analysis.statistics.payoff`.
"""

from collections.abc import Iterable
from functools import lru_cache

import pandas as pd

from analysis.data import ROW, Data
from analysis.results.cells import cell_ratio
from analysis.results.plan import Column
from analysis.statistics.intervals import Ratio, paired_ratio
from analysis.statistics.overtaking import steps_to_overtake
from analysis.statistics.payoff import Pays, pays
from analysis.topics.native.ways import NAIVE, NATIVE, OF_FRAMEWORK, WAY, measured_ways

GROUP = [*ROW, "framework"]
NEVER = "never"


@lru_cache(maxsize=2)
def ways(data: Data) -> pd.DataFrame:
    """Return the measured ways, each with what it gains over the best way of its framework.

    `best` is the kind of way (`written_as`) that it is the best of, else None. `gain_alone` and
    `gain_step`, with the ends of their intervals, are missing of the framework's best way itself;
    `steps_to_earn_back` is after how many steps the seconds of the build are earned back, "never"
    where the step gains nothing, and `earn_back_ci95_*` are those at the ends of its interval.
    """
    found = measured_ways(data)
    own, native = (_best(found, kind) for kind in (OF_FRAMEWORK, NATIVE))
    found["best"] = found["written_as"].where(found["cell"].isin([*own["cell"], *native["cell"]]))
    base = own[[*GROUP, "cell", "alone"]]
    found = found.merge(base, on=GROUP, how="left", suffixes=("", "_own"))
    others = found["best"].ne(OF_FRAMEWORK) & found["way"].notna() & found["cell_own"].notna()
    pairs = found[others]
    alone = map(paired_ratio, pairs["alone_own"], pairs["alone"])
    step = map(cell_ratio, pairs["cell_own"], pairs["cell"])
    gains = pd.concat([_columns("alone", alone, pairs), _columns("step", step, pairs)], axis=1)
    return _earned_back(found.drop(columns="alone_own").join(gains))


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
    """Judge whether native code pays in one row and framework, one of so many payoffs."""
    own, native = (_candidates(group, kind)["cell"] for kind in (OF_FRAMEWORK, NATIVE))
    return pays([[cell_ratio(base, new) for base in own] for new in native], of)


def _why_not_shown(group: pd.DataFrame, verdict: Pays) -> str:
    """Return 'one run' or 'the intervals do not decide', for example."""
    if verdict is not Pays.NOT_SHOWN:
        return ""
    for kind, what in ((OF_FRAMEWORK, "way of the framework"), (NATIVE, "native way")):
        if _candidates(group, kind).empty:
            why = next((cell.tells_nothing for cell in _of_kind(group, kind)["cell"]), "")
            return f"no {what} {f'may be compared: {why}' if why else 'was measured'}"
    best = group[group["best"] == NATIVE].iloc[0]
    if pd.isna(best["gain_step"]):
        return "no round that both measured"
    return "one run" if pd.isna(best["gain_step_ci95_low"]) else "the intervals do not decide"


def _of_kind(found: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return the ways of a kind, without native ones that are built naively."""
    naive = (found["way"] == NAIVE) & (found["written_as"] == NATIVE)
    return found[(found["written_as"] == kind) & ~naive]


def _candidates(found: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return those that may be compared."""
    of_kind = _of_kind(found, kind)
    return of_kind[of_kind["cell"].map(lambda cell: cell.comparable).astype(bool)]


def _best(found: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return the lowest mean of each group."""
    of_kind = _candidates(found, kind)
    return of_kind.loc[of_kind.groupby(GROUP, sort=False)["ms_per_step"].idxmin()]


def _columns(name: str, gains: Iterable[Ratio | None], of: pd.DataFrame) -> pd.DataFrame:
    """Return value, ends of the interval and rounds of a ratio for each of these lines."""
    names = [f"gain_{name}{end}" for end in ("", "_ci95_low", "_ci95_high")]
    lines = []
    for gain in gains:
        ends = gain and gain.interval
        low_high = (ends.low, ends.high) if ends else (None, None)
        lines.append((gain.value, *low_high, gain.rounds) if gain else (None,) * 4)
    found = pd.DataFrame(lines, index=of.index, columns=[*names, f"rounds_{name}"], dtype=object)
    return found.astype(dict.fromkeys(names, float))


def _earned_back(found: pd.DataFrame) -> pd.DataFrame:
    for name, gain in {
        "steps_to_earn_back": "gain_step",
        "earn_back_ci95_low": "gain_step_ci95_high",
        "earn_back_ci95_high": "gain_step_ci95_low",
    }.items():
        numbers = steps_to_overtake(found["build_s"], found["ms_per_step"] / 1000, found[gain])
        steps = [NEVER if pd.isna(number) else int(number) for number in numbers]
        known = found["build_s"].notna() & found[gain].notna()
        found[name] = pd.Series(steps, dtype=object).where(known, None)
    return found


def naive_builds(found: pd.DataFrame) -> pd.DataFrame:
    """Return a line per native way that is built naively and the same code built with its flags,
    whose names end in `_tuned`; `gain_flags` is t(naive) / t(tuned) of the operation alone.
    """
    built = found[found["written_as"] == NATIVE]
    built = built.assign(apart=[_without_way(cell.column) for cell in built["cell"]])
    naive, tuned = (built[built["way"] == way] for way in (NAIVE, NATIVE))
    pairs = naive.merge(tuned, on=[*GROUP, "apart"], suffixes=("", "_tuned"))
    gains = map(paired_ratio, pairs["alone"], pairs["alone_tuned"])
    return pairs.join(_columns("flags", gains, pairs)).dropna(subset="gain_flags")


def _without_way(column: Column) -> str:
    """Name framework and settings but for the way."""
    return str((column.framework, sorted({**column.settings, WAY: ""}.items(), key=str)))
