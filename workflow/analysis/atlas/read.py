"""python -m analysis.atlas.read millistep.zip --output read.json

Verifies one archive and writes what an atlas needs of it. A bad archive is no failure: what is
wrong with it is written instead, so that the atlas can name it and leave it out.
"""

from __future__ import annotations

import argparse
import json
from hashlib import sha256 as digest_of
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from analysis.archive import ABOUT
from analysis.archive.manifest import sha256
from analysis.archive.rebuild import rebuild
from analysis.archive.unpack import results_in
from analysis.archive.verification import DIFFERENT, IDENTICAL, Rebuild, verify
from analysis.claims.verdicts import outcomes
from analysis.data import ROW, Data
from analysis.formats.errors import InputError, run_command, write_text
from analysis.formats.strict_json import read_json
from analysis.formats.text import listed, plain
from analysis.results.machines import machines_of
from analysis.results.reference import Reference, load_reference
from analysis.results.results import Results, correlation_of_starts
from analysis.results.stand_in import NOT_TO_BE_CITED, is_simulated
from analysis.statistics.intervals import ends
from analysis.statistics.mean_ratio import mean_ratio
from analysis.topics import load_rules
from analysis.writing.texts import records
from packing.sealed_zip import CHUNK_BYTES

SECONDS_TO_FETCH = 300
MOST_BYTES = 2**30  # of a zip that a link leads to; one of ten thousand cells is smaller
MEAN = "geometric mean"  # in the place of a row's model
RATIO = ["ratio", "ci95_low", "ci95_high"]
CELLS = [*ROW, "row_title", "column", "column_title", "stack", "accelerator", "status", "reason"]
CELLS += ["step_ms", "ci95_low_ms", "ci95_high_ms", "standing", "tells_nothing", "ok_runs"]


def main() -> None:
    """Read one archive, or write what is wrong with it."""
    load_rules()
    options = argparse.ArgumentParser(description="Verify an archive and read it for an atlas.")
    options.add_argument("archive", help="a zip, or a link to one")
    options.add_argument("--sha256", help="what the archive's has to be")
    options.add_argument("--output", type=Path, required=True, help="the JSON file to write")
    arguments = options.parse_args()
    named = {"archive": arguments.archive}
    with TemporaryDirectory(prefix="millistep-") as folder:
        try:
            found = read(arguments.archive, arguments.sha256, Path(folder), load_reference())
            text = json.dumps(named | found, allow_nan=False)
        except Exception as error:  # whatever a stranger's file does: the others are read
            told = [f"{type(error).__name__}: {error}"]
            lines = error.lines if isinstance(error, InputError) else told
            lines = [line.replace(folder, "").replace(arguments.archive, "") for line in lines]
            text = json.dumps(named | {"wrong": [plain(line).lstrip(":/ ") for line in lines]})
    write_text(arguments.output, text + "\n")


def read(
    archive: str,
    expected: str | None,
    folder: Path,
    reference: Reference,
    draw: Rebuild = rebuild,
) -> dict[str, Any]:
    """The content of an archive that an atlas needs, as JSON; raises InputError for one that is not
    used. `folder` is empty; `draw` makes the results of a project.
    """
    path = _fetched(archive, folder) if urlsplit(archive).scheme in ("http", "https") else archive
    path, place = Path(path), folder / "verified"
    place.mkdir()
    digest = sha256(path) if path.is_file() else ""
    if expected and digest not in ("", expected):
        raise InputError(f"its sha256 is {digest}, not {expected}")
    verification = verify(path, place, draw)
    if verification.status == DIFFERENT:
        wrong = [f"{name}: {why}" for name, why in sorted(verification.wrong.items())]
        wrong += [f"{name}: {found.place}" for name, found in verification.unequal.items()]
        raise InputError((wrong or ["the zip is not the one that was made: repacked?"])[:3])
    unpacked = place / "archive"
    results = results_in(unpacked)
    about = read_json(unpacked / ABOUT, ABOUT)
    drawn = "identical" if verification.status == IDENTICAL else "as archived, drawn otherwise here"
    told = {"name": path.name, "sha256": digest, "verified": drawn, "revision": about["revision"]}
    return told | content(results, reference)


def _fetched(link: str, folder: Path) -> Path:
    path = folder / (Path(urlsplit(link).path).name or "archive.zip")
    try:
        with urlopen(link, timeout=SECONDS_TO_FETCH) as answer, path.open("wb") as file:
            while chunk := answer.read(CHUNK_BYTES):
                if file.tell() + len(chunk) > MOST_BYTES:
                    raise InputError(
                        f"not fetched, since it is larger than the {MOST_BYTES >> 20} MiB that are "
                        "taken from a link; fetch it yourself and name the file"
                    )
                file.write(chunk)
    except (HTTPException, OSError, ValueError) as error:
        raise InputError(f"could not be fetched ({error})") from None
    return path


def content(results: Results, reference: Reference) -> dict[str, Any]:
    """Cells, pairs and claims of one archive; raises InputError where nothing has a time."""
    if is_simulated(results):
        raise InputError(NOT_TO_BE_CITED)
    if not results.records:
        raise InputError("no cell has a time")
    plan, data = results.plan, Data(results)
    work = {name: _short(model.architecture) for name, model in plan.models.items()}
    return {
        "scale": plan.scale,
        "machine": listed(sorted({one.name for one in machines_of(results.records)})),
        "digest": results.digest,
        "started_at": min(record.started_at for record in results.records),
        "work": work,
        "cells": _cells(data),
        "pairs": [*_pairs(data), *_means(data, work)],
        "claims": _claims(results, reference),
    }


def _short(architecture: dict[str, Any]) -> str:
    return digest_of(json.dumps(architecture, sort_keys=True).encode()).hexdigest()[:8]


def _cells(data: Data) -> list[dict[str, Any]]:
    lines = records(data.cells[CELLS])
    for line, cell in zip(lines, data.cell_of.values(), strict=True):
        line["run_ms"] = cell.independent_ms if cell.ok_runs else []
    return lines


def _pairs(data: Data) -> list[dict[str, Any]]:
    """Each pair of columns once, in the order of their names: t(b) / t(a), above 1 where a is
    faster.
    """
    once = data.ratios[data.ratios["faster"] < data.ratios["slower"]]
    return records(once.rename(columns={"faster": "a", "slower": "b"}))


def _means(data: Data, work: dict[str, str]) -> list[dict[str, Any]]:
    """Each pair's mean over all rows that have both; a mean over other rows is of other work."""
    found = []
    for (a, b), of in data.ratios.groupby(["faster", "slower"], sort=False):
        keys = list(of[ROW].itertuples(index=False, name=None))
        if a > b or len(keys) < 2:
            continue
        cells = [(data.cell_of[(*key, b)], data.cell_of[(*key, a)]) for key in keys]
        times = {str(one.row.key): (one.compared_ms, two.compared_ms) for one, two in cells}
        mean = mean_ratio(times, correlation_of_starts(data.results))
        found.append(
            {"model": MEAN, "task": "", "batch_size": len(keys), "a": a, "b": b}
            | dict(zip(RATIO, (mean.value, *ends(mean.interval)), strict=True))
            | {"work": _short({str(key): work[key[0]] for key in keys})}
        )
    return found


def _claims(results: Results, reference: Reference) -> list[dict[str, Any]]:
    found = []
    for claim, _, outcome, _ in outcomes(results, reference):
        if outcome.tested:
            gains = [1 + gain for gain in outcome.evidence.get("gain", {}).values()]
            found.append(
                {"claim": claim.id, "text": claim.text, "reading": claim.reading}
                | {"ratio_low": min(gains, default=None), "ratio_high": max(gains, default=None)}
                | {"holds": outcome.holds}
            )
    return found


if __name__ == "__main__":
    run_command(main)
