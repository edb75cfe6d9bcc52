"""Methods text, ready to paste: the protocol as far as the plan and the records bear it out."""

from __future__ import annotations

import math

from analysis.comparisons.cross_over import sweeps
from analysis.formats.text import count, listed, percent
from analysis.report.native_text import native_text
from analysis.report.padding_text import padding_text
from analysis.report.setting import machines, period, software, spread, threads, values_of
from analysis.results.results import Results
from analysis.statistics.cross_over import DRAWS
from analysis.statistics.intervals import MARGIN
from analysis.statistics.moderation import Prior
from analysis.statistics.table_scatter import UNKNOWN


def methods_text(results: Results) -> list[str]:
    """Paragraphs."""
    if not results.records:
        return ["Nothing is measured yet."]
    own = [*padding_text(results), *native_text(results)]
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
        f"timed in {spread(len(t.blocks) for t in timings)} pipelined blocks through the "
        "framework's public API; a block lies between two fences that wait for every output and "
        "every updated variable. ms/step is the sum of the blocks' times over the sum of their "
        f"steps. Timing stopped at {reasons} of {count(len(timings), 'run')}."
    )


def _statistics(results: Results) -> str:
    means = "The time of a cell is the geometric mean of its run means"
    if not any(cell.interval for cell in results.cells):
        return f"{means}; with one run per cell no interval is given and no column is called best."
    return (
        f"{means}, with a 95 % Student t interval on their logarithms. Two cells of a row are "
        "compared by the mean log ratio over the rounds that both have in one session. "
        f"{_scatter(results)} {_nodes(results)} A column is shown slower when its ratio to the "
        f"fastest of its row is beyond 1 + {percent(MARGIN)} (one-sided paired t test at 2.5 %, "
        "Holm's correction over the comparisons of the row; over those of all rows for statements "
        "about the whole table). It is best or equal when the 95 % intervals of its ratios to all "
        f"others that are not shown slower end at 1 + {percent(MARGIN)} or below, else undecided. "
        "What was not steady in some run, or shares fewer than two rounds with the fastest, is not "
        "compared. Steadiness is judged by change points in the block means (PELT, penalty "
        "15 ln n in units of the noise variance; levels within 1 % are the same), after Barrett "
        "et al. 2017."
        f"{_cross_over(results)}"
    )


def _nodes(results: Results) -> str:
    """For which machines intervals hold."""
    if len(results.nodes) < 2:
        return "All runs are of one machine: intervals hold for that one alone."
    return (
        f"Runs are of {len(results.nodes)} nodes, each row in a round of one of them, and compared "
        "within its session. Where they lie on several, an interval rests on the means of nodes, "
        "whose variance is not moderated; elsewhere it holds for the one node alone."
    )


def _scatter(results: Results) -> str:
    """Whose scatter the intervals rest on."""
    alone = "The variance is that of the cell's own runs, or of the pair's own rounds, alone."
    scatter = next((cell.scatter for cell in results.cells), UNKNOWN)
    parts = [
        f"{_prior_text(prior)} for {what}"
        for what, prior in (("cells", scatter.cells), ("pairs", scatter.pairs))
        if prior
    ]
    if not parts:
        return alone
    return (
        "Variances of three or more runs are moderated over the table (empirical Bayes, Smyth "
        f"2004; prior of {listed(parts)}); one above the prior's is kept and lent fewer of its "
        "degrees of freedom. Cells that were not steady neither take part nor are moderated. The "
        "intervals by each cell's own runs alone are in runs.csv."
    )


def _prior_text(prior: Prior) -> str:
    """'4.1 degrees of freedom, following the scatter of blocks within runs,'."""
    freedom = prior.degrees_of_freedom
    number = "unlimited" if math.isinf(freedom) else f"{freedom:.1f}"
    trend = ", following the scatter of the blocks within runs," if prior.slope else ""
    return f"{number} degrees of freedom{trend}"


def _cross_over(results: Results) -> str:
    """How the size is found from which on the GPU is faster; empty where no net has several."""
    if not any(sweep.found for sweep in sweeps(results)):
        return ""
    return (
        " The cross-over of two devices is the size of a net from which on the mean log ratio of "
        "their times favours the GPU at every measured size, linear in the logarithm of the number "
        "of parameters between two of them. Its 95 % interval is a bootstrap over runs: the middle "
        f"of {DRAWS:,} cross-overs, for each of which the mean of every size is drawn from "
        "Student's t with the standard error and the degrees of freedom of its rounds."
    )
