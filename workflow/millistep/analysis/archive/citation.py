"""CITATION.cff, and BibTeX from it."""

from operator import itemgetter
from pathlib import Path
from typing import Any

import yaml

from millistep.analysis.load import InputError
from millistep.analysis.words import one_line


def citation(root: Path) -> dict[str, Any]:
    """Return the content of CITATION.cff."""
    try:
        content: dict[str, Any] = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
        itemgetter("title", "license", "authors")(content)
        bibtex(content, "")
        return content
    except Exception as error:
        words = one_line(f"{type(error).__name__}: {error}", 120)
        raise InputError(f"CITATION.cff: needed are title, license and authors ({words})") from None


def bibtex(cited: dict[str, Any], note: str) -> str:
    """Return an entry for BibTeX without the fields that are not known."""
    released = str(cited.get("date-released", ""))
    authors = " and ".join(map(_name, cited["authors"]))
    fields = {"title": f"{{{cited['title']}}}", "author": authors}
    fields |= {"year": released[:4], "month": released[5:7]}
    fields |= {name: str(cited.get(name, "")) for name in ("version", "doi")}
    fields |= {"url": cited.get("url") or cited.get("repository-code", ""), "note": note}
    lines = [f"  {key:7} = {{{_latex(value)}}}," for key, value in fields.items() if value]
    return "\n".join(["@software{millistep,", *lines, "}"])


def _name(author: dict[str, str]) -> str:
    if "name" in author:
        return f"{{{author['name']}}}"
    return ", ".join(filter(None, [author["family-names"], author.get("given-names")]))


def _latex(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "#$%&_" else letter for letter in text)
