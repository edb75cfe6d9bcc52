"""From a template of report/ to a page or a comment: style and script stand in a page, and foreign
text is escaped for what it stands in.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.formats.text import NA, markdown, plain

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

TEMPLATES = Path(__file__).resolve().parents[3] / "report"
TOPICS = Path(__file__).resolve().parents[1] / "topics"
PIECES = 1000  # of a page that are written at once


def write_rendered(path: Path, name: str, script: str = "", **content: Any) -> None:
    """Write a page, of which only pieces are ever in memory."""
    page = template(name).stream(NA=NA, **_look(script), **content)
    page.enable_buffering(PIECES)
    path.parent.mkdir(parents=True, exist_ok=True)
    page.dump(str(path), encoding="utf-8", errors="backslashreplace")


@cache
def template(name: str) -> Template:
    """A template of report/ or of a topic. In HTML every text is escaped, in Markdown too."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([TEMPLATES, TOPICS]),
        autoescape=name.endswith(".html.j2"),
        undefined=StrictUndefined,
        finalize=partial(_foreign, _keep_lines if name.endswith(".html.j2") else markdown),
        trim_blocks=True,
    )
    environment.filters["whole_dates"] = _whole_dates
    return environment.get_template(name)


def _look(name: str) -> dict[str, Any]:
    """Style and script, which stand in the page; the hash lets this script run and no other."""
    from markupsafe import Markup

    script = (TEMPLATES / name).read_text(encoding="utf-8") if name else ""
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(f"\n{script}\n".encode()).digest()).decode()
    return {
        "style": Markup(style),
        "script": Markup(script),
        "script_source": f"'sha256-{digest}'" if name else "'none'",
    }


def _whole_dates(title: str) -> Markup:
    """The title for HTML, in which a date stays on one line."""
    from markupsafe import Markup, escape

    text = str(escape(plain(title)))
    return Markup(re.sub(r"\d+(-\d+)+", r'<span class="whole">\g<0></span>', text))


def _foreign(clean: Callable[[str], str], value: Any) -> Any:
    """Foreign text without its control characters, which never reach the page; what is markup
    already was made here.
    """
    return value if hasattr(value, "__html__") or not isinstance(value, str) else clean(value)


def _keep_lines(text: str) -> str:
    if text.isprintable():
        return plain(text)
    return "\n".join(_indent(line) + plain(line) for line in text.split("\n"))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))] if line.strip() else ""
