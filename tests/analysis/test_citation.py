"""How the project is cited, and which revision of it."""

import subprocess

from analysis.report import origin
from analysis.report.citation import bibtex, read_citation
from analysis.report.origin import ROOT


def test_without_git_there_is_no_revision(tmp_path, monkeypatch):
    assert origin.revision(tmp_path) is None
    monkeypatch.setenv("PATH", "")
    assert origin.revision(ROOT) is None


def test_the_revision_is_what_git_says(tmp_path):
    def git(*words):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-m", "first")
    git("tag", "v1.2")
    assert origin.revision(tmp_path) == "v1.2"
    (tmp_path / "a").write_text("2")
    assert origin.revision(tmp_path) == "v1.2-dirty"
    (tmp_path / "inner").mkdir()
    assert origin.revision(tmp_path / "inner") is None


def test_bibtex_has_what_the_citation_has(tmp_path):
    path = tmp_path / "CITATION.cff"
    path.write_text(
        "cff-version: 1.2.0\nmessage: Cite.\ntitle: A & B\nlicense: MIT\ndoi: 10.5281/zenodo.1\n"
        "date-released: 2026-11-20\nauthors:\n- {family-names: Łukasz, given-names: José}\n"
        "- {name: The C_D group}\n"
    )
    text = bibtex(read_citation(path), "100 % of it")
    assert text.startswith("@software{millistep,\n") and text.endswith("\n}")
    assert r"title   = {{A \& B}}" in text and "doi     = {10.5281/zenodo.1}" in text
    assert r"author  = {Łukasz, José and {The C\_D group}}" in text and "year    = {2026}" in text
    assert r"note    = {100 \% of it}" in text and "version" not in text


def test_what_draws_is_named_as_far_as_it_is_known(monkeypatch):
    version = read_citation(ROOT / "CITATION.cff")["version"]
    monkeypatch.setattr(origin, "revision", lambda root: "0123456789ab")
    assert origin.drawn_by() == f"Millistep {version}, revision 0123456789ab"
    assert origin.drawn_by("v9") == f"Millistep {version}, revision v9"
    assert origin.drawn_by("") == f"Millistep {version}"


def test_our_citation_is_complete():
    citation = read_citation(ROOT / "CITATION.cff")
    assert citation["cff-version"] == "1.2.0" and citation["type"] == "software"
    assert {"abstract", "version", "date-released", "keywords", "references"} <= citation.keys()
    assert (ROOT / "LICENSE").read_text().strip().startswith("Apache License")
