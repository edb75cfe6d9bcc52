"""snakemake archive, on what was really measured, and its verification."""

import json
import re
import zipfile

from millistep.analysis.archive import contents

from ..shared import python
from .conftest import PLAN

ZIP = "results/millistep-smoke-cpu.zip"


def test_the_archive_of_a_real_run_verifies(project, tmp_path):
    done = project.made("archive")
    assert "@software{millistep," in done.stdout and ZIP in done.stdout
    assert contents.sha256(project.folder / ZIP) in done.stdout
    assert "Report: " not in done.stdout  # it was drawn, and shown with its table, before
    with zipfile.ZipFile(project.folder / ZIP) as archive:
        archive.extractall(tmp_path)
        crate = json.loads(archive.read("ro-crate-metadata.json"))["@graph"]
        drawn = [n for n in archive.namelist() if re.match(r"results/(figures/)?[^/]+$", n)]
    kinds = {kind for entity in crate for kind in [entity["@type"]] if isinstance(kind, str)}
    assert {"CreateAction", "CreativeWork", "Dataset", "Organization"} <= kinds
    action = next(entity for entity in crate if entity["@type"] == "CreateAction")
    assert action["object"][0]["@id"] == PLAN and action["startTime"] < action["endTime"]
    files = [path for path in tmp_path.joinpath("results").rglob("*") if path.is_file()]
    here = str(project.folder).encode()
    assert [path for path in files if here in path.read_bytes()] == []
    # Verified by the sources that are in the archive.
    command = (tmp_path / "workflow", "verify", project.folder / ZIP)
    said = python(*command, cwd=project.folder)
    assert re.search(r"rendered   \d+ files, 0 differ", said)
    assert said.splitlines()[-1].startswith("IDENTICAL")
    # Rendered again for the archive, and equal to what the rule rendered.
    assert {"results/report.html", "results/table.csv"} <= {*drawn} and len(drawn) > 20
    for name in drawn:
        assert (tmp_path / name).read_bytes() == (project.folder / name).read_bytes(), name

    project.edit("CITATION.cff", "version: 1.0.0", "version: 1.0.1")
    assert project.planned("archive") == {"archive": 1}
