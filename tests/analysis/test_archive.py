"""The archive of a small project, as a user makes it."""

import json
import os
import re
import shutil
import stat
import zipfile
from functools import partial

import matplotlib
import pytest
from archive_factory import CONFIG, DEPLOY_LOG, HOME, HOST, LOG, RECORD, USER, UUID, as_somebody
from tests.shared import put, succeed

from analysis.archive import ABOUT, CRATE, MANIFEST, PLAN, ROOT
from analysis.archive.__main__ import main as archive
from analysis.archive.contents import FOLDERS, files_below, source_names
from analysis.archive.pack import pack
from analysis.archive.rebuild import rebuild
from analysis.archive.unpack import results_in, unpack
from analysis.formats.errors import InputError
from analysis.formats.strict_json import validate
from analysis.results.loading import load_results


@pytest.fixture(scope="module", autouse=True)
def machine(archive_sources):
    with as_somebody(archive_sources):
        yield


def test_everything_is_in_it(unpacked):
    names = set(files_below(unpacked))
    assert {RECORD, LOG, PLAN, ABOUT, CRATE, MANIFEST, "LICENSE", "CITATION.cff"} <= names
    assert {"results/report.html", "results/table.tex", "results/caveats.json"} <= names
    assert {
        "workflow/Snakefile",
        "envs/2026-11/cpu/keras3-jax.post-deploy.sh",
        "results/machines/0a1b2c3d.json",
    } <= names
    blocks = {f"results/blocks/laptop/bert/fit-b8/round{number}.json" for number in (1, 2)}
    assert {*blocks, "results/self_test.json"} <= names
    assert not any("smoke" in name or "__pycache__" in name for name in names)
    assert not {"results/logs/archive.log", "results/other.json"} & names
    assert {"Containerfile", "benchmarks/simulations.py"} <= names
    about_it = json.loads((unpacked / ABOUT).read_text())
    validate(about_it, "archive", ABOUT)
    assert about_it["made_with"]["matplotlib"] == matplotlib.__version__


def test_every_source_that_git_knows_is_in_an_archive():
    found = succeed(["git", "ls-files", *FOLDERS], cwd=ROOT).splitlines()
    known = {name for name in found if not name.endswith((".png", ".zip"))}
    assert any(name.endswith(".pyx") for name in known)
    assert known <= {*source_names(ROOT, ())}


def test_the_manifest_is_one_that_sha256sum_checks(unpacked):
    assert succeed(["sha256sum", "--check", "--strict", "--quiet", MANIFEST], cwd=unpacked) == ""


def test_nothing_in_it_names_the_machine(unpacked, project_folder):
    private = re.compile(rf"{USER}|{HOST}|{HOME}|{UUID}|{re.escape(str(project_folder))}")
    found = {
        name
        for name in files_below(unpacked)
        if private.search((unpacked / name).read_text(encoding="utf-8", errors="replace"))
    }
    assert not found
    log = (unpacked / LOG).read_text()
    assert log == "<project>/x.py:3: <cache>/envs/jax-1/lib/python3.11/site-packages/jax/b.py " + (
        "<path>/libc.so.6 <path>/c\n"
    )
    environment = (unpacked / DEPLOY_LOG).read_text()
    assert environment == "one\n<host>: https://<host>/simple /proc/stat\n"
    assert "~/nightly/bin/python" in (unpacked / "config/config.yaml").read_text()


def test_plan_and_records_are_changed_alike(unpacked):
    cells = json.loads((unpacked / PLAN).read_text())["cells"]
    for planned in (planned for cell in cells for planned in cell["runs"]):
        record = json.loads((unpacked / planned["record"]).read_text())
        assert record["identity"] == planned["identity"]
        identity = json.loads(record["identity"])
        assert identity["interpreter"] == "~/nightly/bin/python"
        assert identity["device"] == "<gpu>"


def test_paths_are_kept_when_asked_for(project_folder, tmp_path):
    output = tmp_path / "kept.zip"
    nothing = {"keep_paths": True, "draw": lambda *of_project: None}
    assert pack(project_folder, CONFIG, output, **nothing)[0] == []
    with zipfile.ZipFile(tmp_path / "kept.zip") as file:
        assert file.read(LOG) == (project_folder / LOG).read_bytes()
        assert json.loads(file.read(ABOUT))["paths"] == "kept"


def test_of_a_long_log_the_last_lines_are_kept(project_folder, tmp_path, monkeypatch):
    last = (project_folder / DEPLOY_LOG).read_bytes().removeprefix(b"one\n")
    monkeypatch.setattr("analysis.archive.pack.MAX_LOG_BYTES", len(last) + 2)
    output = tmp_path / "a.zip"
    pack(project_folder, CONFIG, output, keep_paths=True, draw=lambda *of_project: None)
    with zipfile.ZipFile(output) as file:
        assert file.read(DEPLOY_LOG) == b"[4 bytes before this were left out]\n" + last


def test_built_twice_it_is_the_same_to_the_byte(archive, project_folder, tmp_path, draw):
    """Drawing twice is part of verifying; this is about the zip."""
    for path in project_folder.rglob("*"):
        os.utime(path, (1, 1))
    pack(project_folder, CONFIG, tmp_path / "again.zip", draw=draw)
    with zipfile.ZipFile(archive) as file, zipfile.ZipFile(tmp_path / "again.zip") as again:
        assert not [n for n in file.namelist() if n != MANIFEST and file.read(n) != again.read(n)]
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()
    with zipfile.ZipFile(archive) as file:
        assert {(entry.date_time, entry.external_attr >> 16) for entry in file.infolist()} == {
            (file.infolist()[0].date_time, stat.S_IFREG | 0o644)
        }
        assert file.namelist() == sorted(file.namelist())


def test_the_crate_describes_the_measurement(unpacked):
    graph = json.loads((unpacked / CRATE).read_text())["@graph"]
    entities = {entity["@id"]: entity for entity in graph}
    root, workflow = entities["./"], entities["workflow/Snakefile"]
    action = entities[root["mentions"][0]["@id"]]
    assert root["mainEntity"] == {"@id": "workflow/Snakefile"} == action["instrument"]
    assert "ComputationalWorkflow" in workflow["@type"] and action["@type"] == "CreateAction"
    records = [json.loads(path.read_text()) for path in unpacked.glob("results/records/**/*.json")]
    assert action["startTime"] == min(record["started_at"] for record in records)
    assert action["endTime"] == max(record["finished_at"] for record in records)
    assert root["datePublished"] == action["endTime"][:10]
    assert {"@id": "results/report.html"} in action["result"]
    assert {"@id": "config/config.yaml"} in action["object"]
    for part in root["hasPart"]:
        assert (unpacked / part["@id"]).exists()
        assert part["@id"] in entities
    assert any("wfrun/workflow" in profile["@id"] for profile in root["conformsTo"])


def test_sources_that_name_the_machine_are_refused(project_folder, tmp_path, monkeypatch, unpacked):
    root = tmp_path / "root"
    shutil.copytree(unpacked, root)
    (root / "report/style.css").write_text(f"/* \n {HOME}/x */")
    monkeypatch.setattr("analysis.archive.pack.ROOT", root)
    with pytest.raises(InputError, match=r"report/style.css: line 2: .*/home/annalena"):
        pack(project_folder, CONFIG, tmp_path / "a.zip", draw=lambda *of_project: None)
    assert not list(tmp_path.glob("*.zip"))


def test_what_cannot_be_drawn_is_told_in_the_words_of_the_command(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"^results/plan.json: no such file$"):
        rebuild(tmp_path, PLAN, None)
    monkeypatch.setattr("analysis.archive.rebuild.MODULE", "analysis.none")
    with pytest.raises(InputError, match=r"^analysis.none failed: .*No module named analysis.none"):
        rebuild(tmp_path, PLAN, None)


def test_nothing_that_lies_in_an_archive_is_imported(tmp_path):
    for module in ("json.py", "analysis/__init__.py", "sitecustomize.py"):
        put(tmp_path / module, "raise SystemExit(9)")
    with pytest.raises(InputError, match=r"^results/plan.json: no such file$"):
        rebuild(tmp_path, PLAN, None)


def test_it_is_told_by_which_digest_it_is_cited(project_folder, tmp_path, capsys, monkeypatch):
    """The digest is that of what is in the archive: what was scrubbed has another one."""
    options = ("--plan", project_folder / PLAN, "--output", tmp_path / "a.zip")
    monkeypatch.setattr("sys.argv", ["archive", *map(str, options)])
    undrawn = partial(pack, draw=lambda *of_project: None)
    monkeypatch.setattr("analysis.archive.__main__.pack", undrawn)
    archive()
    said = capsys.readouterr().out
    (tmp_path / "out").mkdir()
    inside = results_in(unpack(tmp_path / "a.zip", tmp_path / "out").intact())
    assert f"In it, sha256 of plan and records {inside.digest}\n" in said
    assert inside.digest != load_results(project_folder / PLAN).digest
    assert "@software{millistep," in said
