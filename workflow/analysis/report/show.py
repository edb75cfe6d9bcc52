"""python -m analysis.report.show --plan results/plan.json: the table and the severest caveats, on a
terminal.
"""

import sys
import textwrap

from analysis.caveats import collect
from analysis.caveats.groups import Group, grouped
from analysis.formats.errors import run_command
from analysis.formats.text import count, plain
from analysis.results.commands import parser, results_of
from analysis.tables.model import main_table
from analysis.tables.writers import to_plain
from analysis.topics import load_rules

WIDTH = 100


def top_caveats(caveats: list[Group], number: int) -> str:
    """The first caveats, wrapped, and how many are left."""
    lines = []
    for caveat in caveats[:number]:
        text = plain(f"{caveat.severity.name.lower()}: {caveat}")
        lines.append(textwrap.fill(text, WIDTH, initial_indent="- ", subsequent_indent="  "))
    left = len(caveats) - number
    return "\n".join(
        lines + ([f"... and {count(left, 'more caveat')} in the report"] if left > 0 else [])
    )


def main() -> None:
    """Print."""
    load_rules()
    options = parser("Print the table and its most severe caveats.")
    options.add_argument("--caveats", type=int, default=5, help="how many to print")
    arguments = options.parse_args()
    results = results_of(arguments)
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    print(to_plain(main_table(results), WIDTH))
    print(top_caveats(grouped(collect(results), results), arguments.caveats))


if __name__ == "__main__":
    run_command(main)
