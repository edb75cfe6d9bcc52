"""Trainings to the end, as a table of the page."""

from __future__ import annotations

from analysis.comparisons.trainings import Trained, at_random, disagreeing, trained
from analysis.formats.text import NA, percent, seconds
from analysis.results.results import Results
from analysis.writing.grid import Grid

HEADER = ("Net and column", "Data, epochs", "Loss", "Accuracy", "s/epoch", "by ms/step")
HEADER += ("Seconds to the target",)


def trainings(results: Results) -> Grid:
    """One line per cell that was trained; marked are those that ended elsewhere."""
    target = (results.plan.training or {}).get("target_accuracy")
    found = [each for row in results.rows for each in trained(row)]
    others = {each.cell for row in results.rows for each in disagreeing(results, row)}
    aim = f"; the target is {percent(target)}" if target else ""
    if any(trained(row) and at_random(results, row) for row in results.rows):
        aim += "; nets that drop out at random may end anywhere and are not compared"
    caption = (
        "Trained to the end on real data, after the timed steps of run 1: loss and accuracy of the "
        "validation, seconds of an epoch with it (median), and the same predicted from ms/step"
        f"{aim}"
    )
    marked = frozenset(place for place, each in enumerate(found) if each.cell in others)
    lines = tuple(_line(each, target) for each in found)
    return Grid(caption, HEADER, lines, marked, mark="ended elsewhere")


def _line(found: Trained, target: float | None) -> tuple[str, ...]:
    reached_s = found.seconds_to(target) if target else None
    return (
        f"{found.cell.row.label}: {found.cell.column.title}",
        f"{found.training.data}, {len(found.training.epochs)}",
        f"{found.loss:.6f}",
        f"{found.accuracy:.4f}",
        seconds(found.epoch_s),
        seconds(found.predicted_s),
        seconds(reached_s) if reached_s else NA if not target else "not reached",
    )
