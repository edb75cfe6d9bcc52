"""The options that the command lines share: those that name the input, and JSON."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def json_with(*keys: str) -> Callable[[str], dict[str, Any]]:
    """The type of an option: a JSON object that has these keys."""

    def read(text: str) -> dict[str, Any]:
        found = json.loads(text)
        if not (isinstance(found, dict) and found.keys() >= {*keys}):
            raise ValueError
        return found

    read.__name__ = f"JSON object of {', '.join(keys) or 'any keys'}"  # as argparse names it
    return read


def results_of(arguments: argparse.Namespace, keep: Path | None = None) -> Results:
    """The results that the options name; `keep` is where to keep what was measured."""
    return load_results(arguments.plan, arguments.measured, keep)
