"""Render everything that people read, from a plan and whatever records exist."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from millistep.analysis import figures, tables
from millistep.analysis.frames import Data
from millistep.analysis.load import load
from millistep.analysis.report import page

NO_CAVEATS = pd.DataFrame(columns=["kind", "severity", "title", "text", "remedy"])


def render(plan: Path, folder: Path, so_far: bool = False, runs_only: bool = False) -> Data:
    """Write tables, figures and pages into a folder.

    `so_far`: only report.html, for results that are still being measured. `runs_only`: only
    runs.csv and runs.parquet.
    """
    data = load(plan)
    folder.mkdir(parents=True, exist_ok=True)
    if so_far:
        with TemporaryDirectory() as scratch:
            drawn = figures.draw_all(data, {}, Path(scratch) / "figures")
            page.write(data, Path(scratch), drawn, NO_CAVEATS, {}, appendix=False)
            (folder / "report.html").write_bytes(Path(scratch, "report.html").read_bytes())
        return data
    tables.write_runs(data, folder)
    if runs_only:
        return data
    tables.write(data, folder)
    drawn = figures.draw_all(data, {}, folder / "figures")
    page.write(data, folder, drawn, NO_CAVEATS, {})
    return data
