"""RO-Crate metadata of an archive (https://w3id.org/ro/wfrun/workflow): root, workflow, action."""

import json
from typing import Any

from millistep.analysis.frames import Data
from millistep.analysis.report.setting import machines, outcomes, period

PROFILES = {"process": "Process Run Crate", "workflow": "Workflow Run Crate"}
PROFILE_VERSION = "0.6"
WORKFLOW, CONFIG = "workflow/Snakefile", "config/config.yaml"


def metadata(data: Data, cited: dict[str, Any], digest: str) -> str:
    """Return the content of ro-crate-metadata.json; the same results give the same text."""
    from rocrate.model.contextentity import ContextEntity
    from rocrate.rocrate import ROCrate

    crate, results = ROCrate(), data.plan["results"]

    def add(identifier: str, kind: str, **properties: str) -> Any:
        properties = {"@type": kind, **properties}
        return crate.add(ContextEntity(crate, identifier, properties=properties))

    license_url = f"https://spdx.org/licenses/{cited['license']}"
    license_entity = add(license_url, "CreativeWork", name=cited["license"])
    authors = []
    for number, author in enumerate(cited["authors"], 1):
        name = author.get("name") or f"{author.get('given-names', '')} {author['family-names']}"
        kind = "Organization" if "name" in author else "Person"
        authors.append(add(author.get("orcid", f"#author-{number}"), kind, name=name.strip()))
    workflow = crate.add_workflow(dest_path=WORKFLOW, main=True, lang="snakemake")
    workflow["version"] = str(cited.get("version", ""))
    root, runs = crate.root_dataset, data.runs[data.runs["ok"]]
    for entity, name in ((workflow, cited["title"]), (root, "")):
        entity["name"] = name or f"Millistep results, {data.plan['scale']} scale, {period(runs)}"
        entity["license"], entity["author"] = license_entity, authors
    measured = f"Measured on {machines(runs)}; runs" if len(runs) else "Runs"
    root["description"] = f"{measured}: {outcomes(data.runs)}."
    times = data.runs.reindex(columns=["started_at", "finished_at"]).dropna()
    root["datePublished"] = str(times["finished_at"].max())[:10] if len(times) else "1980-01-01"
    if "doi" in cited:
        root["identifier"] = f"https://doi.org/{cited['doi']}"
    for key, title in PROFILES.items():
        address = f"https://w3id.org/ro/wfrun/{key}/{PROFILE_VERSION}"
        profile = add(address, "CreativeWork", name=title, version=PROFILE_VERSION)
        root.append_to("conformsTo", profile)
    inputs = [crate.add_file(dest_path=name) for name in (f"{results}/plan.json", CONFIG)]
    outputs = [crate.add_file(dest_path=f"{results}/{n}") for n in ("table.csv", "report.html")]
    outputs.append(crate.add_dataset(dest_path=f"{results}/records/"))
    action = crate.add_action(workflow, f"#measurement-{digest[:16]}", inputs, outputs)
    action["name"] = "Measurement of the planned cells, and its analysis"
    if len(times):
        action["startTime"] = times["started_at"].min()
        action["endTime"] = times["finished_at"].max()
    root["mentions"] = [action]
    return json.dumps(crate.metadata.generate(), indent=1, sort_keys=True) + "\n"
