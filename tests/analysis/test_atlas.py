"""Archives side by side."""

import json
import random
import re

import pandas as pd
import pytest
from browser import CHROMIUM, chromium
from record_changes import stretch
from results_factory import Project, make_plan
from tests.shared import served

from analysis.atlas.__main__ import main
from analysis.atlas.page import write_page
from analysis.atlas.read import content, read
from analysis.atlas.read import main as read_one
from analysis.atlas.tables import Atlas
from analysis.atlas.trends import MIN_DATES, level_changes, trends
from analysis.formats.errors import InputError
from analysis.results.reference import load_reference
from analysis.statistics.intervals import Verdict
from analysis.writing.files import to_parquet

TF, JAX = "keras3-tensorflow", "keras3-jax"  # 10 and 8 ms
ROWS = (("bert", "fit", 8, 32), ("bert", "predict", 16, 256))
REFERENCE = load_reference()
WRONG = {"archive": "old/bad.zip", "wrong": ["its zip is <broken>"]}


def page_of(atlas, folder):
    """The text of the page."""
    write_page(atlas, trends(atlas), folder / "atlas.html")
    return (folder / "atlas.html").read_text()


def archive(folder, day, factors=(), machine=1, scale="laptop", runs=3, columns=(TF, JAX), hour=10):
    """One archive as it is read: times of a column changed by a factor, on a machine and a day."""
    project = Project(folder / f"{day}", make_plan(runs, ROWS, columns, scale=scale))

    def change(record):
        factor = dict(factors).get(record["cell"]["column"], 1)
        stretch(record, factor)
        record["machine"] |= {"id": f"m{machine}", "cpu": f"Example CPU {machine}"}
        record["started_at"] = f"{day}T{hour}{record['started_at'][13:]}"

    project.change(change)
    about = {"name": f"{day}.zip", "sha256": f"{day:0>64}", "verified": "identical"}
    told = about | {"archive": f"{day}.zip", "revision": None}
    return told | content(project.load(), REFERENCE)


@pytest.fixture(scope="module")
def atlas(tmp_path_factory):
    """JAX is faster on the first machine, on two days, and slower on the second."""
    folder = tmp_path_factory.mktemp("archives")
    made = [
        archive(folder, "2026-02-03", [(JAX, 1.1)]),
        archive(folder, "2026-01-02"),
        archive(folder, "2026-03-04", [(JAX, 2)], machine=2),
    ]
    return Atlas(json.loads(json.dumps([*made, WRONG, made[0]])))


def test_every_cell_of_every_archive_is_a_line(atlas):
    cells = atlas.cells
    assert list(atlas.archives["date"]) == ["2026-01-02", "2026-02-03", "2026-03-04"]
    assert len(cells) == 3 * 4 and list(cells["cell"]) == [*range(1, 13)]
    first = cells.iloc[0]
    assert (first["model"], first["task"], first["batch_size"]) == ROWS[0][:3]
    assert first["ci95_low_ms"] < first["step_ms"] < first["ci95_high_ms"]
    assert first["step_ms"] == pytest.approx(10.02, rel=1e-3) and first["stack"] == "2026-11"
    assert to_parquet(cells.drop(columns="run_ms"))


def test_a_machine_has_one_vote_on_a_pair_of_columns(atlas):
    pairs = atlas.pairs
    assert list(pairs["row_title"]) == ["BERT fit", "BERT predict", "geometric mean of 2 rows"]
    for _, pair in pairs.iterrows():
        assert (pair["a"], pair["b"], pair["machines"]) == (JAX, TF, 2)
        assert [len(pair[word]) for word in ("in_favour", "against", "undecided")] == [1, 1, 0]
        assert pair["in_favour_archives"] == [1, 2] and pair["against_archives"] == [3]
        assert pair["ratio_low"] == pytest.approx(10 / 16, rel=1e-3)
        assert pair["ratio_high"] == pytest.approx(10 / 8, rel=1e-3)


def test_a_single_run_gives_no_end_of_a_range_and_is_no_evidence(tmp_path):
    made = [
        archive(tmp_path, "2026-01-02"),
        archive(tmp_path, "2026-01-03", [(JAX, 3)], runs=1),
        archive(tmp_path, "2026-01-04", [(JAX, 3)], machine=2, runs=1),
    ]
    pairs = Atlas(made).pairs
    for _, pair in pairs.iterrows():
        assert pair["in_favour_archives"] == [1] and pair["undecided_archives"] == [3]
        assert (pair["low_archive"], pair["high_archive"]) == (1, 1)
        assert pair["ratio_low"] == pair["ratio_high"] == pytest.approx(10 / 8, rel=1e-3)
    alone = Atlas(made[1:]).pairs  # where no ratio has an interval, all count
    assert set(alone["low_archive"]) == {1} and alone["ratio_low"].notna().all()


def test_archives_of_one_day_are_in_the_order_in_which_they_were_measured(tmp_path):
    morning = archive(tmp_path / "1", "2026-01-02", hour=10)
    noon = archive(tmp_path / "2", "2026-01-02", [(JAX, 1.1)], hour=12)
    evening = archive(tmp_path / "3", "2026-01-02", [(JAX, 1.3)], hour=19)
    for one, sha256 in ((morning, "b"), (noon, "c"), (evening, "a")):
        one |= {"sha256": sha256 * 64}
    of_a_day = Atlas([evening, morning, noon])
    assert [digest[0] for digest in of_a_day.archives["sha256"]] == ["b", "c", "a"]
    assert set(of_a_day.archives["date"]) == {"2026-01-02"}
    jax = trends(of_a_day).set_index(["task", "column"]).loc["fit", JAX]
    assert jax["ratio"] == pytest.approx(1.3)


def test_what_was_archived_again_with_a_doi_counts_once(tmp_path):
    once = archive(tmp_path, "2026-01-02")
    again = once | {"name": "with-doi.zip", "sha256": "d" * 64}
    assert len(Atlas([once, again]).used) == 1


def test_archives_of_one_machine_that_contradict_each_other_decide_nothing(tmp_path):
    days = {"2026-01-02": [], "2026-01-03": [(JAX, 2)]}
    made = [archive(tmp_path, day, factors) for day, factors in days.items()]
    pair = Atlas(made).pairs.iloc[0]
    assert (pair["in_favour"], pair["against"], len(pair["undecided"])) == ([], [], 1)


def test_other_scales_are_other_questions(tmp_path):
    made = [archive(tmp_path / s, "2026-01-02", scale=s) for s in ("laptop", "smoke")]
    made[1]["sha256"] = "1" * 64
    apart = Atlas(made)
    assert list(apart.pairs["machines"]) == [1] * 6
    assert "No two machines compared the same two columns" in page_of(apart, tmp_path)


def test_an_archive_of_one_column_and_one_run_compares_nothing(tmp_path):
    one = archive(tmp_path, "2026-01-02", runs=1, columns=(JAX,))
    alone = Atlas([json.loads(json.dumps(one, allow_nan=False))])
    assert page_of(alone, tmp_path)
    assert len(alone.cells) == 2 and alone.pairs.empty and trends(alone).empty


def test_the_command_writes_page_and_tables_and_names_what_it_left_out(
    tmp_path, monkeypatch, capsys
):
    def run(*read):
        paths = [tmp_path / f"{number}.json" for number in range(len(read))]
        for path, made in zip(paths, read, strict=True):
            path.write_text(json.dumps(made))
        monkeypatch.setattr("sys.argv", ["atlas", *map(str, paths), "--output-dir", str(folder)])
        main()

    folder = tmp_path / "atlas"
    with pytest.raises(InputError, match="none of the archives can be used"):
        run(WRONG)
    capsys.readouterr()
    run(archive(tmp_path, "2026-01-02"), archive(tmp_path, "2026-02-03", [(JAX, 2)], 2), WRONG)
    told = capsys.readouterr()
    assert told.err == "left out: old/bad.zip: its zip is <broken>\n"
    assert told.out == f"{folder / 'atlas.html'}: 8 cells of 2 archives, 1 left out\n"
    names = ("cells", "pairs", "claims", "trends")
    cells, pairs, _, course = (pd.read_csv(folder / f"{name}.csv") for name in names)
    assert cells["archive_name"].tolist() == ["2026-01-02.zip"] * 4 + ["2026-02-03.zip"] * 4
    machines = [f"Example CPU {number}, 2 cores, 16 GiB" for number in (1, 2)]
    assert pairs[["in_favour", "against"]].to_numpy().tolist() == [machines] * 3
    assert course.empty and pd.read_parquet(folder / "cells.parquet").shape == cells.shape


def test_whatever_one_archive_does_to_its_reading_the_others_are_read(tmp_path, monkeypatch):
    def fails(*of_archive):
        raise ZeroDivisionError("division by zero")

    output = tmp_path / "read.json"
    monkeypatch.setattr("analysis.atlas.read.read", fails)
    monkeypatch.setattr("sys.argv", ["read", "a.zip", "--output", str(output)])
    read_one()
    wrong = {"archive": "a.zip", "wrong": ["ZeroDivisionError: division by zero"]}
    assert json.loads(output.read_text()) == wrong


@pytest.mark.parametrize("text", ["[1]", "{}", "{", "\xff"])
def test_what_is_no_archive_that_was_read_is_one_line(tmp_path, monkeypatch, text):
    (tmp_path / "bad.json").write_text(text, encoding="latin-1")
    options = [str(tmp_path / "bad.json"), "--output-dir", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["atlas", *options])
    with pytest.raises(InputError, match=r"bad\.json: not ") as raised:
        main()
    assert len(raised.value.lines) == 1


def test_what_some_archives_lack_is_told(tmp_path):
    days = {"2026-01-02": 3, "2026-01-03": 1, "2026-01-04": 3, "2026-01-05": 3}
    made = [
        archive(tmp_path, day, machine=1 + (day > "2026-01-03"), runs=runs)
        for day, runs in days.items()
    ]
    made[0]["revision"] = "v1"
    text = page_of(Atlas(made), tmp_path)
    assert "<td>v1</td>" in text and text.count("<td>one run has no interval</td>") == 4
    assert "<td>the same within 2\u00a0%</td>" in text
    assert text.count("<td>every machine</td>") == 3 and "contrary" not in text
    assert "3 come out the same way on every machine, and 0 come out the other way" in text


def test_a_claim_holds_on_some_machines(atlas):
    claims = atlas.claims.set_index("claim")
    one = claims.loc["no_backend_fastest_everywhere"]
    assert one["machines"] == 2 and one["against_archives"] == [1, 2, 3]


def test_a_cell_is_followed_from_archive_to_archive(atlas):
    found = trends(atlas).set_index(["task", "column"])
    jax = found.loc["fit", JAX]
    assert (jax["dates"], jax["first_date"], jax["last_date"]) == (2, "2026-01-02", "2026-02-03")
    assert jax["ratio"] == pytest.approx(1.1) and jax["verdict"] == Verdict.SLOWER
    assert found.loc["fit", TF]["verdict"] == Verdict.SAME
    assert jax["changes"] is None  # two dates are too few


def test_levels_are_found_where_there_are_any_and_seldom_else():
    draws = random.Random(1)
    noise = [[draws.gauss(0, 0.02) for _ in range(12)] for _ in range(200)]
    steady = [level_changes([2.718**log for log in logs]) for logs in noise]
    assert sum(map(bool, steady)) <= 10
    stepped = [
        level_changes([2.718 ** (x + 0.2 * (n >= 6)) for n, x in enumerate(logs)]) for logs in noise
    ]
    assert sum(any(at == 6 for at, _ in found) for found in stepped) > 150
    assert MIN_DATES <= 12


def test_a_link_to_a_file_that_is_too_large_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr("analysis.atlas.read.MOST_BYTES", 2**20)
    with served(tmp_path) as address:
        for size, why in ((2**20, "not a zip file"), (2**20 + 1, "larger than the 1 MiB that are")):
            (tmp_path / f"{size}.zip").write_bytes(bytes(size))
            (tmp_path / f"read{size}").mkdir()
            with pytest.raises(InputError, match=why) as raised:
                read(f"{address}/{size}.zip", None, tmp_path / f"read{size}", REFERENCE)
            assert len(raised.value.lines) == 1


def test_a_single_day_and_a_single_ratio_are_said_once(tmp_path):
    text = page_of(Atlas([archive(tmp_path, "2026-01-02")]), tmp_path)
    assert "measured on 1 machine on 2026-01-02." in text
    assert "×<" in text and not re.search(r"(\d\.\d\d×) to \1", text)


@pytest.fixture(scope="module")
def page(atlas, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    page_of(atlas, folder)
    return folder / "atlas.html"


def test_the_page_needs_nothing_else_and_names_what_was_left_out(page, atlas):
    text = page.read_text()
    assert "default-src 'none'" in text and "http" not in text.replace("http-equiv", "")
    assert "old/bad.zip</strong>: its zip is &lt;broken&gt;" in text
    assert "too few dates (2 of 8)" in text
    assert text.count("<td>contrary</td>") == 3  # both rows and their mean
    assert "12 cells of 3 archives, measured on 2 machines from 2026-01-02 to 2026-03-04." in text
    assert "Of 3 comparisons of two columns that several machines made, 0 come" in text
    assert "on every machine, and 3 come out the other way round" in text
    for digest in atlas.archives["sha256"]:
        assert digest in text
    ids = set(re.findall(r' id="([ac]\d+)"', text))
    cited = re.findall(
        r'<a class="n" href="#(\w+)"(?: data-c="([\d ]+)")?(?: data-a="([\d ]+)")?', text
    )
    assert len(cited) > 30
    for address, cells, archives in cited:
        rests_on = {f"c{n}" for n in cells.split()} | {f"a{n}" for n in archives.split()}
        assert {address} | rests_on <= ids


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_the_page_filters_sorts_and_cites(page, atlas):
    with chromium(page.as_uri()) as browser:
        rows = "[...document.querySelectorAll('#cells tbody tr')].map(r => r.cells[{}].textContent)"
        shown = "document.querySelector('#cells .shown').textContent"
        browser.value("form.elements.words.value = 'predict'; tables.forEach(fill)")
        browser.value("form.elements.machine.value = 'M2'; tables.forEach(fill)")
        assert browser.value(rows.format(0)) == ["BERT predict"] * 2
        assert browser.value(shown) == "2 of 12 shown."
        browser.value("form.reset(); tables.forEach(fill)")
        browser.value("document.querySelectorAll('#cells thead th button')[3].click()")
        times = [float(text.split()[0]) for text in browser.value(rows.format(3))]
        assert times == sorted(times) and len(times) == 12
        cited = browser.value("citation(document.querySelector('#pairs a[data-c]'))")
        assert not browser.seen("Log.entryAdded")
        last = atlas.archives.iloc[-1]  # the lowest ratio
        assert f"{JAX} of archive {last['name']}, sha256 {last['sha256']}" in cited
