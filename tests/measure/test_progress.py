"""What the user sees while runs are measured: a line for each, its result, rows of the table."""

import io
import json

import pytest

from analysis.tables.model import main_table
from analysis.tables.writers import to_markdown
from supervise.progress import Progress
from supervise.terminal import CLEAR, Terminal

from ..analysis.results_factory import Project, make_plan, unsupported
from .conftest import identity


def test_progress_counts_runs_as_planned_and_estimates_the_rest(tmp_path):
    runs = [
        {"record": f"{n}/run1.json", "identity": identity(changes={"seed": n})} for n in range(4)
    ]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"cells": [{"runs": runs[:2]}, {"runs": runs[2:]}]}))
    for n in range(3):
        content = {"identity": runs[n]["identity"], "total_s": 10.0 + n, "timing": None}
        (tmp_path / f"{n}").mkdir()
        (tmp_path / f"{n}/run1.json").write_text(json.dumps(content))
    (tmp_path / "2/run1.json").write_text(json.dumps({"identity": "older", "total_s": 1000}))
    now = Progress(plan, runs[2]["identity"], tmp_path).now()
    assert now == "[3/4] fake fit, batch 4, fake, run 1; about 21 s left"
    again = Progress(plan, identity(changes={"again": True}), tmp_path)
    assert again.now() == "fake fit, batch 4, fake, run 1, once more for the self-test"
    failed = again.result({"status": "oom", "reason": "no memory"})
    assert failed.endswith(", once more for the self-test: oom: no memory")
    nothing = Progress(tmp_path / "none.json", runs[0]["identity"])
    assert nothing.now() == "fake fit, batch 4, fake, run 1"


def test_another_run_is_expected_to_last_as_long_as_its_cells_first_without_the_extras(tmp_path):
    runs = [{"record": f"run{n}.json", "identity": identity(changes={"run": n})} for n in (1, 2)]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"cells": [{"runs": runs}]}))
    block = {"steps": 10, "elapsed_ns": 4_000_000_000}
    timing = {"timed_s": 12.0, "blocks": [block], "synchronised_ns": [1_000_000_000]}
    record = {"identity": runs[0]["identity"], "total_s": 30.0, "timing": timing}
    record |= {"cell": {"batch_size": 4}, "probes": [{"batch_size": 8, "elapsed_ns": 1}]}
    (tmp_path / "run1.json").write_text(json.dumps(record))
    assert "about 23 s left" in Progress(plan, runs[1]["identity"], tmp_path).now()


@pytest.fixture
def project(tmp_path):
    """Two rows on three columns, of which one cannot be measured; all records are there."""
    columns = ("keras3-jax", "keras3-torch", "pytorch-eager")
    plan = make_plan(columns=columns, runs=2)
    made = Project(tmp_path, unsupported(plan, "keras3-torch", "nobody wrote it"))
    for path, record in made.records.items():
        cell = record["cell"]
        about = {name: cell[name] for name in ("model", "task", "batch_size", "column", "run")}
        text = json.dumps({**json.loads(record["identity"]), **about, "probes": []})
        record["identity"] = text
        planned = [run for entry in made.plan["cells"] for run in entry["runs"]]
        next(run for run in planned if run["record"] == path)["identity"] = text
    return made


def lines_of(project, path):
    """What is printed at the end of the run of a record that has just been written."""
    progress = Progress(project.plan_path, project.records[path]["identity"], project.folder)
    stream = io.StringIO()
    with progress.shown(stream) as measured:
        measured.append(project.records[path])
    return stream.getvalue().splitlines()


def test_a_finished_row_is_printed_as_it_will_stand_in_the_table(project):
    project.fail("oom", column="pytorch-eager")
    project.save()
    table = to_markdown(main_table(project.load())).splitlines()
    path = next(p for p in project.records if "fit" in p and "keras3-jax/run2" in p)
    _, result, header, row = lines_of(project, path)
    assert result.startswith("[8/8] bert fit, batch 8, keras3-jax, run 2: 8.0")
    assert result.endswith(" ms/step")
    assert header == table[0]
    line, note = row.rsplit("  ", 1)
    assert note == "round 2 of 2" and len(line) == len(header)
    cells = [cell.strip() for cell in line.strip("| ").split("|")]
    assert cells[:2] == ["BERT fit", "8"] and cells[3:] == ["NA", "oom"]
    whole = [cell.strip(" *") for cell in table[2].strip("| ").split("|")]
    assert whole[2].startswith(cells[2])


def test_a_row_is_printed_once_its_round_is_complete_and_not_before(project):
    project.save()
    path = next(p for p in project.records if "fit" in p and "keras3-jax/run1" in p)
    assert len(lines_of(project, path)) == 4
    other = next(p for p in project.records if "fit" in p and "pytorch-eager/run1" in p)
    (project.folder / other).unlink()
    assert len(lines_of(project, path)) == 2
    (project.folder / other).write_text(json.dumps({**project.records[other], "identity": "old"}))
    assert len(lines_of(project, path)) == 2


class Screen(io.StringIO):
    def isatty(self):
        return True

    def fileno(self):
        raise OSError


def test_on_a_terminal_the_line_stays_in_place_and_in_a_file_each_is_plain():
    screen, file = Screen(), io.StringIO()
    for stream in (screen, file):
        terminal = Terminal(stream)
        terminal.stay("[1/2] now " + "x" * 100)
        terminal.leave("[1/2] done\x1b[2J", "| row |")
        terminal.stay("[2/2] now")
        terminal.leave()
    first, rest = screen.getvalue().split(CLEAR, 2)[1:]
    assert len(first) == 79
    assert rest == f"[1/2] done [2J\n| row |\n{CLEAR}[2/2] now{CLEAR}"
    assert file.getvalue().splitlines() == [
        "[1/2] now " + "x" * 100,
        *("[1/2] done [2J", "| row |", "[2/2] now"),
    ]
