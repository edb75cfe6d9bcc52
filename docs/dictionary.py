"""The meaning of the columns of the CSV files, as Markdown for ``docs/files.md``.

.venv-analysis/bin/python docs/dictionary.py
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/files.md"
DECLARED = ROOT / "docs/dictionary.yaml"
BELOW = "<!-- Below: python docs/dictionary.py -->\n"
EVERY, SAYS = "every", "says"


def described() -> dict[str, dict[str, str]]:
    """By file: its description and its own columns; `every` has those that mean the same in all."""
    found: dict[str, Any] = yaml.safe_load(DECLARED.read_text())
    return found


def with_tables(text: str) -> str:
    """The text of the page with its tables as they are declared now."""
    return (
        text.partition(BELOW)[0] + BELOW + "".join(_section(*each) for each in described().items())
    )


def _section(file: str, columns: dict[str, str]) -> str:
    title = "In every file" if file == EVERY else f"`{file}`"
    says = f"\n{columns[SAYS][0].upper()}{columns[SAYS][1:]}.\n" if SAYS in columns else ""
    lines = "".join(_lines(columns))
    table = f"\n| column | what it is |\n|---|---|\n{lines}" if lines else ""
    return f"\n## {title}\n{says}{table}"


def _lines(columns: dict[str, str]) -> Iterator[str]:
    return (f"| `{name}` | {text} |\n" for name, text in columns.items() if name != SAYS)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text()))
