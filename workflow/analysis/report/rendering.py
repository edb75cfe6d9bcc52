"""From a template of report/ to a page: style and script stand in it, foreign text is escaped."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis import topics
from analysis.formats.text import NA, plain

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATES = Path(__file__).resolve().parents[3] / "report"
SCRIPT = "report.js"
PIECES = 1000  # of a page that are written at once


def write_rendered(path: Path, name: str, script: str = SCRIPT, **content: Any) -> None:
    """Write a page, of which only pieces are ever in memory."""
    page = _template(name).stream(NA=NA, **_look(script), **content)
    page.enable_buffering(PIECES)
    path.parent.mkdir(parents=True, exist_ok=True)
    page.dump(str(path), encoding="utf-8", errors="backslashreplace")


def _template(name: str) -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([TEMPLATES, topics.FOLDER]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_one_line,
        trim_blocks=True,
    )
    return environment.get_template(name)


def _look(name: str) -> dict[str, Any]:
    """Style and script stand in the page; the hash lets this script run and no other."""
    from markupsafe import Markup

    script = (TEMPLATES / name).read_text(encoding="utf-8")
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(f"\n{script}\n".encode()).digest()).decode()
    return {
        "style": Markup(style),
        "script": Markup(script),
        "script_hash": f"sha256-{digest}",
    }


def _one_line(value: Any) -> Any:
    """Control characters of foreign text never reach the page; what is markup already was made
    here.
    """
    return value if hasattr(value, "__html__") or not isinstance(value, str) else _keep_lines(value)


def _keep_lines(text: str) -> str:
    if text.isprintable():
        return plain(text)
    return "\n".join(_indent(line) + plain(line) for line in text.split("\n"))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))] if line.strip() else ""
