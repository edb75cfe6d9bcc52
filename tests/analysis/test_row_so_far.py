"""Rows are printed while the table is measured as they will stand in it."""

import io
import json

import pytest
from results_factory import Project, make_plan, unsupported

from analysis.tables.model import main_table
from analysis.tables.writers import to_markdown
from supervise.progress import Progress


@pytest.fixture
def project(tmp_path):
    """Two rows on three columns, of which one cannot be measured; all records are there."""
    columns = ("keras3-jax", "keras3-torch", "pytorch-eager")
    plan = unsupported(make_plan(columns=columns, runs=2), "keras3-torch", "nobody wrote it")
    for cell in plan["cells"]:
        about = {name: cell[name] for name in ("model", "task", "batch_size", "column")}
        for run in cell["runs"]:
            more = {**about, "run": run["run"], "probes": []}
            run["identity"] = json.dumps({**json.loads(run["identity"]), **more})
    return Project(tmp_path, plan)


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


def test_a_time_that_other_work_disturbed_is_not_printed_as_if_it_told_something(project):
    runs = [p for p in project.records if "fit" in p and "keras3-jax" in p]
    project.records[runs[0]]["load"]["foreign_cpu_share"] = 0.3
    project.save()
    _, result, _, row = lines_of(project, runs[0])
    assert result.endswith(
        " ms/step, disturbed: other processes took at least 25 % of the processors"
    )
    assert row.split("|")[3].strip().split() == ["8.012", "disturbed"]
    # Its row goes on with it, though the run of this round was left in peace.
    _, result, _, row = lines_of(project, runs[1])
    assert result.endswith(" ms/step") and " disturbed |" in row
    assert " *disturbed* [" in to_markdown(main_table(project.load()))
