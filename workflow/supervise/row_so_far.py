"""A row of the table as far as it is measured, with the column widths of the table."""

import statistics
from typing import Any

from contract import table_text
from contract.disturbance import DISTURBED
from supervise import reading

Records = dict[str, dict[str, Any]]  # by path
Row = tuple[str, str, int]


def lines(plan: dict[str, Any], run: dict[str, Any], done: Records) -> list[str]:
    """Header and line of the row of a run; no lines if its round is not complete.

    run: with model, task, batch size and number. done: the records that are as planned.
    """
    row = _key(run)
    cells = [cell for cell in plan["cells"] if _key(cell) == row]
    block = [each for cell in cells for each in cell["runs"] if each["run"] == run["run"]]
    if any(each["record"] not in done for each in block):
        return []
    texts = {
        cell["column"]: _text([done[r["record"]] for r in cell["runs"] if r["record"] in done])
        for cell in cells
    }
    rounds = max(len(cell["runs"]) for cell in cells)
    found = _in_parts(plan, row, texts, rounds > 1)
    return [*found[:-1], f"{found[-1]}  round {run['run']} of {rounds}"] if rounds > 1 else found


def mean_step_ms(records: list[dict[str, Any]]) -> float | None:
    """Geometric mean of the runs' ms per step, as in the table; None if no run has a time."""
    found = [reading.step_ms(record) for record in records if record["status"] == "ok"]
    return statistics.geometric_mean(found) if found else None


def _key(cell: dict[str, Any]) -> Row:
    return cell["model"], cell["task"], cell["batch_size"]


def _text(records: list[dict[str, Any]]) -> str:
    """A cell's text as in the table but without interval: the time, and whether it was disturbed,
    else the first run's status.
    """
    if not records:
        return table_text.NA
    time_ms = mean_step_ms(records)
    if time_ms is None:
        return str(records[0]["status"])
    disturbed = any(reading.disturbed(record) for record in records if record["status"] == "ok")
    return f"{table_text.ms(time_ms)} {DISTURBED}" if disturbed else table_text.ms(time_ms)


def _in_parts(plan: dict[str, Any], row: Row, texts: dict[str, str], intervals: bool) -> list[str]:
    """Header and line for each part of the table. intervals: whether the table will have them."""
    labels = {_key(entry): (entry["title"], str(entry["batch_size"])) for entry in plan["rows"]}
    found = []
    for part in table_text.parts(len(plan["columns"])):
        columns = plan["columns"][part]
        header = [*table_text.LABELS, *(column["title"] for column in columns)]
        line = [*labels[row], *(texts[column["name"]] for column in columns)]
        others = [[*label, *[""] * len(columns)] for label in labels.values()]
        widths = table_text.widths([header, line, *others], intervals=intervals)
        found += [table_text.aligned(header, widths), table_text.aligned(line, widths)]
    return found
