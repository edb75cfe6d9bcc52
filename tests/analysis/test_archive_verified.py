"""What a user is told of an archive, of a changed one, and with other versions or sources."""

import shutil
import zipfile

import matplotlib
import pytest
from archive_factory import LOG, RECORD, as_somebody, edit, repacked

from analysis.archive import about
from analysis.archive.contents import files_below
from analysis.archive.verification import DIFFERENT, IDENTICAL, UNDECIDED, verify
from analysis.archive.verify import report_lines
from analysis.atlas.read import read
from analysis.formats.errors import InputError
from analysis.results.reference import load_reference


@pytest.fixture(scope="module", autouse=True)
def machine(archive_sources):
    with as_somebody(archive_sources):
        yield


@pytest.fixture
def verified(unpacked, tmp_path, draw):
    """Verify the archive after a change, here with a manifest that was made to fit."""

    def checked(change=lambda folder: None, manifest=True, draw=draw):
        for name in ("changed", "checked"):
            shutil.rmtree(tmp_path / name, ignore_errors=True)
        path = repacked(unpacked, tmp_path, change, manifest)
        (tmp_path / "checked").mkdir()
        return verify(path, tmp_path / "checked", draw)

    return checked


MEASURED = "its SHA-256 is not the manifest's"  # what it was follows from nothing else
CHANGES = [
    (RECORD, b'"total_s": 40.0', b'"total_s": 41.0', MEASURED),
    ("results/plan.json", b'"seed": 7', b'"seed": 8', MEASURED),
    ("results/table.csv", b",8,", b",9,", "line 2: bert,fit,BERT fit,9,"),
    ("results/table.csv", b",10.01,", b",10.02,", "line 2: ...it,8,keras3-tensorflow,ok,10.02,"),
    ("results/table.md", b"| ", b"|1", "line 1: "),
    ("results/machines/0a1b2c3d.json", b"2026", b"2025", MEASURED),
    (LOG, b":3:", b":4:", MEASURED),
    ("LICENSE", b"2.0", b"2.1", MEASURED),
]


@pytest.mark.parametrize(("name", "old", "new", "place"), CHANGES)
def test_a_changed_digit_is_found_and_named(verified, name, old, new, place):
    found = verified(edit(name, old, new), manifest=False)
    assert found.status == DIFFERENT
    assert place in found.wrong[name]
    lines = list(report_lines(found))
    assert any(line.startswith("wrong ") and name in line and place in line for line in lines)
    assert lines[-1].startswith("DIFFERENT")


def test_a_changed_result_is_found_although_the_manifest_was_made_to_fit(verified):
    found = verified(edit("results/table.csv", b",8,", b",9,"))
    assert found.sealed and not found.wrong and found.status == DIFFERENT
    assert found.unequal["results/table.csv"].place.startswith("line 2: bert,fit,BERT fit,9,")


def test_a_result_that_follows_from_nothing_is_found(verified, draw):
    def change(folder):
        (folder / "results/own.csv").write_text("1\n")

    def others(project, plan, revision):
        draw(project, plan, revision)
        (project / "results/own.csv").unlink(missing_ok=True)
        (project / "results/new.csv").write_text("2\n")

    found = verified(change, draw=others)
    assert "neither" in found.wrong["results/own.csv"]
    assert "missing" in found.wrong["results/new.csv"]


def test_what_an_older_revision_made_besides_is_named_and_refuses_no_archive(
    verified, draw, tmp_path
):
    made, schema = "results/rules.json", "workflow/schemas/rules.schema.json"

    def older(folder):
        texts = {made: '{"schema": "millistep.rules/1"}', schema: "{}"}
        for name, text in {**texts, "results/figures/rules.svg": "drawn"}.items():
            (folder / name).write_text(text)

    found = verified(older)
    assert found.status == UNDECIDED and not found.wrong
    assert {made, "results/figures/rules.svg"} <= found.unequal.keys()
    assert found.excuse(found.unequal[made]) == "drawn by other sources"
    again = tmp_path / "again"
    again.mkdir()
    taken = read(str(tmp_path / "b.zip"), None, again, load_reference(), draw)
    assert taken["verified"] == "as archived, drawn otherwise here"
    for revision, named in (("v1.2-dirty", "(v1.2)"), (None, "(which it does not name)")):
        found.revision = revision
        *_, last = report_lines(found)
        assert named in last and "from the repository" in last and "never run" in last
    found = verified(lambda folder: [older(folder), (folder / schema).unlink()])
    assert "names no schema that is known here" in found.wrong[made]


def test_a_record_of_an_environment_that_is_not_in_the_archive_is_named(verified):
    found = verified(edit("envs/2026-11/cpu/keras3-jax.post-deploy.sh", b"\n", b"\n\n"))
    assert found.status == DIFFERENT
    assert found.wrong[RECORD] == "its environment is of no definition in envs/"
    assert len(found.wrong) == 4  # two columns of two runs


def test_what_is_drawn_anew_names_the_revision_that_the_archive_names(verified, draw):
    def named(project, plan, revision):
        seen.append(revision)
        draw(project, plan, revision)

    seen = []
    told = b'"revision": "v1"'
    found = verified(edit("archive.json", b'"revision": null', told), draw=named)
    assert seen == ["v1"] and found.revision == "v1"
    assert any(line.endswith(f"plan and records {found.digest}") for line in report_lines(found))


def test_a_file_that_breaks_its_schema_is_named(verified):
    name = "results/machines/0a1b2c3d.json"
    assert "/schema" in verified(edit(name, b'"schema"', b'"schemas"')).wrong[name]


def test_other_versions_are_named_and_decide_nothing(verified, draw, monkeypatch):
    here = {**about.made_with(), "matplotlib": "3.9.0"}
    monkeypatch.setattr("analysis.archive.verification.made_with", lambda: here)

    def otherwise(project, plan, revision):
        draw(project, plan, revision)
        figures = project / "results/figures"
        for path in (*figures.glob("*.svg"), *figures.glob("*.png")):
            path.write_bytes(path.read_bytes() + b" ")

    found = verified(draw=otherwise)
    assert found.status == UNDECIDED and found.unequal
    excuse = f"drawn with matplotlib {matplotlib.__version__}, here 3.9.0"
    assert all(found.excuse(unequal) == excuse for unequal in found.unequal.values())

    def numbers(project, plan, revision):
        draw(project, plan, revision)
        edit("results/table.csv", b",8,", b",9,")(project)

    found = verified(draw=numbers)
    assert found.status == DIFFERENT  # matplotlib changes no number
    found.versions = {"scipy": ("1.17.1", "1.18.0")}
    assert found.status == UNDECIDED


def test_other_sources_and_a_tool_more_are_named(verified, monkeypatch):
    here = {**about.made_with(), "a newer tool": "1.0"}
    monkeypatch.setattr("analysis.archive.verification.made_with", lambda: here)
    found = verified(edit("report/style.css", b":root", b":root "))
    assert found.sources == ["report/style.css"]
    assert found.versions == {"a newer tool": ("none", "1.0")}
    assert found.status == IDENTICAL
    assert any("report/style.css" in line for line in report_lines(found))


def test_a_repacked_zip_is_not_the_archive(unpacked, tmp_path, draw):
    path = tmp_path / "repacked.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name in files_below(unpacked):
            file.write(unpacked / name, name)
    (tmp_path / "checked").mkdir()
    found = verify(path, tmp_path / "checked", draw)
    assert not found.wrong and not found.unequal and not found.sealed
    assert found.status == DIFFERENT


def test_an_atlas_takes_an_archive_that_is_as_it_was_made(archive, unpacked, draw, tmp_path):
    def taken(path, name, sha256=None):
        (tmp_path / name).mkdir()
        return read(str(path), sha256, tmp_path / name, load_reference(), draw)

    found = taken(archive, "good")
    assert found["verified"] == "identical" and found["scale"] == "laptop"
    assert len(found["cells"]) == 2 and [pair["rounds"] for pair in found["pairs"]] == [2]
    with pytest.raises(InputError, match="its sha256 is"):
        taken(archive, "other", "0" * 64)
    bad = repacked(unpacked, tmp_path, edit("results/table.csv", b",8,", b",9,"))
    with pytest.raises(InputError, match=r"results/table\.csv: .*SHA-256"):
        taken(bad, "bad")
