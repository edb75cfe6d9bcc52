"""CITATION.cff, and BibTeX from it."""

from pathlib import Path
from typing import Any

from analysis.formats.errors import InputError
from analysis.formats.strict_json import read_bytes, validate
from analysis.formats.text import latex

MAX_BYTES = 2**20  # it may be a stranger's


def read_citation(path: Path) -> dict[str, Any]:
    """The data of CITATION.cff; an InputError names a key that is missing or not printable. It is
    read without aliases, with which a few lines may say gigabytes.
    """
    import yaml

    try:
        text = read_bytes(path, path.name, MAX_BYTES).decode("utf-8")
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise InputError(f"{path.name}: holds an alias (*), which is not read")
        citation = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"{path.name}: not valid YAML ({' '.join(str(error).split())})") from None
    validate(citation, "citation", path.name)
    return citation


def bibtex(citation: dict[str, Any], note: str) -> str:
    """An entry for BibTeX and BibLaTeX, without the fields that are not known."""
    released = str(citation.get("date-released", ""))
    fields = {
        "title": f"{{{latex(citation['title'])}}}",
        "author": " and ".join(map(_author, citation["authors"])),
        "year": released[:4],
        "month": released[5:7],
        "version": latex(str(citation.get("version", ""))),
        "doi": str(citation.get("doi", "")),
        "url": str(citation.get("url") or citation.get("repository-code") or ""),
        "note": latex(note),
    }
    lines = [f"  {key:7} = {{{value}}}," for key, value in fields.items() if value]
    return "\n".join(["@software{millistep,", *lines, "}"])


def _author(author: dict[str, Any]) -> str:
    """An author for BibTeX: a person by the family name, an organisation as one name in braces."""
    if "family-names" not in author:
        return f"{{{latex(author['name'])}}}"
    family = " ".join(filter(None, (author.get("name-particle"), author["family-names"])))
    return ", ".join(latex(part) for part in (family, author.get("given-names")) if part)
