"""RO-Crate metadata of an archive: a Workflow Run Crate (https://w3id.org/ro/wfrun/workflow), whose
action is the measurement.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.archive import CONFIG
from analysis.report.setting import coverage, machines, period
from analysis.results.results import Results

PROFILES = {"process": "Process Run Crate", "workflow": "Workflow Run Crate"}
PROFILE_VERSION = "0.6"
FOLDERS = {
    "benchmarks/": "How well the harness itself measures",
    "results/records/": "Raw measurements: one JSON file per run",
    "results/blocks/": "Sessions: where and when a row was measured, between which fixed work",
    "results/machines/": "Facts about the machines, by node",
    "results/environments/": "What was really installed",
    "results/logs/": "What the runs printed",
    "config/": "Configuration",
    "docs/": "Documentation",
    "envs/": "Environment definitions, with hashes",
    "profiles/": "Settings of Snakemake",
    "workflow/": "Sources of workflow, measurement and analysis",
    "report/": "Templates of the report",
    "reference/": "Published numbers, with their sources",
}
FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tex": "application/x-tex",
}


def crate_json(folder: Path, names: Sequence[str], results: Results, citation: dict) -> str:
    """The metadata of the named files below `folder`. Dates and identifiers come from the records,
    so that it is the same every time.
    """
    from rocrate.model.contextentity import ContextEntity
    from rocrate.rocrate import ROCrate

    crate = ROCrate()
    for key, title in PROFILES.items():
        address = f"https://w3id.org/ro/wfrun/{key}/{PROFILE_VERSION}"
        properties = {"@type": "CreativeWork", "name": title, "version": PROFILE_VERSION}
        profile = crate.add(ContextEntity(crate, address, properties=properties))
        crate.root_dataset.append_to("conformsTo", profile)
    started = min((record.started_at for record in results.all_records), default=None)
    finished = max((record.finished_at for record in results.all_records), default="")
    licence = crate.add(ContextEntity(crate, **_licence(citation)))
    authors = [crate.add(ContextEntity(crate, **author)) for author in _authors(citation)]
    workflow = crate.add_workflow(dest_path="workflow/Snakefile", main=True, lang="snakemake")
    workflow["name"], workflow["license"], workflow["author"] = citation["title"], licence, authors
    if "version" in citation:
        workflow["version"] = str(citation["version"])
    root = crate.root_dataset
    root["name"] = f"Millistep results, {results.plan.scale} scale, {period(results)}"
    root["description"] = f"Measured on {machines(results)}; {coverage(results)}."
    root["license"], root["author"] = licence, authors
    root["datePublished"] = (finished or str(citation.get("date-released", "")))[:10]
    if "doi" in citation:
        root["identifier"] = f"https://doi.org/{citation['doi']}"
    parts = {
        name: crate.add_file(dest_path=name, properties=_file(folder, name))
        for name in _single(names, results)
    }
    for name, title in _folders(results).items():
        if any(other.startswith(name) for other in names):
            parts[name] = crate.add_dataset(dest_path=name, properties={"name": title})
    asked = {f"{results.plan.results}/plan.json", CONFIG}
    action = crate.add_action(
        workflow,
        identifier=f"#measurement-{results.digest[:16]}",
        object=[parts[name] for name in sorted(asked & parts.keys())],
        result=[
            part
            for name, part in parts.items()
            if name.startswith("results/") and name not in asked
        ],
        properties={"name": "Measurement of the planned cells, and its analysis"},
    )
    if started:
        action["startTime"], action["endTime"] = started, finished
    action["actionStatus"] = {"@id": "http://schema.org/CompletedActionStatus"}
    root["mentions"] = [action]
    return (
        json.dumps(crate.metadata.generate(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    )


def _folders(results: Results) -> dict[str, str]:
    """The descriptions of the folders, with the results in the folder of this plan."""
    return {name.replace("results", results.plan.results, 1): t for name, t in FOLDERS.items()}


def _single(names: Sequence[str], results: Results) -> list[str]:
    """The files with an entry of their own; all others are described by their folder."""
    whole = tuple(folder for folder in _folders(results) if folder != "config/")
    return [name for name in names if name != "workflow/Snakefile" and not name.startswith(whole)]


def _file(folder: Path, name: str) -> dict[str, Any]:
    properties = {
        "name": name.rpartition("/")[2],
        "contentSize": str((folder / name).stat().st_size),
    }
    form = FORMATS.get(Path(name).suffix)
    return {**properties, "encodingFormat": form} if form else properties


def _licence(citation: dict) -> dict[str, Any]:
    name = citation["license"]
    address = f"https://spdx.org/licenses/{name}"
    return {"identifier": address, "properties": {"@type": "CreativeWork", "name": name}}


def _authors(citation: dict) -> list[dict[str, Any]]:
    """Persons and organisations of CITATION.cff."""
    found = []
    for number, author in enumerate(citation["authors"], 1):
        person = "family-names" in author
        names = [author.get(key) for key in ("given-names", "name-particle", "family-names")]
        name = " ".join(filter(None, names)) if person else author["name"]
        kind = "Person" if person else "Organization"
        identifier = author.get("orcid") or f"#author-{number}"
        found.append({"identifier": identifier, "properties": {"@type": kind, "name": name}})
    return found
