"""Archives: made, verified, and unpacked though a stranger made them."""

import json
import stat
import zipfile
from pathlib import Path

import pytest

from millistep.analysis import commands, tables
from millistep.analysis.archive import CRATE, SUMS, contents, pack, privacy, unpack, verify, words
from millistep.analysis.load import InputError, load
from millistep.analysis.topics import TOPICS, topics
from tests.analysis_fixtures import files, write

pytestmark = pytest.mark.quick
DIFFERS, ANALYSIS = verify.DIFFERS, "workflow/millistep/analysis"
PLAN = "results/plan.json"
RECORD = "results/records/smoke/bert/fit-b4/keras3-jax/run1.json"


def render_table(plan: Path, folder: Path, study_topics: bool = True):
    """Render the table alone, and the names of the topics that may run."""
    data = load(plan)
    tables.write(data, folder)
    users = [plan.parents[1] / name for name in contents.folders(data.plan)]
    asked = topics(users) if study_topics else TOPICS
    (folder / "topics.csv").write_text("\n".join(asked) + "\n")
    return data


@pytest.fixture(scope="module")
def content():
    """A result set with one workload and a record that names this machine."""
    found = files("six_columns")
    plan = found[PLAN]
    plan["cells"] = [cell for cell in plan["cells"] if cell["model"] == "bert"]
    plan["rows"] = [row for row in plan["rows"] if row["model"] == "bert"]
    plan["references"] = [each for each in plan["references"] if each["model"] == "bert"]
    return {name: data for name, data in found.items() if "/gemma/" not in name}


@pytest.fixture
def project(tmp_path, content, monkeypatch):
    """The plan of a project whose archives hold the table alone."""
    monkeypatch.setattr(pack, "render", render_table)
    monkeypatch.setattr(verify, "render", render_table)
    monkeypatch.setattr(contents, "FOLDERS", ("config", "workflow/millistep"))
    return write(tmp_path / "project", content)


def archived(plan: Path, **options) -> Path:
    output = plan.parents[1] / "archive.zip"
    pack.pack(plan, output, **options)
    return output


def rewritten(archive: Path, changes: dict[str, bytes | None], sums: bool = True) -> Path:
    """Return a copy of an archive with other files; with `sums`, SHA256SUMS fits them."""
    with zipfile.ZipFile(archive) as old:
        found = {name: old.read(name) for name in old.namelist()} | changes
    found = {name: data for name, data in found.items() if data is not None}
    if sums:
        import hashlib

        digests = {n: hashlib.sha256(d).hexdigest() for n, d in found.items() if n != SUMS}
        found[SUMS] = "".join(f"{d}  {n}\n" for n, d in sorted(digests.items())).encode()
    output = archive.with_name("changed.zip")
    with zipfile.ZipFile(output, "w") as new:
        for name, data in found.items():
            new.writestr(name, data)
    return output


def checked(archive: Path, tmp_path: Path) -> verify.Verification:
    scratch = tmp_path / f"scratch{len(list(tmp_path.iterdir()))}"
    scratch.mkdir()
    return verify.verify(archive, scratch)


def test_an_archive_is_the_same_twice_and_verifies(project, tmp_path):
    archive = archived(project)
    first = archive.read_bytes()
    assert archived(project).read_bytes() == first
    found = checked(archive, tmp_path)
    assert (found.status, found.problems, found.differences) == (verify.IDENTICAL, {}, {})
    with zipfile.ZipFile(archive) as zipped:
        names = set(zipped.namelist())
    assert {RECORD, "results/self_test.json", "workflow/Snakefile", "LICENSE"} <= names
    assert "results/reference/smoke/bert/fit-b4/round1-cpu.json" in names
    assert words.outcome(found)[-1].startswith("IDENTICAL")


@pytest.mark.parametrize(
    ("name", "data", "sums", "status", "said"),
    [
        (RECORD, b"broken", False, DIFFERS, f"{RECORD}: its SHA-256 is not that of SHA256SUMS"),
        (RECORD, None, False, DIFFERS, f"{RECORD}: missing"),
        ("results/more.csv", b"x", False, DIFFERS, "results/more.csv: not in SHA256SUMS"),
        ("results/more.csv", b"x", True, DIFFERS, "does not follow from the records"),
        ("results/table.csv", b"x", True, DIFFERS, "table.csv: line 1: x, expected model,"),
        ("results/table.csv", None, True, DIFFERS, "results/table.csv: missing"),
        (CRATE, b"{}", True, DIFFERS, f"{CRATE}: line 1: {{}}, expected {{"),
        (CRATE, None, True, DIFFERS, f"{CRATE}: missing"),
        (RECORD, b"broken", True, DIFFERS, "results/table.csv: line "),
        (f"{ANALYSIS}/templates/style.css", b"", True, verify.IDENTICAL, "IDENTICAL"),
    ],
)
def test_what_was_changed_is_named(project, tmp_path, name, data, sums, status, said):
    found = checked(rewritten(archived(project), {name: data}, sums), tmp_path)
    assert found.status == status
    assert said in "\n".join(words.outcome(found))


@pytest.mark.parametrize("cause", ["sources", "versions"])
def test_other_sources_or_libraries_make_it_not_verifiable(project, tmp_path, cause):
    archive = archived(project)
    changes = {"results/table.csv": b"as another version wrote it"}
    if cause == "sources":
        changes["workflow/millistep/analysis/tables.py"] = b"raise SystemExit"
    else:
        with zipfile.ZipFile(archive) as zipped:
            about = json.loads(zipped.read("archive.json"))
        about["made_with"]["pandas"] = "1.0"
        changes["archive.json"] = json.dumps(about).encode()
    found = checked(rewritten(archive, changes), tmp_path)
    assert found.status == verify.NOT_VERIFIABLE
    said = "\n".join(words.outcome(found))
    assert {"sources": "tables.py", "versions": "rendered with pandas 1.0"}[cause] in said
    assert "check out revision" in said


def test_code_of_an_archive_is_never_run(project, tmp_path):
    plan = json.loads(project.read_text())
    outside = tmp_path / "outside"
    folders = ["mine", "studies/native_code", str(outside)]
    project.write_text(json.dumps(plan | {"further": {"folders": folders}}))
    for folder in (project.parents[1] / "mine", outside):
        folder.mkdir(parents=True)
        (folder / "analysis.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    archive = rewritten(archived(project), {"mine/analysis.py": b"raise SystemExit"})
    (tmp_path / "ran").unlink(missing_ok=True)
    found = checked(archive, tmp_path)
    assert not (tmp_path / "ran").exists()
    assert any("which is not run" in reason for reason in found.reasons)


def test_a_users_folder_of_models_excuses_nothing(project, tmp_path):
    plan = json.loads(project.read_text()) | {"further": {"folders": ["mine"]}}
    project.write_text(json.dumps(plan))
    archive = archived(project)
    assert checked(archive, tmp_path).status == verify.IDENTICAL
    found = checked(rewritten(archive, {"results/table.csv": b"forged"}), tmp_path)
    assert found.status == verify.DIFFERS


@pytest.mark.parametrize("name", ["results/table.csv", "../secret.json", "/etc/hostname"])
def test_a_plan_cannot_name_other_files_as_measured(project, tmp_path, name):
    (tmp_path / "secret.json").write_text("{}")
    archive = archived(project)
    plan = json.loads(project.read_text())
    plan["cells"][0]["runs"][0]["record"] = name
    changes = {PLAN: json.dumps(plan).encode(), "results/table.csv": b"forged"}
    found = checked(rewritten(archive, changes), tmp_path)
    assert found.status == verify.DIFFERS and "results/table.csv" in found.differences
    assert not list((tmp_path).glob("scratch*/secret.json"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"no zip", "not a zip file"),
        ({"a.txt": b""}, "not an archive"),
        ({PLAN: b"{}", "archive.json": b"{}"}, "not an archive"),
    ],
)
def test_what_is_no_archive_has_no_verdict(tmp_path, capsys, data, said):
    path = tmp_path / "some.zip"
    if isinstance(data, bytes):
        path.write_bytes(data)
    else:
        with zipfile.ZipFile(path, "w") as zipped:
            for name, text in data.items():
                zipped.writestr(name, text)
    assert commands.verify([str(path)]) == verify.NO_ARCHIVE
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_a_flipped_byte_is_found(project, tmp_path):
    archive = archived(project)
    raw = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as zipped:
        entry = zipped.getinfo("results/table.csv")
    raw[entry.header_offset + 30 + len(entry.filename) + 20] ^= 1
    archive.write_bytes(raw)
    found = checked(archive, tmp_path)
    assert found.status == verify.DIFFERS and "results/table.csv" in found.problems


def linked(zipped):
    entry = zipfile.ZipInfo("link")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    zipped.writestr(entry, "/etc/passwd")


HOSTILE = {
    "parent": lambda zipped: zipped.writestr("../a", "x"),
    "parent inside": lambda zipped: zipped.writestr("a/../../b", "x"),
    "absolute": lambda zipped: zipped.writestr("/tmp/a", "x"),
    "backslash": lambda zipped: zipped.writestr("a\\b", "x"),
    "drive": lambda zipped: zipped.writestr("C:a", "x"),
    "control": lambda zipped: zipped.writestr("a\x1b[2J", "x"),
    "long": lambda zipped: zipped.writestr("a" * 300, "x"),
    "case": lambda zipped: [zipped.writestr(name, "x") for name in ("a", "A")],
    "file as folder": lambda zipped: [zipped.writestr(name, "x") for name in ("a/b", "a")],
    "link": linked,
    "bomb": lambda zipped: zipped.writestr("a", bytes(40 * 2**20)),
    "large": lambda zipped: zipped.writestr("a", bytes(65 * 2**20), zipfile.ZIP_STORED),
    "unusual": lambda zipped: zipped.writestr("a", "x", zipfile.ZIP_LZMA),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_zips_are_refused(tmp_path, name):
    path, folder = tmp_path / "evil.zip", tmp_path / "folder"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        HOSTILE[name](zipped)
    folder.mkdir()
    with pytest.raises(InputError, match="refused"):
        unpack.unpack(path, folder)
    assert not list(folder.iterdir())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["evil.zip", "folder"]


def test_names_of_this_machine_are_replaced(project, monkeypatch):
    monkeypatch.setattr(privacy.socket, "gethostname", lambda: "secrethost.example")
    monkeypatch.setattr(privacy.getpass, "getuser", lambda: "jdoe")
    record = project.parents[1] / RECORD
    content = json.loads(record.read_text())
    root, gpu = project.parents[1], "GPU-00000000-0000-0000-0000-000000000000"
    words = [f"{root}/mine.py", "/home/x/lib/site-packages/jax/y.py", "of jdoe on secrethost", gpu]
    record.write_text(json.dumps(content | {"log_tail": words}))
    archive = archived(project, config={"folders": [str(root)]})
    with zipfile.ZipFile(archive) as zipped:
        texts = {name: zipped.read(name).decode() for name in zipped.namelist()}
    scrubbed = ["<project>/mine.py", "<path>/site-packages/jax/y.py", "of <user> on <host>"]
    assert json.loads(texts[RECORD])["log_tail"] == [*scrubbed, "<gpu>"]
    assert "<project>" in texts["config/config.yaml"]
    assert not [name for name, text in texts.items() if "secrethost" in text or str(root) in text]
    with zipfile.ZipFile(archived(project, keep_paths=True)) as zipped:
        assert str(root) in zipped.read(RECORD).decode()


def test_a_user_name_in_the_configuration_is_replaced_everywhere(project, monkeypatch):
    monkeypatch.setattr(privacy.getpass, "getuser", lambda: "alice")
    root = project.parents[1]
    record = (root / RECORD).read_text().replace('"log_tail": []', '"log_tail": ["by alice"]')
    assert "alice" in record
    (root / RECORD).write_text(record)
    archive = archived(project, config={"interpreters": {"keras3-jax": "/opt/alice/python"}})
    with zipfile.ZipFile(archive) as zipped:
        for name in (RECORD, pack.CONFIG):
            assert "alice" not in zipped.read(name).decode()


def test_a_study_called_environments_has_a_digest(tmp_path):
    study, read = "results/studies/environments", []
    for name in ("plan.json", "records/a.json", "environments/b.json"):
        file = tmp_path / study / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    plan = {"results": study, "cells": [{"runs": [{"record": f"{study}/records/a.json"}]}]}

    def sha256(path):
        read.append(path.name)
        return "0"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "sha256", sha256)
        contents.digest(plan, tmp_path)
    assert sorted(read) == ["a.json", "plan.json"]


def test_a_source_that_names_this_machine_is_an_error(tmp_path):
    scrub = privacy.scrubber_here(tmp_path, [])
    with pytest.raises(InputError, match=r"a/b.yaml: line 2 names a folder"):
        pack._source(tmp_path, "a/b.yaml", f"a: 1\nb: {tmp_path}/x\n".encode(), scrub, False)


def test_every_measured_file_is_part_of_the_digest(project):
    root = project.parents[1]
    plan = json.loads(project.read_text())
    names = contents.measured(plan, root)
    digest = contents.digest(plan, root)
    for name in ("results/self_test.json", "results/reference/smoke/bert/fit-b4/round1-cpu.json"):
        assert name in names
        text = (root / name).read_text()
        (root / name).write_text(text + " ")
        assert contents.digest(plan, root) != digest
        (root / name).write_text(text)
    assert contents.digest(plan, root) == digest
    texts = {p.name: p.read_text() for p in Path("workflow/millistep/analysis").rglob("*.py")}
    words = ("self_test.json", 'content["self_test"]')
    readers = [name for name, text in texts.items() if any(word in text for word in words)]
    assert sorted(readers) == ["contents.py", "load.py"]
