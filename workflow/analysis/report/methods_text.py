"""Methods text, ready to paste: the protocol as far as the plan and the records bear it out."""

from __future__ import annotations

import math
from statistics import fmean

from analysis.data import Data
from analysis.formats.text import count, listed, percent, spread
from analysis.report.setting import machines, period, software, threads, values_of
from analysis.results.cells import contest
from analysis.results.results import Results, has_priors
from analysis.statistics.forecast import false_slower, true_slower
from analysis.statistics.intervals import MARGIN
from analysis.statistics.moderation import LENT
from analysis.topics import said

EXPERIMENTS = 20_000  # rows, simulated for each rate of false verdicts and of true ones
GAPS = (0.03, 0.05, 0.10)  # whose power is told


def methods_text(results: Results) -> list[str]:
    """Paragraphs."""
    if not results.records:
        return ["Nothing is measured yet."]
    own = [text for texts in said("methods", Data(results)).values() for text in texts]
    return [_setting(results), _timing(results), *own, _statistics(results)]


def _setting(results: Results) -> str:
    plan = results.plan
    models = "; ".join(
        f"{model.title}, preset {model.preset} ({model.citation})" for model in plan.models.values()
    )
    names = values_of(results, lambda record: record.environment.name)
    environments = values_of(
        results,
        lambda record: f"{record.environment.method} with Python {record.environment.python}",
    )
    return (
        f"We measured {models} at {plan.scale} scale with {plan.weights} weights and seeded random "
        f"inputs (seed {plan.seed}) with Millistep on {machines(results)}, {period(results)}. The "
        f"environments were {names} ({environments}; {software(results)}), the thread policy "
        f"{threads(results)}.{_devices(results)}"
    )


def _devices(results: Results) -> str:
    """' Keras 3 (JAX), CPU ran on cpu, the other columns on cuda.', where columns differ in it."""
    usual, *others = results.accelerators
    parts = []
    for kind in others:
        titles = [c.title for c in results.plan.columns if c.accelerator == kind]
        parts.append(f"{listed(titles)} ran on {kind}")
    return f" {listed(parts)}, the other columns on {usual}." if parts else ""


def _timing(results: Results) -> str:
    plan = results.plan
    timings = [record.timing for record in results.records]
    stops = {
        "steps": "the full number of steps",
        "precision": "enough precision",
        "time": "the cap on time",
    }
    reasons = listed(
        [
            f"{stops[stop]} in {sum(t.stop == stop for t in timings)}"
            for stop in stops
            if any(t.stop == stop for t in timings)
        ]
    )
    return (
        "Every run is one fresh process that measures one cell (model, task, batch size, "
        f"column); {plan.runs_per_cell} {'was' if plan.runs == 1 else 'were'} "
        "planned. The runs of a row are scheduled in randomised complete blocks, each visiting "
        f"every measured column once. After {spread(t.warmup_steps for t in timings)} discarded "
        f"steps (the first one included), {spread(t.steps for t in timings)} steps per run were "
        f"timed in {spread(len(t.blocks) for t in timings)} pipelined stretches through the "
        "framework's public API; a stretch lies between two fences that wait for every output and "
        "every updated variable. ms/step is the sum of the stretches' times over the sum of their "
        f"steps. Timing stopped at {reasons} of {count(len(timings), 'run')}."
    )


def _statistics(results: Results) -> str:
    means = "The time of a cell is the geometric mean of its run means"
    if not any(cell.interval for cell in results.cells):
        return f"{means}; with one run per cell no interval is given and no column is called best."
    return (
        f"{means}, with a 95 % Student t interval on their logarithms. Two cells of a row are "
        "compared by the mean log ratio over the rounds that both have in one session. "
        f"{_scatter(results)} {_nodes(results)} A column is significantly slower when its ratio to "
        f"the fastest of its row is beyond 1 + {percent(MARGIN)} (one-sided paired t test at "
        "2.5 %, Holm's correction over the comparisons of the row; over those of all rows for "
        "statements about the whole table). It is best or equal when the 95 % intervals of its "
        "ratios to all others that are not significantly slower end at "
        f"1 + {percent(MARGIN)} or below, else undecided. What was not steady in most runs, or "
        "shares fewer than two rounds with the fastest, is not compared. Steadiness is judged by "
        "change points in the means of stretches (PELT, penalty 15 ln n in units of the noise "
        "variance, "
        "where they explain more than autocorrelated noise does; levels within 1 % are the same), "
        "after Barrett et al. 2017, and over the runs of a cell by the ratio of the first half of "
        "the steps to the second; warm-up that is found is left out of the mean. A column that "
        "lacks rounds which others of its row have is printed as if it had them (least squares of "
        "columns and rounds)."
        f" {_error_rates(results)}"
    )


def _error_rates(results: Results) -> str:
    """What chance alone shows in a table like this one, what it shows of true gaps, and what few
    processes cannot show.
    """
    contests = [held for row in results.rows for held in map(contest, row.contestants)]
    compared = [held for held in contests if held.p_values]
    if not compared:
        return ""
    draws = max(EXPERIMENTS // len(compared), 100)
    found = [false_slower(held, draws) for held in compared]
    any_row = 1 - math.prod(1 - rate for rate in found)
    shown = [
        f"{percent(gap)} in {percent(fmean(true_slower(held, draws, gap) for held in compared))}"
        for gap in GAPS
    ]
    rounds = min(len(cell.run_ms) for cell in results.cells if cell.interval)
    return (
        "If all columns of a row were equally fast and scattered as here, one of them would be "
        f"found significantly slower by chance in {percent(fmean(found))} of rows and in "
        f"{percent(any_row)} of such tables (simulated); one that is truly slower than equal "
        f"others would be found to be, by {listed(shown)} of rows. Of processes that are of two "
        f"modes, equally likely and unlike, {count(rounds, 'run')} of a cell are all of one in "
        f"{percent(2.0 ** (1 - rounds))} of cells: nothing tells of the other there, and the "
        "interval is of the one alone."
    )


def _nodes(results: Results) -> str:
    """For which machines intervals hold."""
    if len(results.nodes) < 2:
        return (
            "All runs are of one machine: intervals hold for that one alone, and not for what its "
            "rounds had in common."
        )
    return (
        f"Runs are of {len(results.nodes)} nodes, each row in a round of one of them, and compared "
        "within its session. Where they lie on several, an interval rests on the means of nodes, "
        "whose variance is not moderated; elsewhere it holds for the one node alone."
    )


def _scatter(results: Results) -> str:
    """Whose scatter the intervals rest on."""
    if not has_priors(results):
        return "The variance is that of the cell's own runs, or of the pair's own rounds, alone."
    return (
        "Variances of three or more runs are weighed with the median variance of the same column, "
        f"or of the same pair of columns, over the rows, which counts as {LENT} degrees of freedom "
        "and never narrows what scatters more (after Smyth 2004 and Phipson et al. 2016). Cells "
        "that were not steady neither take part nor are weighed. The intervals by each cell's own "
        "runs alone are in runs.csv."
    )
