"""The report is redrawn without measuring, and Snakemake can write its own."""

import zipfile

CHAIN = {"runs", "table", "effects", "caveats", "claims", "figure", "report", "all"}
FIGURE = "results/figures/blocks.svg"


def test_snakemake_writes_a_report_of_its_own(project):
    done = project.snakemake("--report", "own.zip")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(project.folder / "own.zip") as archive:
        names = archive.namelist()
        texts = {name: archive.read(name) for name in names}
    everything = b"".join(texts.values())
    assert (project.folder / FIGURE).read_bytes() in texts.values()
    assert (project.folder / "results/report.html").read_bytes() in texts.values()
    for wanted in (b"What to know before comparing", b"vertical lines part", b"Figures", b"Tables"):
        assert wanted in everything


def test_each_part_is_drawn_again_by_itself_with_what_hangs_from_it(project):
    changes = {
        "report/style.css": {"report", "all"},
        "workflow/analysis/figures/style.py": {"figure", "report", "all"},
        "workflow/analysis/claims/verdicts.py": {"claims", "report", "all"},
        "workflow/analysis/results/record.py": CHAIN,
    }
    for path, rules in changes.items():
        file = project.folder / path
        before = file.read_bytes()
        file.write_bytes(before + b"\n")
        assert {*project.planned()} == rules, path
        file.write_bytes(before)
    (project.folder / "results/claims.json").unlink()
    assert {*project.planned()} == {"claims", "report", "all"}
