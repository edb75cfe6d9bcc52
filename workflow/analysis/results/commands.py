"""The options that name the input, which the command lines share."""

import argparse
from pathlib import Path

from analysis.results.loading import load_results
from analysis.results.results import Results


def parser(description: str) -> argparse.ArgumentParser:
    """A parser with the options of every command."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument(
        "--plan", type=Path, required=True, help="the plan, usually results/plan.json"
    )
    options.add_argument(
        "--measured", type=Path, help="what `--keep` has written; by default records are read"
    )
    return options


def results_of(arguments: argparse.Namespace, keep: Path | None = None) -> Results:
    """The results that the options name; `keep` is where to keep what was measured."""
    return load_results(arguments.plan, arguments.measured, keep)
