"""Write the table of settings in ``config/README.md`` from their declaration."""

import re

from contract.settings import SETTINGS, spelled
from planning.frameworks import WORKFLOW, frameworks

README = WORKFLOW.parent / "config/README.md"
HEAD = "| setting | what it is | allowed | default | frameworks |\n|---|---|---|---|---|\n"


def with_table(text: str) -> str:
    """The README's text with the table made anew from the declaration."""
    table = HEAD + "".join(_line(name, about) for name, about in SETTINGS.items())
    return re.sub(re.escape(HEAD) + r"(\|.*\n)*", lambda _: table, text)


def _line(name: str, about: dict) -> str:
    allowed = about["description"] if "description" in about else _quoted(about["enum"])
    default = _quoted([about["default"]] if about["default"] not in (None, []) else [])
    takers = [key for key, of in frameworks([]).items() if name in dict(of.settings)]
    return f"| `{name}` | {about['title']} | {allowed} | {default} | {_quoted(takers) or 'all'} |\n"


def _quoted(names) -> str:
    return ", ".join(f"`{spelled(name)}`" for name in names)


def main() -> int:
    README.write_text(with_table(README.read_text()))
    return 0
