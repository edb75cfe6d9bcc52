"""Simulates a cluster of 100 nodes and what goes wrong on it: is anything lost, and do the
intervals still hold the truth?

    python3 benchmarks/cluster.py [ROWS]

ROWS of six columns (1,667: 10,002 cells) x 5 rounds. Each block is measured by a job on any node.
Of the jobs 5 % are killed in a run: that one ends as killed, and the rest of the block is measured
by another job on any node. Nodes differ by 3 %, one is 10 % slower still, one has a clock that is
400 days late; a column is 1 % faster or slower on one node than on another. The records are then
drawn by the report's commands, and its intervals compared with what is true.
"""

import math
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "workflow"))
sys.path.insert(0, str(ROOT / "tests/analysis"))

from finding import COVERS, Finding  # noqa: E402
from redraw import draw  # noqa: E402
from results_factory import FRAMEWORKS, step_ms  # noqa: E402
from whole_table import whole_table  # noqa: E402

from analysis.results.cells import cell_ratio  # noqa: E402
from analysis.results.loading import load_results  # noqa: E402

NODES, ROUNDS, KILLED = 100, 5, 0.05
APART, COLUMN_APART = 0.03, 0.01  # standard deviations of nodes, and of a column from node to node
SLOW, SLOWER, LYING, LATE = 7, 1.10, 13, timedelta(days=400)


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1667
    print(f"{6 * rows:,} cells x {ROUNDS} runs on {NODES} nodes")
    with tempfile.TemporaryDirectory() as folder:
        project = whole_table(
            Path(folder), ROUNDS, [("bert", "fit", batch, None) for batch in range(1, rows + 1)]
        )
        killed = measured_on_nodes(project, np.random.default_rng(1))
        plan = project.save()
        planned = len(project.records)
        del project
        print("  drawn; bars: 120 s, 2 GB")
        draw(Path(folder))
        results = load_results(plan)
    found = [run.status for _, run in results.runs]
    print(f"  {planned:,} runs planned, {found.count('ok'):,} ok, {found.count('killed')} killed")
    findings = [*coverage(results)]
    for finding in findings:
        print(finding.line)
    lost = planned - found.count("ok") - killed
    if lost or found.count("killed") != killed:
        sys.exit(f"{lost} runs are lost, or the wrong ones")
    if any(finding.missed for finding in findings):
        sys.exit("a bar is missed")


def measured_on_nodes(project, generator):
    """Give every record a session on a node, and its time; return how many runs were killed."""
    speeds = generator.normal(scale=APART, size=NODES)
    speeds[SLOW] += math.log(SLOWER)
    columns = list(FRAMEWORKS)
    apart = generator.normal(scale=COLUMN_APART, size=(NODES, len(columns)))
    killed = 0
    for block in blocks_of(project):
        fatal = int(generator.integers(len(block))) if generator.random() < KILLED else None
        session = new_session(generator, attempt=1)
        for place, record in enumerate(block):
            record["session"] = session
            node = int(session["node"], 16)
            slow_down(record, speeds[node] + apart[node, columns.index(record["cell"]["column"])])
            if node == LYING:
                late(record)
            if place == fatal:
                record.update(timing=None, probes=[], work=None, parity=None, ending=None)
                record.update(status="killed", reason="the job was killed", host_overhead=None)
                project.ended[session["id"]] = "killed"
                session = new_session(generator, attempt=2)
                killed += 1
    project.machine_cards = {f"{node:08x}": project.machine_card for node in range(NODES)}
    return killed


def blocks_of(project):
    """The records of each block, in the order of the schedule."""
    found = {}
    for record in project.records.values():
        cell = record["cell"]
        found.setdefault((cell["batch_size"], cell["run"]), []).append(record)
    return found.values()


def new_session(generator, attempt):
    node = int(generator.integers(NODES))
    only = {"device": None, "slot": 0, "slots": 1, "attempt": attempt, "neighbours": 0}
    return {"id": generator.bytes(6).hex(), "node": f"{node:08x}", **only}


def slow_down(record, log):
    factor, timing = math.exp(log), record["timing"]
    for block in timing["blocks"]:
        block["elapsed_ns"] = round(factor * block["elapsed_ns"])
    timing["synchronised_ns"] = [round(factor * time) for time in timing["synchronised_ns"]]
    timing["legacy"]["step_ms"] *= factor


def late(record):
    for name in ("started_at", "finished_at"):
        record[name] = (datetime.fromisoformat(record[name]) - LATE).isoformat()


def coverage(results):
    """Coverage of all cells' intervals, and of those of all ratios to their row's first column."""
    cells, ratios = [], []
    for place, row in enumerate(results.rows):
        base, *others = row.cells
        scale = 1.4 ** (place % 12)
        for cell in row.cells:
            cells.append(covers(cell.interval, step_ms(cell.column.name) * scale))
        for cell in others:
            ratio = cell_ratio(cell, base)
            truth = step_ms(cell.column.name) / step_ms(base.column.name)
            ratios.append(covers(ratio.interval if ratio else None, truth))
    for what, found in (("time", cells), ("ratio", ratios)):
        known = [covered for covered in found if covered is not None]
        words = f"the interval of a {what} covers the truth ({len(known):,} of {len(found):,})"
        yield Finding(words, ROUNDS, float(np.mean(known)), COVERS)


def covers(interval, truth):
    return None if interval is None else interval.low <= truth <= interval.high


if __name__ == "__main__":
    main()
