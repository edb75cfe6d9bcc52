"""Fetch a data set for trainings, and write down what became of it.

A data set that cannot be fetched is one line and no failure: the trainings say that it is missing.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from datasets.fetch import NotFetched, fetch  # noqa: E402 (the path above finds it)
from datasets.registry import DATASETS  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--name", required=True, choices=DATASETS)
parser.add_argument("--folder", type=Path, required=True, help="where the file goes")
parser.add_argument("--outcome", type=Path, required=True, help="what became of it, as JSON")
options = parser.parse_args()
dataset = DATASETS[options.name]
outcome = {"name": dataset.name, "source": dataset.source, "sha256": dataset.sha256, "reason": None}
try:
    fetch(dataset, options.folder / dataset.file)
except NotFetched as problem:
    outcome["reason"] = str(problem)
    print(f"millistep: {dataset.name} is not there: {problem}", file=sys.stderr)
except KeyboardInterrupt:
    sys.exit(130)
options.outcome.write_text(json.dumps(outcome, indent=1) + "\n")
