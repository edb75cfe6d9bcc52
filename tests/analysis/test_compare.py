"""Two archives beside each other."""

import csv
import json
import math
import os
import random
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_factory import Project, fail, make_plan
from scipy.stats import ttest_ind

from analysis.archive import MANIFEST, ROOT
from analysis.archive.manifest import manifest_text
from analysis.archive.pack import files_below
from analysis.compare.archives import read_archives
from analysis.compare.cells import compare
from analysis.compare.changes import changes
from analysis.compare.welch import welch_ratio
from analysis.compare.writers import BANNER, times, to_csv, to_html, to_markdown
from analysis.formats.errors import InputError
from analysis.statistics.intervals import Verdict
from packing.sealed_zip import write_zip

COLUMNS = ("keras3-tensorflow", "keras3-jax")
ROWS = (("bert", "fit", 8, 32),)
logs = st.lists(st.floats(0.01, 1000), min_size=2, max_size=8)


def make_archive(folder, name, change=lambda record: None, runs=3, **plan):
    """An archive that holds what is measured, and nothing that is drawn from it."""
    plan = {"rows": ROWS, "columns": COLUMNS, **plan}
    project = Project(folder / name, make_plan(runs, **plan))
    project.change(change)
    project.save()
    names = files_below(project.folder)
    (project.folder / MANIFEST).write_text(manifest_text(project.folder, names))
    path = folder / f"{name}.zip"
    write_zip(project.folder, [*names, MANIFEST], path, (2026, 1, 1, 0, 0, 0))
    return path


def slower(factor):
    def change(record):
        for block in record["timing"]["blocks"]:
            block["elapsed_ns"] = round(block["elapsed_ns"] * factor)

    return change


def upgraded(record):
    slower(1.2)(record)
    record["environment"]["packages"]["numpy"] = "2.5.0"
    record["parity"]["compiler"] = "xla 2"


def moved(record):
    record["machine"] = {**record["machine"], "id": "m2", "cpu": "Other CPU"}


def compared(tmp_path, *paths):
    folder = tmp_path / "unpacked"
    folder.mkdir()
    base, *others = read_archives(list(paths), folder)
    return [compare(base, other) for other in others]


def test_a_cell_that_got_slower(tmp_path):
    a, b = make_archive(tmp_path, "a"), make_archive(tmp_path, "b", upgraded)
    (comparison,) = compared(tmp_path, a, b)
    assert not comparison.machines_differ
    for pair in comparison.pairs:
        assert pair.verdict is Verdict.SLOWER and not pair.why
        assert pair.ratio.value == pytest.approx(1.2)
        assert pair.ratio.interval.low < 1.2 < pair.ratio.interval.high
    configuration, machine, versions, parity = changes(comparison)
    assert not configuration.lines and not machine.lines
    assert ("keras3-jax, numpy", "2.4.6", "2.5.0") in versions.lines
    assert parity.lines[0][:3] == ("compiler", "xla", "xla 2")
    assert "BERT fit on Keras 3 (JAX)" in parity.lines[0][3]


def test_the_same_twice(tmp_path):
    a = make_archive(tmp_path, "a")
    (comparison,) = compared(tmp_path, a, a)
    assert {pair.verdict for pair in comparison.pairs} == {Verdict.SAME}
    assert all(pair.ratio.value == 1 for pair in comparison.pairs)
    assert not any(grid.lines for grid in changes(comparison))
    assert "Nothing changed." in to_html([comparison], ROOT / "report")


def test_other_machines_are_never_ranked(tmp_path):
    def other(record):
        upgraded(record)
        moved(record)

    a, b = make_archive(tmp_path, "a"), make_archive(tmp_path, "b", other)
    comparisons = compared(tmp_path, a, b, a)
    assert [comparison.machines_differ for comparison in comparisons] == [True, False]
    first = comparisons[:1]
    assert {pair.verdict for pair in first[0].pairs} == {None}
    assert all(pair.ratio.interval for pair in first[0].pairs)
    page, text = to_html(first, ROOT / "report"), to_markdown(first)
    for written in (page, text, to_csv(first)):
        assert not re.search(r"FASTER|SLOWER|SAME|AMBIGUOUS|\bbest\b|Verdict|<strong>", written)
    assert BANNER in page and BANNER in text
    assert not times(first[0]).marked
    assert BANNER not in to_html(comparisons[1:], ROOT / "report")


def test_several_machines_in_one_archive_are_not_ranked(tmp_path):
    def one(record):
        if record["cell"]["run"] == 1:
            moved(record)

    a = make_archive(tmp_path, "a", one)
    assert compared(tmp_path, a, a)[0].machines_differ


def test_one_run_has_no_interval_and_no_verdict(tmp_path):
    a, b = make_archive(tmp_path, "a"), make_archive(tmp_path, "b", upgraded, runs=1)
    (comparison,) = compared(tmp_path, a, b)
    for pair in comparison.pairs:
        assert (pair.ratio.interval, pair.verdict) == (None, None)
        assert pair.why == "one run has no interval"


def test_cells_of_one_archive_alone_and_failed_ones(tmp_path):
    def lost(record):
        if record["cell"]["column"] == "keras3-jax":
            fail(record, "oom", "too much")

    a = make_archive(tmp_path, "a", columns=COLUMNS[:1])
    b = make_archive(tmp_path, "b", lost)
    (comparison,) = compared(tmp_path, a, b)
    alone = comparison.pairs[1]
    assert alone.ratio is None and alone.verdict is None
    assert alone.why == "base: not in this archive; other: oom: MemoryError: too much"
    assert times(comparison).lines[1][1:7] == ("NA", "0", "NA", "0", "NA", "")


def test_other_work_has_no_ratio(tmp_path):
    a = make_archive(tmp_path, "a")
    plan = make_plan(3, ROWS, COLUMNS)
    models = {"bert": {**plan["models"]["bert"], "architecture": {"layers": 5, "hidden": 256}}}
    b = make_archive(tmp_path, "b", models=models)
    (comparison,) = compared(tmp_path, a, b)
    assert {(pair.ratio, pair.why) for pair in comparison.pairs} == {(None, "another architecture")}
    configuration = changes(comparison)[0]
    assert ("architecture of bert: layers", "4", "5") in configuration.lines


def test_a_changed_archive_is_not_used(tmp_path):
    a = make_archive(tmp_path, "a")
    record = next(name for name in files_below(tmp_path / "a") if "run1" in name)
    text = (tmp_path / "a" / record).read_text()
    (tmp_path / "a" / record).write_text(text.replace("40.0", "41.0"))
    names = files_below(tmp_path / "a")
    write_zip(tmp_path / "a", names, tmp_path / "b.zip", (2026, 1, 1, 0, 0, 0))
    with pytest.raises(InputError, match=r"b\.zip: .*run1\.json: its SHA-256"):
        compared(tmp_path, a, tmp_path / "b.zip")


def test_the_command_writes_three_files_with_the_same_numbers(tmp_path):
    hostile = {"citation": "<script>alert(1)</script>", "title": "<b>BERT</b>"}
    model = {**make_plan()["models"]["bert"], **hostile}
    a = make_archive(tmp_path, "a <b>", models={"bert": model})
    b = make_archive(tmp_path, "b", upgraded, models={"bert": model})
    command = [sys.executable, "-m", "analysis.compare", str(a), str(b), "--output", "out/c.html"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    page, text, table = (
        (tmp_path / "out" / f"c.{form}").read_text(encoding="utf-8")
        for form in ("html", "md", "csv")
    )
    lines = list(csv.DictReader(table.splitlines()))
    assert [line["verdict"] for line in lines] == ["SLOWER", "SLOWER"]
    for line in lines:
        ratio = f"{float(line['ratio']):.3f}"
        assert f"<td>{ratio}</td>" in page and f"| {ratio} |" in text
    assert "<script" not in page and "<b>" not in page and "http:" not in page
    assert str(tmp_path) not in page + text + table
    Balanced().feed(page)


class Balanced(HTMLParser):
    """Fails where an element is closed that is not the innermost."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("names", "output", "message"),
    [
        (["a.zip"], "c.html", "two or more"),
        (["a.zip", "a.zip"], "c.txt", "must end in .html"),
        (["a.zip", "none.zip"], "c.html", "none.zip: no such file"),
    ],
)
def test_bad_input_is_one_line(tmp_path, names, output, message):
    make_archive(tmp_path, "a")
    command = [sys.executable, "-m", "analysis.compare", *names, "--output", output]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert message in done.stderr and not (tmp_path / output).exists()


def test_a_plan_of_another_version_is_one_line(tmp_path):
    path = make_archive(tmp_path, "a")
    plan = tmp_path / "a/results/plan.json"
    plan.write_text(json.dumps({**json.loads(plan.read_text()), "schema": "millistep.plan/1"}))
    names = [name for name in files_below(tmp_path / "a") if name != MANIFEST]
    (tmp_path / "a" / MANIFEST).write_text(manifest_text(tmp_path / "a", names))
    write_zip(tmp_path / "a", [*names, MANIFEST], tmp_path / "b.zip", (2026, 1, 1, 0, 0, 0))
    with pytest.raises(InputError, match=r"b\.zip: .*plan\.json: made by an older") as raised:
        compared(tmp_path, path, tmp_path / "b.zip")
    assert str(tmp_path / "unpacked") not in str(raised.value)


@pytest.mark.filterwarnings("ignore:Precision loss")
@given(logs, logs)
def test_welch_is_scipys(times, base):
    ratio = welch_ratio(times, base)
    expected = ttest_ind(
        list(map(math.log, times)), list(map(math.log, base)), equal_var=False
    ).confidence_interval()
    if math.isnan(expected.low) or len({*times}) == 1 or len({*base}) == 1:
        return
    assert ratio.interval.low == pytest.approx(math.exp(expected.low), rel=1e-6)
    assert ratio.interval.high == pytest.approx(math.exp(expected.high), rel=1e-6)


@given(logs, logs)
def test_welch_the_other_way_round(times, base):
    ratio, inverse = welch_ratio(times, base), welch_ratio(base, times)
    assert ratio.value == pytest.approx(1 / inverse.value)
    assert ratio.interval.low == pytest.approx(1 / inverse.interval.high)


def test_welch_covers_the_truth():
    """Three runs against five, the noise of one twice that of the other: about 95 % of 2,000."""
    noise, covered = random.Random(1), 0
    for _ in range(2000):
        times = [math.exp(noise.gauss(0.1, 0.012)) for _ in range(3)]
        base = [math.exp(noise.gauss(0.0, 0.006)) for _ in range(5)]
        interval = welch_ratio(times, base).interval
        covered += interval.low <= math.exp(0.1) <= interval.high
    assert 0.93 <= covered / 2000 <= 0.97


def test_welch_without_runs_or_spread():
    assert welch_ratio([], [1.0]) is None
    assert welch_ratio([2.0], [1.0, 1.0]).interval is None
    ratio = welch_ratio([2.0, 2.0], [1.0, 1.0])
    assert (ratio.interval.low, ratio.interval.high) == (2.0, 2.0) and ratio.value == 2.0
