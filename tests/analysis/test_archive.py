"""The archive of a small project, as a user makes and verifies it."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import zipfile

import matplotlib
import pytest
from archive_factory import (
    CONFIG,
    HOME,
    HOST,
    LOG,
    RECORD,
    USER,
    UUID,
    edit,
    make_project,
    repacked,
)

from analysis.archive import ABOUT, CRATE, MANIFEST, PLAN, ROOT, about
from analysis.archive.contents import source_names
from analysis.archive.pack import files_below, pack
from analysis.archive.rebuild import COMMANDS
from analysis.archive.verification import verify
from analysis.archive.verification_result import DIFFERENT, IDENTICAL, UNDECIDED
from analysis.archive.verify import report_lines
from analysis.formats.errors import InputError
from analysis.formats.strict_json import validate


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """Somebody's machine, with sources that nobody edits meanwhile and no git."""
    root = tmp_path_factory.mktemp("sources")
    for name in source_names(ROOT, ()):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("pack", "rebuild", "verification"):
            patch.setattr(f"analysis.archive.{module}.ROOT", root)
        patch.setenv("MPLCONFIGDIR", matplotlib.get_configdir())
        patch.setenv("HOME", HOME)
        patch.delenv("MILLISTEP_CACHE", raising=False)
        for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
            patch.setenv(name, USER)
        patch.setattr("socket.gethostname", lambda: f"{HOST}.example.org")
        yield


@pytest.fixture(scope="module")
def project_folder(tmp_path_factory, machine):
    return make_project(tmp_path_factory.mktemp("project") / f"of_{USER}")


@pytest.fixture(scope="module")
def archive(tmp_path_factory, project_folder):
    """An archive, made as the rule makes it."""
    output = tmp_path_factory.mktemp("archive") / "a.zip"
    changed = pack(project_folder, CONFIG, output)
    assert {PLAN, RECORD, LOG} <= {*changed}
    return output


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory, archive):
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)
    return folder


@pytest.fixture
def draw(unpacked):
    """Draws by taking what was drawn, where the records are those that were archived."""

    def take(project, plan):
        for name in files_below(project, "results/records"):
            if (project / name).read_bytes() != (unpacked / name).read_bytes():
                raise InputError(f"{name}: drawn from other records")
        shutil.copytree(unpacked / "results", project / "results", dirs_exist_ok=True)

    return take


def checked(path, tmp_path, draw):
    folder = tmp_path / "checked"
    folder.mkdir()
    return verify(path, folder, draw)


def test_everything_is_in_it(unpacked):
    names = set(files_below(unpacked))
    assert {RECORD, LOG, PLAN, ABOUT, CRATE, MANIFEST, "LICENSE", "CITATION.cff"} <= names
    assert {"results/report.html", "results/table.tex", "results/caveats.json"} <= names
    assert {
        "workflow/Snakefile",
        "envs/2026-11/cpu/keras3-jax.post-deploy.sh",
        "results/machines/0a1b2c3d.json",
    } <= names
    assert {"results/blocks/laptop/bert/fit-b8/round1.json", "results/self_test.json"} <= names
    assert not any("smoke" in name or "__pycache__" in name for name in names)
    assert "results/logs/archive.log" not in names
    about_it = json.loads((unpacked / ABOUT).read_text())
    validate(about_it, "archive", ABOUT)
    assert about_it["made_with"]["matplotlib"] == matplotlib.__version__


def test_the_manifest_is_one_that_sha256sum_checks(unpacked):
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", MANIFEST], cwd=unpacked, capture_output=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


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
    environment = (unpacked / "results/logs/environments/keras3-jax.log").read_text()
    assert environment == "<host>: https://<host>/simple /proc/stat\n"
    assert "~/nightly/bin/python" in (unpacked / "config/config.yaml").read_text()


def test_plan_and_records_are_changed_alike(unpacked):
    runs = [
        run for cell in json.loads((unpacked / PLAN).read_text())["cells"] for run in cell["runs"]
    ]
    for run in runs:
        record = json.loads((unpacked / run["record"]).read_text())
        assert record["identity"] == run["identity"]
        identity = json.loads(record["identity"])
        assert identity["interpreter"] == "~/nightly/bin/python"
        assert identity["device"] == "<gpu>"


def test_paths_are_kept_when_asked_for(project_folder, tmp_path, unpacked):
    def take(project, plan):
        shutil.copytree(unpacked / "results/figures", project / "results/figures")

    assert pack(project_folder, CONFIG, tmp_path / "kept.zip", keep_paths=True, draw=take) == []
    with zipfile.ZipFile(tmp_path / "kept.zip") as file:
        assert file.read(LOG) == (project_folder / LOG).read_bytes()
        assert json.loads(file.read(ABOUT))["paths"] == "kept"


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


def test_verify_says_identical_with_the_sources_that_are_in_it(archive, unpacked, tmp_path):
    command = [sys.executable, "-m", "analysis.archive.verify", str(archive)]
    env = {**os.environ, "PYTHONPATH": str(unpacked / "workflow"), "PYTHONIOENCODING": "ascii"}
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (IDENTICAL, ""), done.stdout
    assert done.stdout.splitlines()[-1].startswith("IDENTICAL")
    results = int(re.search(r"drawn anew (\d+) results, \1 identical", done.stdout)[1])
    assert results > 20
    assert not list(tmp_path.iterdir())


def test_the_commands_are_those_of_the_rules():
    texts = [(ROOT / f"workflow/rules/{name}.smk").read_text() for name in ("analyse", "report")]
    ran = re.findall(
        r"\"analysis\.(\w+)\",\s+\"--plan \{input.plan\}(.*?)2> >\(", "".join(texts), re.DOTALL
    )
    ran = {module: options.replace('"', "").split() for module, options in ran}
    ran = {
        m: [w.replace("{resources.results}", "{}") for w in arguments]
        for m, arguments in ran.items()
    }
    report = [
        "{}/report.html" if argument == "{output}" else argument for argument in ran["report"]
    ]
    assert {**ran, "report": report} == {
        name: list(arguments) for name, arguments in COMMANDS.items()
    }


CHANGES = [
    (RECORD, b'"total_s": 40.0', b'"total_s": 41.0', "/total_s: 41.0, expected 40.0"),
    ("results/plan.json", b'"seed": 7', b'"seed": 8', "/seed: 8, expected 7"),
    ("results/table.csv", b",8,", b",9,", "line 2, batch_size: 9, expected 8"),
    ("results/table.md", b"| ", b"|1", "line 1: "),
    ("results/machines/0a1b2c3d.json", b"2026", b"2025", "/collected_at: 2025"),
    (LOG, b":3:", b":4:", "line 1: "),
    ("LICENSE", b"2.0", b"2.1", "line "),
]


@pytest.mark.parametrize(("name", "old", "new", "place"), CHANGES)
def test_a_changed_digit_is_found_and_named(unpacked, tmp_path, draw, name, old, new, place):
    path = repacked(unpacked, tmp_path, edit(name, old, new))
    found = checked(path, tmp_path, draw)
    assert found.status == DIFFERENT
    assert place in found.wrong[name]
    lines = list(report_lines(found))
    assert any(line.startswith("wrong ") and name in line and place in line for line in lines)
    assert lines[-1].startswith("DIFFERENT")


def test_a_changed_result_is_found_although_the_manifest_was_made_to_fit(unpacked, tmp_path, draw):
    change = edit("results/table.csv", b",8,", b",9,")
    found = checked(repacked(unpacked, tmp_path, change, manifest=True), tmp_path, draw)
    assert found.sealed and not found.wrong and found.status == DIFFERENT
    assert found.unequal["results/table.csv"].place.startswith("line 2, batch_size: 9, expected 8")


def test_a_result_that_follows_from_nothing_is_found(unpacked, tmp_path, draw):
    def change(folder):
        (folder / "results/own.csv").write_text("1\n")

    def others(project, plan):
        draw(project, plan)
        (project / "results/own.csv").unlink(missing_ok=True)
        (project / "results/new.csv").write_text("2\n")

    found = checked(repacked(unpacked, tmp_path, change, manifest=True), tmp_path, others)
    assert "neither" in found.wrong["results/own.csv"]
    assert "missing" in found.wrong["results/new.csv"]


def test_a_file_that_breaks_its_schema_is_named(unpacked, tmp_path, draw):
    change = edit("results/machines/0a1b2c3d.json", b'"schema"', b'"schemas"')
    found = checked(repacked(unpacked, tmp_path, change, manifest=True), tmp_path, draw)
    assert "/schema" in found.wrong["results/machines/0a1b2c3d.json"]


def test_other_versions_are_named_and_decide_nothing(unpacked, tmp_path, draw, monkeypatch):
    here = {**about.made_with(), "matplotlib": "3.9.0"}
    monkeypatch.setattr("analysis.archive.verification.made_with", lambda: here)

    def otherwise(project, plan):
        draw(project, plan)
        figures = project / "results/figures"
        for path in (*figures.glob("*.svg"), *figures.glob("*.png")):
            path.write_bytes(path.read_bytes() + b" ")

    path = repacked(unpacked, tmp_path, lambda folder: None)
    found = checked(path, tmp_path, otherwise)
    assert found.status == UNDECIDED and found.unequal
    excuse = f"drawn with matplotlib {matplotlib.__version__}, here 3.9.0"
    assert all(found.excuse(unequal) == excuse for unequal in found.unequal.values())

    def numbers(project, plan):
        draw(project, plan)
        edit("results/table.csv", b",8,", b",9,")(project)

    shutil.rmtree(tmp_path / "checked")
    found = checked(path, tmp_path, numbers)
    assert found.status == DIFFERENT  # matplotlib changes no number
    found.versions = {"scipy": ("1.17.1", "1.18.0")}
    assert found.status == UNDECIDED


def test_other_sources_are_named(unpacked, tmp_path, draw):
    change = edit("report/style.css", b":root", b":root ")
    found = checked(repacked(unpacked, tmp_path, change, manifest=True), tmp_path, draw)
    assert found.sources == ["report/style.css"]
    assert found.status == IDENTICAL
    assert any("report/style.css" in line for line in report_lines(found))


def test_a_repacked_zip_is_not_the_archive(unpacked, tmp_path, draw):
    path = tmp_path / "repacked.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name in files_below(unpacked):
            file.write(unpacked / name, name)
    found = checked(path, tmp_path, draw)
    assert not found.wrong and not found.unequal and not found.sealed
    assert found.status == DIFFERENT


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
        pack(project_folder, CONFIG, tmp_path / "a.zip", draw=lambda project, plan: None)
    assert not list(tmp_path.glob("*.zip"))


def test_bad_input_is_one_line(tmp_path):
    command = [sys.executable, "-m", "analysis.archive", "--output", str(tmp_path / "a.zip")]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "plan.json: no such file" in done.stderr and not list(tmp_path.glob("*"))
