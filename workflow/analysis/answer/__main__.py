"""python -m analysis.answer --plan PLAN --settings JSON --output-dir FOLDER"""

from __future__ import annotations

import json
from pathlib import Path

from analysis.answer.comment import as_json, comment
from analysis.answer.compute import answer, seconds
from analysis.caveats.core import collect
from analysis.caveats.groups import grouped
from analysis.data import Data
from analysis.formats.errors import run_command, write_text
from analysis.formats.strict_json import validate
from analysis.results.commands import json_with, parser, results_of
from analysis.topics import load_rules


def main() -> None:
    """Write answer.md and answer.json."""
    load_rules()
    options = parser("Say what a patch changes, as a comment on a pull request.")
    asked = json_with("threshold", "looks", "left_out", "report")
    options.add_argument("--settings", type=asked, required=True)
    options.add_argument("--output-dir", type=Path, required=True)
    arguments = options.parse_args()
    asked, results = arguments.settings, results_of(arguments)
    data = Data(results)
    found = answer(data, asked["threshold"], asked["looks"])
    groups = grouped(collect(results, data), results, data)
    text = comment(found, data, groups, asked["left_out"], asked["report"])
    content = as_json(found, seconds(data))
    validate(content, "answer", "answer.json")
    write_text(arguments.output_dir / "answer.md", text)
    document = json.dumps(content, indent=2, allow_nan=False)  # rows in their order
    write_text(arguments.output_dir / "answer.json", document + "\n")


if __name__ == "__main__":
    run_command(main)
