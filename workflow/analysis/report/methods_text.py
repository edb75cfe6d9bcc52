"""Methods text, ready to paste: the protocol as far as the plan and the records bear it out."""

import math
from statistics import fmean
from typing import Any

from analysis.data import Data
from analysis.formats.text import listed, percent, spread
from analysis.report.setting import machines, nothing, period, software, threads, values_of
from analysis.results.cells import contest
from analysis.results.results import Results, correlation_of_starts, has_priors
from analysis.statistics.forecast import false_slower, field_of, true_slower
from analysis.statistics.intervals import MARGIN
from analysis.statistics.moderation import LENT
from analysis.topics import said
from analysis.writing.texts import Texts

TEXTS = Texts(__file__)
EXPERIMENTS = 20_000  # rows, simulated for each rate of false verdicts and of true ones
GAPS = (0.03, 0.05, 0.10)  # true differences whose power is told


def methods_text(results: Results) -> list[str]:
    """The paragraphs of the methods text."""
    if not results.records:
        return [f"{nothing(results)}."]
    own = [text for texts in said("methods", Data(results)).values() for text in texts]
    several = any(cell.interval for cell in results.cells)
    last = TEXTS.say("statistics", **_statistics(results)) if several else TEXTS.say("single_run")
    setting = TEXTS.say("setting", **_setting(results))
    return [setting, TEXTS.say("timing", **_timing(results)), *own, last]


def _setting(results: Results) -> dict[str, Any]:
    """The values of this paragraph; `elsewhere`: columns on another accelerator than most."""
    plan = results.plan
    usual, *others = results.accelerators
    return {
        "plan": plan,
        "cited": {text: list(map(plan.named, models)) for text, models in plan.cited.items()},
        "machines": machines(results),
        "period": period(results),
        "environments": values_of(results, lambda record: record.environment.name),
        "deployed": values_of(
            results,
            lambda record: f"{record.environment.method} with Python {record.environment.python}",
        ),
        "software": software(results),
        "threads": threads(results),
        "usual": usual,
        "elsewhere": [
            f"{listed([c.title for c in plan.columns if c.accelerator == kind])} ran on {kind}"
            for kind in others
        ],
    }


def _timing(results: Results) -> dict[str, Any]:
    timings = [record.timing for record in results.records]
    timed_s = [sum(block.elapsed_ns for block in t.blocks) / 1e9 for t in timings]
    hard_cap_s = (results.plan.steps or {}).get("hard_cap_s", math.inf)
    return {
        "plan": results.plan,
        "warmup_steps": spread(t.warmup_steps for t in timings),
        "steps": spread(t.steps for t in timings),
        "blocks": spread(len(t.blocks) for t in timings),
        "precise": sum(t.stop == "precision" for t in timings),
        "capped": sum(seconds >= hard_cap_s for seconds in timed_s),
        "runs": len(timings),
    }


def _statistics(results: Results) -> dict[str, Any]:
    """The values of this paragraph: whose scatter the intervals rest on, for which machines they
    hold, and how often verdicts are wrong.
    """
    values = {"has_priors": has_priors(results), "lent": LENT, "margin": MARGIN}
    values |= {"nodes": len(results.nodes), "correlation": correlation_of_starts(results)}
    return {**values, **_error_rates(results)}


def _error_rates(results: Results) -> dict[str, Any]:
    """How often chance alone shows something in a table like this one, how often true gaps are
    shown, and what few processes cannot show.
    """
    contests = [held for row in results.rows for held in map(contest, row.contestants)]
    compared = [field_of(held) for held in contests if held.p_values]
    if not compared:
        return {"by_chance": None}
    draws = max(EXPERIMENTS // len(compared), 100)
    found = [false_slower(field, draws) for field in compared]
    rounds = min(len(cell.run_ms) for cell in results.cells if cell.interval)
    return {
        "by_chance": fmean(found),
        "any_row": 1 - math.prod(1 - rate for rate in found),
        "shown": [
            f"{percent(gap)} in {percent(fmean(true_slower(f, draws, gap) for f in compared))}"
            for gap in GAPS
        ],
        "rounds": rounds,
        "one_mode": 2.0 ** (1 - rounds),
    }
