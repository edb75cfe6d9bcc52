"""python -m analysis.atlas READ.json ... --output-dir results/atlas"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.atlas.page import write_page
from analysis.atlas.tables import Atlas
from analysis.atlas.trends import trends
from analysis.formats.errors import InputError, run_command, write_text
from analysis.formats.strict_json import read_json
from analysis.formats.text import count
from analysis.writing.files import to_csv, to_parquet

OF_THE_PAGE = ["row_title", "column_title", "run_ms", "work"]


def main() -> None:
    """Write the page and its tables; say which archives were left out."""
    options = argparse.ArgumentParser(description="Join archives that were read into an atlas.")
    options.add_argument("read", type=Path, nargs="*", help="files of analysis.atlas.read")
    options.add_argument("--output-dir", type=Path, required=True)
    arguments = options.parse_args()
    atlas = Atlas(list(map(_read, arguments.read)))
    for one in atlas.left_out:
        print(f"left out: {one['archive']}: {'; '.join(one['wrong'])}", file=sys.stderr)
    if not atlas.used:
        raise InputError("none of the archives can be used, so there is no atlas")
    course, folder = trends(atlas), arguments.output_dir
    write_page(atlas, course, folder / "atlas.html")
    cells = atlas.cells.drop(columns=OF_THE_PAGE)
    names = atlas.archives.set_index("archive")[["name", "sha256"]].add_prefix("archive_")
    cells = cells.join(names, on="archive")
    for name, frame in (
        ("cells", cells),
        ("pairs", _told(atlas.pairs)),
        ("claims", _told(atlas.claims)),
        ("trends", _told(course.drop(columns=["points"]))),
    ):
        write_text(folder / f"{name}.csv", to_csv(frame))
    (folder / "cells.parquet").write_bytes(to_parquet(cells))
    print(
        f"{folder / 'atlas.html'}: {count(len(cells), 'cell')} of "
        f"{count(len(atlas.used), 'archive')}, {len(atlas.left_out)} left out"
    )


def _read(path: Path) -> dict[str, Any]:
    found = read_json(path, str(path))
    if not isinstance(found, dict) or not {"wrong", "cells"} & found.keys():
        raise InputError(f"{path}: not what analysis.atlas.read writes")
    return found


def _told(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with each list as one text."""
    return frame.map(lambda value: _text(value) if isinstance(value, list) else value)


def _text(values: list) -> str:
    return "; ".join(
        ", ".join(f"{key} {value}" for key, value in one.items())
        if isinstance(one, dict)
        else str(one)
        for one in values
    )


if __name__ == "__main__":
    run_command(main)
