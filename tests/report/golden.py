"""Complete texts of real result sets, compared with kept files.

To accept changed texts: PYTHONPATH=workflow:. python -m tests.report.golden
Then read the difference with `git diff tests/report/golden`.
"""

import csv
import html
import io
import re
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from millistep.analysis import figures
from millistep.analysis.report.render import render
from tests.analysis_fixtures import files, write
from tests.shared import ROOT

SETS = ("six_columns", "h100", "devices")
KEPT = Path(__file__).with_name("golden")
LEFT_OUT = ("operations.csv",)  # its numbers are in the appendix
HIDDEN = re.compile(r"<(style|script|svg)\b.*?</\1>", re.DOTALL)
BLOCK = re.compile(r"</?(?:p|li|tr|h\d|dt|caption|figcaption|summary|pre|title|div)\b[^>]*>")
MOST_LINES = 40


def texts(name: str, folder: Path) -> dict[str, str]:
    """Render a result set without figures and return its texts by name of file."""
    plan = write(folder, files(name))
    (folder / "studies").symlink_to(ROOT / "studies")  # topics of the plan's folders
    with patch.object(figures, "draw_all", lambda *_: []):
        render(plan, plan.parent)
    paths = [p for p in sorted(plan.parent.iterdir()) if p.suffix in SPELLED]
    spelled = {path: SPELLED[path.suffix](path.read_text()) for path in paths}
    return {_name(path): text for path, text in spelled.items() if path.name not in LEFT_OUT}


def _name(path: Path) -> str:
    return path.with_suffix(".txt").name if path.suffix == ".html" else path.name


def table(text: str) -> str:
    """Return a CSV with six digits: the last ones may differ between processors."""
    lines = [[_short(value) for value in line] for line in csv.reader(io.StringIO(text))]
    found = io.StringIO()
    csv.writer(found, lineterminator="\n").writerows(lines)
    return found.getvalue()


def _short(value: str) -> str:
    if not re.fullmatch(r"-?\d+\.\d+(e[+-]\d+)?", value):
        return value
    return f"{float(value):.6g}"


def words(page: str) -> str:
    """Return the words of a page, a line per block; those of figures, styles and scripts go."""
    text = BLOCK.sub("\n", HIDDEN.sub("", page))
    text = html.unescape(re.sub(r"<[^>]+>", " ", text))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(filter(None, lines)) + "\n"


SPELLED = {".csv": table, ".md": str, ".tex": str, ".html": words}


def difference(name: str, found: dict[str, str]) -> str:
    """Return the first changed lines of the texts of a result set; '' if nothing changed."""
    kept = {path.name: path.read_text() for path in (KEPT / name).iterdir()}
    lines: list[str] = []
    for file in sorted(kept.keys() | found.keys()):
        old, new = (texts.get(file, "").splitlines() for texts in (kept, found))
        lines += unified_diff(old, new, f"kept/{file}", f"now/{file}", lineterm="", n=0)
    return "\n".join(line[:300] for line in lines[:MOST_LINES])


def accept() -> None:
    """Keep the texts as they are now."""
    for name in SETS:
        with TemporaryDirectory() as folder:
            found = texts(name, Path(folder))
        (KEPT / name).mkdir(parents=True, exist_ok=True)
        for path in (KEPT / name).iterdir():
            path.unlink()
        for file, text in found.items():
            (KEPT / name / file).write_text(text)


if __name__ == "__main__":
    accept()
