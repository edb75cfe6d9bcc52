"""Small archives that differ in one thing, and what a comparison of them writes."""

from archive_factory import as_archive
from record_changes import stretch
from results_factory import Project, fail, make_plan

from analysis.compare.archives import read_archives
from analysis.compare.cells import compare
from analysis.compare.page import write_comparisons

COLUMNS = ("keras3-tensorflow", "keras3-jax")
ROWS = (("bert", "fit", 8, 32),)


def make_archive(folder, name, change=lambda record: None, runs=3, canaries=None, **plan):
    """An archive that holds what is measured, each on a day of its own, and nothing that is drawn
    from it. canaries: changes of each.
    """
    project = Project(folder / name, make_plan(runs, **{"rows": ROWS, "columns": COLUMNS, **plan}))
    day = f"2026-12-{1 + len([*folder.glob('*.zip')]):02}"
    project.change(lambda record: record.update(started_at=f"{day}{record['started_at'][10:]}"))
    project.change(change)
    project.canaries = [{**canary, **(canaries or {})} for canary in project.canaries]
    project.save()
    return as_archive(project.folder, folder / f"{name}.zip")


def upgraded(record):
    stretch(record, 1.2)
    record["environment"]["packages"]["numpy"] = "2.5.0"
    record["parity"]["compiler"] = "xla 2"


def moved(record):
    upgraded(record)
    record["machine"] = {**record["machine"], "id": "m2", "cpu": "Other CPU"}


def moved_once(record):
    if record["cell"]["run"] == 1:
        moved(record)


def lost(record):
    if record["cell"]["column"] == "keras3-jax":
        fail(record, "oom", "too much")


def compared(tmp_path, *paths):
    folder = tmp_path / "unpacked"
    folder.mkdir()
    base, *others = read_archives(list(paths), folder)
    return [compare(base, other) for other in others]


def written(tmp_path, *comparisons):
    """Page, Markdown and CSV."""
    write_comparisons(list(comparisons), tmp_path / "c.html")
    return [(tmp_path / f"c.{form}").read_text() for form in ("html", "md", "csv")]
