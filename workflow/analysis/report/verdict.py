"""python -m analysis.report.verdict --plan results/plan.json --row bert fit 8 --output FILE: what
the rounds of a row show while others are still measured.
"""

import sys
from pathlib import Path

from analysis.formats.errors import InputError, run_command, write_text
from analysis.formats.text import plain
from analysis.report.key_sentences import row_sentence
from analysis.results.commands import parser, results_of
from analysis.results.rows import RowCells


def main() -> None:
    """Print the sentence, and write it."""
    options = parser("Say what the rounds of a row show.")
    options.add_argument("--row", nargs=3, required=True, metavar=("MODEL", "TASK", "BATCH"))
    options.add_argument("--output", type=Path, required=True)
    arguments = options.parse_args()
    found = [r for r in results_of(arguments).rows if [*map(str, r.row.key)] == arguments.row]
    if not found:
        raise InputError(f"--row {' '.join(arguments.row)}: is no row of {arguments.plan}")
    text = f"{_so_far(found[0])}{plain(row_sentence(found[0]))}\n"
    write_text(arguments.output, text)
    sys.stderr.write(f"    {text}")


def _so_far(row: RowCells) -> str:
    """'after 2 of 3 rounds, ' where more are to come."""
    done = max((len(cell.ok_runs) for cell in row.measured), default=0)
    planned = max((len(cell.runs) for cell in row.measured), default=0)
    return f"after {done} of {planned} rounds, " if done < planned else ""


if __name__ == "__main__":
    run_command(main)
