"""What archives of software read beside CITATION.cff, generated from it.

    PYTHONPATH=workflow .venv-analysis/bin/python -m analysis.archive.deposit

writes `.zenodo.json` (https://developers.zenodo.org/#representation) and `codemeta.json`
(https://w3id.org/codemeta/3.0) beside it.
"""

from __future__ import annotations

import json
from typing import Any

from analysis.archive import CITATION, ROOT
from analysis.archive.citation import read_citation
from analysis.formats.errors import run_command, write_text


def main() -> None:
    """Write both files."""
    citation = read_citation(ROOT / CITATION)
    for name, content in files(citation).items():
        write_text(ROOT / name, content)


def files(citation: dict[str, Any]) -> dict[str, str]:
    """Their contents by name."""
    documents = {".zenodo.json": zenodo(citation), "codemeta.json": codemeta(citation)}
    return {
        name: json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        for name, document in documents.items()
    }


def zenodo(citation: dict[str, Any]) -> dict[str, Any]:
    """Metadata of a deposit; what the citation does not have is left out."""
    return _known(
        upload_type="software",
        title=citation["title"],
        description=citation.get("abstract", "").strip(),
        creators=[
            _known(
                name=_family_first(author),
                affiliation=author.get("affiliation"),
                orcid=author.get("orcid", "").rpartition("/")[2],
            )
            for author in citation["authors"]
        ],
        license=citation["license"],
        version=str(citation.get("version", "")),
        publication_date=str(citation.get("date-released", "")),
        keywords=citation.get("keywords"),
        related_identifiers=[
            {"relation": "references", "identifier": reference[key], "scheme": "url"}
            for reference in citation.get("references", ())
            for key in ("url", "repository-code")
            if key in reference
        ],
    )


def codemeta(citation: dict[str, Any]) -> dict[str, Any]:
    """The same in the words of schema.org."""
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        **_known(
            name=citation["title"],
            description=citation.get("abstract", "").strip(),
            author=[_agent(author) for author in citation["authors"]],
            license=f"https://spdx.org/licenses/{citation['license']}",
            version=str(citation.get("version", "")),
            datePublished=str(citation.get("date-released", "")),
            keywords=citation.get("keywords"),
            identifier=citation.get("doi"),
            url=citation.get("url"),
            codeRepository=citation.get("repository-code"),
            programmingLanguage=["Python", "Snakemake"],
        ),
    }


def _agent(author: dict[str, str]) -> dict[str, Any]:
    if "family-names" not in author:
        return {"@type": "Organization", "name": author["name"]}
    return {
        "@type": "Person",
        **_known(
            **{"@id": author.get("orcid")},
            givenName=author.get("given-names"),
            familyName=author["family-names"],
            affiliation=author.get("affiliation")
            and {"@type": "Organization", "name": author["affiliation"]},
        ),
    }


def _family_first(author: dict[str, str]) -> str:
    if "family-names" not in author:
        return author["name"]
    return ", ".join(filter(None, (author["family-names"], author.get("given-names"))))


def _known(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


if __name__ == "__main__":
    run_command(main)
