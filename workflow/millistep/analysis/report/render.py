"""Render everything that people read, from a plan and whatever records exist."""

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from millistep.analysis import claims, figures, published, tables
from millistep.analysis.archive import contents
from millistep.analysis.caveats import caveats
from millistep.analysis.frames import Data
from millistep.analysis.load import load, project_of
from millistep.analysis.parallel import each
from millistep.analysis.report import appendix, keras_page, methods, page, summary
from millistep.analysis.topics import topics
from millistep.analysis.words import escaped, tried


def render(
    plan: Path,
    folder: Path,
    so_far: bool = False,
    runs_only: bool = False,
    study_topics: bool = True,
) -> Data:
    """Write tables, figures and pages into a folder.

    `so_far`: only report.html, for results that are still being measured. `runs_only`: only
    runs.csv and runs.parquet. `study_topics`: run the topics of the plan's own folders; never for a
    plan of others, because they are code.
    """
    data = load(plan)
    folder.mkdir(parents=True, exist_ok=True)
    if so_far:
        with TemporaryDirectory() as scratch:
            drawn = figures.draw_all(data, {}, Path(scratch, "figures"))
            page.write(data, Path(scratch), drawn, caveats(data), {}, appendix=False)
            Path(scratch, "report.html").replace(folder / "report.html")
        return data
    if runs_only:
        tables.write_runs(data, folder)
        return data
    tables.write(data, folder)
    root = project_of(plan, data.plan)
    folders = [root / name for name in contents.folders(data.plan)] if study_topics else []
    asked = topics(folders)
    said = {
        name: found
        for name, topic in asked.items()
        if (found := tried(f"topic {name}", _topic, name, topic, data, folder))
    }
    drawn = figures.draw_all(data, {name: asked[name] for name in said}, folder / "figures")
    warned = caveats(data)
    write_caveats(warned, folder)
    judged = claims.table(data)
    tables.write_csv(judged, folder / "claims.csv")
    tables.write_csv(published.table(data), folder / "published.csv")

    def report() -> None:
        more = [page.section("claims", "Published claims", sentences=claims.sentences(judged))]
        more += methods.sections(data, contents.digest(data.plan, root))
        more = [section for section in more if section["sentences"] or section["text"]]
        page.write(data, folder, drawn, warned, said, more)

    pages: list[Callable[[], None]] = [
        lambda: tried("appendix", appendix.write, data, folder, drawn),
        lambda: tried("page.md", keras_page.write, data, folder, drawn, warned),
        report,
        lambda: tables.write_runs(data, folder),
        lambda: summary.write(data, folder),
    ]
    each(lambda write: write(), pages)
    return data


def _topic(name: str, topic: ModuleType, data: Data, folder: Path) -> tuple[str, list[str]]:
    """Write the CSV of a topic and return its title and sentences."""
    table = topic.table(data)
    tables.write_csv(table, folder / f"{name}.csv")
    return topic.TITLE, topic.sentences(table)


def write_caveats(found: Any, folder: Path) -> None:
    """Write caveats.json and caveats.md."""
    entries = json.loads(found.to_json(orient="records", default_handler=str))
    (folder / "caveats.json").write_text(json.dumps(entries, indent=1) + "\n")
    lines = [
        f"- **{entry['severity']}: {entry['title']}.** {escaped(entry['text'])}"
        f" {entry['remedy']}".rstrip()
        for entry in entries
    ]
    (folder / "caveats.md").write_text("\n".join(lines) + "\n")
