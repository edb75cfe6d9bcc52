"""python -m analysis.archive.verify results/millistep.zip

Checks every byte, checksum and schema of an archive, draws everything anew from plan and records,
and prints whether it is the same. Exit status 0: identical; 1: different; 2: no archive that can be
checked; 3: undecided, since sources or versions here are not those that made it.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from analysis.archive.manifest import sha256
from analysis.archive.verification import DIFFERENT, IDENTICAL, UNDECIDED, Verification, verify
from analysis.formats.errors import run_command
from analysis.formats.text import count, listed, plain

VERDICTS = {
    IDENTICAL: "IDENTICAL: every file is as archived, and as drawn anew from the records.",
    DIFFERENT: "DIFFERENT: this is not the archive as it was made.",
    UNDECIDED: "UNDECIDED: every file is as archived, but some results look otherwise here.",
}
UNUSABLE = 2  # the exit status where there is no verdict
MAX_SOURCES = 3  # that a line names
MAX_UNEQUAL = 12  # results that are listed one by one


def report_lines(found: Verification) -> Iterator[str]:
    """The findings, one a line, and the verdict."""
    seal = "as it was made, to the byte" if found.sealed else "not the one that was made: repacked?"
    broken = count(len(found.wrong), "file")
    yield f"zip        {seal}"
    yield f"files      {found.files}, {f'wrong: {broken}' if found.wrong else 'all as archived'}"
    if found.digest:
        yield f"measured   sha256 of plan and records {found.digest}"
    yield f"schemas    {count(found.passed, 'JSON file')} pass"
    yield f"drawn anew {count(found.redrawn, 'result')}, {found.same} identical"
    if found.sources:
        more = len(found.sources) - MAX_SOURCES
        names = found.sources[:MAX_SOURCES] + ([f"{more} more"] if more > 0 else [])
        yield f"sources    other here than in the archive: {listed(names)}"
    yield from (f"wrong      {name}: {why}" for name, why in sorted(found.wrong.items()))
    for name, unequal in list(found.unequal.items())[:MAX_UNEQUAL]:
        excuse = found.excuse(unequal)
        yield f"otherwise  {name}: {unequal.place}{f' ({excuse})' if excuse else ''}"
    if len(found.unequal) > MAX_UNEQUAL:
        yield f"otherwise  {len(found.unequal) - MAX_UNEQUAL} more results"
    yield VERDICTS[found.status]
    if found.unequal and found.sources and not found.wrong:
        revision = (found.revision or "which it does not name").removesuffix("-dirty")
        yield (
            f"To draw it by its own sources, check out their revision ({revision}) from the "
            "repository and verify it there; never run what an archive holds."
        )


def main() -> None:
    """Print what was found; the exit status is the verdict."""
    options = argparse.ArgumentParser(description="Check an archive, and draw its results anew.")
    options.add_argument("archive", type=Path, help="the zip")
    arguments = options.parse_args()
    with TemporaryDirectory(prefix="millistep-") as folder:
        found = verify(arguments.archive, Path(folder))
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    print(f"{arguments.archive}: sha256 {sha256(arguments.archive)}")
    for line in report_lines(found):
        print(plain(line))
    sys.exit(found.status)


if __name__ == "__main__":
    run_command(main, status=UNUSABLE)
