"""The commands of the analysis: options, exit statuses, and one line for bad input."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from millistep.analysis import comment as comments
from millistep.analysis import compare as comparisons
from millistep.analysis.archive import words
from millistep.analysis.archive.contents import sha256
from millistep.analysis.archive.pack import pack
from millistep.analysis.archive.verify import NO_ARCHIVE, intact
from millistep.analysis.archive.verify import verify as verified
from millistep.analysis.load import InputError, load
from millistep.analysis.report.render import render as rendered

Command = Callable[[list[str] | None], int]


def failing_with(status: int) -> Callable[[Command], Command]:
    """Return a decorator: an :class:`InputError` becomes one line and this exit status."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def main(arguments: list[str] | None = None) -> int:
            try:
                return command(arguments)
            except InputError as error:
                print(f"millistep: {error}", file=sys.stderr)
                return status

        return main

    return decorate


@failing_with(1)
def render(arguments: list[str] | None = None) -> int:
    """Write tables, figures and the report."""
    parser = ArgumentParser()
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--output-dir", type=Path, required=True)
    parser.add_argument("--so-far", action="store_true", help="write report.html only")
    parser.add_argument("--runs-only", action="store_true", help="write runs.csv and runs.parquet")
    options = parser.parse_args(arguments)
    rendered(options.plan, options.output_dir, options.so_far, options.runs_only)
    return 0


@failing_with(1)
def archive(arguments: list[str] | None = None) -> int:
    """Write one zip that can be verified and cited."""
    parser = ArgumentParser()
    parser.add_argument("--plan", type=Path, default=Path("results/plan.json"))
    parser.add_argument("--config", type=json.loads, help="the whole configuration as JSON")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--keep-paths", action="store_true", help="keep folders, user, host name")
    options = parser.parse_args(arguments)
    found = pack(options.plan, options.output, options.config, options.keep_paths)
    print(words.summary(options.output, *found))
    return 0


@failing_with(NO_ARCHIVE)
def verify(arguments: list[str] | None = None) -> int:
    """Check an archive and render its results again."""
    parser = ArgumentParser()
    parser.add_argument("archive", type=Path)
    options = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="millistep-") as scratch:
        found = verified(options.archive, Path(scratch))
    stdout: Any = sys.stdout  # its type in typeshed does not have the method
    stdout.reconfigure(errors="backslashreplace")
    print(f"{options.archive}: sha256 {sha256(options.archive)}")
    print("\n".join(words.outcome(found)))
    return found.status


@failing_with(1)
def compare(arguments: list[str] | None = None) -> int:
    """Compare two archives or folders of results."""
    parser = ArgumentParser()
    parser.add_argument("base", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--output", type=Path, required=True, help="the page, ending in .html")
    options = parser.parse_args(arguments)
    if options.output.suffix != ".html":
        raise InputError(f"{options.output}: the name of the page must end in .html")
    with TemporaryDirectory(prefix="millistep-") as scratch:
        sides = []
        for name, path in (("base", options.base), ("other", options.other)):
            (folder := Path(scratch, name)).mkdir()
            if path.is_dir() and not (path / "plan.json").is_file():
                raise InputError(f"{path}: no plan.json in it; name a results folder or an archive")
            sides.append(load(path / "plan.json" if path.is_dir() else intact(path, folder)))
        names = options.base.name, options.other.name
        comparisons.compare(sides[0], sides[1], names, options.output)
    return 0


@failing_with(1)
def comment(arguments: list[str] | None = None) -> int:
    """Write the comment on a pull request."""
    parser = ArgumentParser()
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--settings", type=json.loads, required=True)
    parser.add_argument("--output-dir", type=Path, required=True)
    options = parser.parse_args(arguments)
    comments.write(load(options.plan), options.plan, options.settings, options.output_dir)
    return 0
