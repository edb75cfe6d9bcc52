"""Write the meaning of the columns of the CSV files into docs/output-files.md.

.venv-analysis/bin/python docs/dictionary.py
"""

from pathlib import Path

import yaml

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "output-files.md"
BELOW = "<!-- Below: python docs/dictionary.py -->\n"
EVERY, ABOUT = "every", "about"


def described() -> dict[str, dict[str, str]]:
    """Return the columns by file; `every` has those with one meaning in all files."""
    return yaml.safe_load((DOCS / "dictionary.yaml").read_text("utf-8"))


def with_tables(text: str) -> str:
    """Return the text of the page with its tables as they are declared."""
    sections = (_section(file, dict(columns)) for file, columns in described().items())
    return text.partition(BELOW)[0] + BELOW + "".join(sections)


def _section(file: str, columns: dict[str, str]) -> str:
    title = "Columns of several files" if file == EVERY else f"`{file}`"
    about = f"\n{columns.pop(ABOUT)}\n" if ABOUT in columns else ""
    lines = "".join(f"| `{name}` | {text} |\n" for name, text in columns.items())
    return f"\n## {title}\n{about}\n| column | meaning |\n|---|---|\n{lines}"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
