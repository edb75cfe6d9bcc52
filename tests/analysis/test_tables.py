import csv
import io
import re

import pyarrow
import pytest
from pyarrow import parquet
from record_changes import slow_down, stretch, takes
from results_factory import FRAMEWORKS, Project, hostile_project, make_plan
from whole_table import whole_table

from analysis.statistics.best_set import Standing
from analysis.tables.latex import to_latex
from analysis.tables.model import letter, main_table
from analysis.tables.writers import table_csv, to_html, to_markdown
from analysis.writing.files import to_csv, to_parquet


def lines_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_cells_print_mean_interval_best_and_status(project):
    project.fail("oom", "killed", column="pytorch-eager", task="fit")
    project.fail("timeout", column="keras3-torch", task="fit", run=2)
    table = main_table(project.load())
    fit = dict(zip(FRAMEWORKS, table.rows[0].cells, strict=True))
    assert table.rows[0].labels == ("BERT fit", "8")
    assert fit["keras3-jax"].text == "8.016"
    assert fit["keras3-jax"].interval == "[7.996, 8.036]"  # two rows: by its own runs alone
    assert [name for name, cell in fit.items() if cell.best] == ["keras3-jax"]
    assert fit["pytorch-eager"].text == "oom" and table.marks(fit["pytorch-eager"]) == ["b"]
    assert dict(table.notes) == {
        "a": "mean of 2 of 3 runs, as if it had every round of its row; run 2 timeout: not "
        "finished after the time limit of 60 s",
        "b": "oom: MemoryError: killed",
    }


def test_a_mean_without_its_warm_up_says_so(project):
    project.change(lambda r: stretch(r, 1.3, slice(0, 3)), "keras3-jax", "fit")
    table = main_table(project.load())
    assert table.notes == [("a", "without its first blocks, which were warm-up")]
    cell = dict(zip(FRAMEWORKS, table.rows[0].cells, strict=True))["keras3-jax"]
    assert cell.text == "8.016" and table.marks(cell) == ["a"]


def test_one_run_has_no_interval_compares_nothing_and_nothing_is_bold(tmp_path):
    results = Project(tmp_path, make_plan(runs=1)).load()
    standings = {standing for row in results.rows for standing in row.standings.values()}
    assert standings == {Standing.NOT_COMPARED}
    table = main_table(results)
    cells = [cell for row in table.rows for cell in row.cells]
    assert not any(cell.best or cell.ends for cell in cells)
    assert {cell.standing_mark for cell in cells} == {""}  # the caption says it for all
    assert "**" not in to_markdown(table)
    assert "one run has no interval" in table.caption


def test_no_cell_is_blank_whatever_happened(project):
    statuses = ["unsupported", "oom", "timeout", "error", "killed", "too large"]
    for status, column in zip(statuses, FRAMEWORKS, strict=True):
        project.fail(status, "needs Keras 3", column=column, task="fit")
    project.records = {path: r for path, r in project.records.items() if "predict" not in path}
    table = main_table(project.load())
    assert [cell.text for cell in table.rows[0].cells] == ["NA", *statuses[1:]]
    assert table.notes[0] == ("a", "NA: needs Keras 3")
    assert {cell.text for cell in table.rows[1].cells} == {"not measured"}
    assert all(cell.notes for row in table.rows for cell in row.cells)


def test_every_format_prints_the_same_numbers(project):
    table = main_table(project.load())
    expected = [cell.text for row in table.rows for cell in row.cells]
    ends = [cell.ends for row in table.rows for cell in row.cells]
    lines = lines_of(table_csv(table))
    assert [line["ms_per_step"] for line in lines] == expected
    assert [(line["ci95_low_ms"], line["ci95_high_ms"]) for line in lines] == ends
    for text in (to_markdown(table), to_latex(table), to_html(table)):
        assert all(number in text for number in expected)
        assert all(f"[{low}, {high}]" in text for low, high in ends)


def standings_project(tmp_path):
    """Keras 3 on JAX best, on TensorFlow undecided, on PyTorch slower, and PyTorch not compared."""
    columns = ("keras3-jax", "keras3-tensorflow", "keras3-torch", "pytorch-eager")
    project = Project(tmp_path, make_plan(columns=columns, rows=(("bert", "fit", 8, 32),)))
    project.change(lambda record: spread_out(record, 0.125), column="keras3-tensorflow")
    for run in (1, 2):
        project.fail("error", f"lost {run}", column="pytorch-eager", run=run)
    return project


def spread_out(record, share):
    """11 ms, by this share less in the first run and more in the third."""
    takes(record, 11 * (1 + share * (record["cell"]["run"] - 2)))


def test_every_format_distinguishes_the_four_standings_without_colour(tmp_path):
    table = main_table(standings_project(tmp_path).load())
    texts = [cell.text for cell in table.rows[0].cells]
    assert texts == ["8.016", "10.94", "30.06", "24.05"]  # the last one's slow round
    standings = ["best or equal", "undecided", "significantly slower", "not compared"]
    best = ["true", "false", "false", "false"]
    lines = lines_of(table_csv(table))
    assert [(line["standing"], line["best"]) for line in lines] == list(
        zip(standings, best, strict=True)
    )
    markdown = " ".join(to_markdown(table).split())
    for found in ("| **8.016** [", "| 10.94 ? [", "| 30.06 [", "| 24.05 n.c. (a, b)"):
        assert found in markdown
    latex = to_latex(table)
    for found in (
        r"\textbf{8.016}",
        r"10.94\textsuperscript{?}",
        r"24.05\textsuperscript{n.c.,a,b}",
        r"30.06\\{\tiny [",
        r"\begin{tabular}{@{}lrrrrr@{}}",  # the model, its batch size and four columns
    ):
        assert found in latex
    html = to_html(table)
    assert html.count('<abbr title="undecided">?</abbr>') == 1
    assert html.count('<abbr title="not compared">n.c.</abbr>') == 1
    for phrase in (
        "Bold: best or equal",
        "?: undecided",
        "n.c.: not compared",
        "No mark: significantly slow",
    ):
        assert phrase in table.caption


def test_numbers_are_apart_from_what_stands_beside_them_in_a_text_that_was_copied(tmp_path):
    table = main_table(standings_project(tmp_path).load())
    copied = re.sub("<[^>]+>", "", to_html(table))
    assert "10.94 ? [" in copied and "24.05 n.c. a, b" in copied and "8.016 [" in copied


def test_the_caption_explains_the_marks_that_stand_there(project):
    project.change(slow_down, column="keras3-torch", task="fit")
    table = main_table(project.load())
    standings = {cell.standing for row in table.rows for cell in row.cells}
    assert Standing.NOT_COMPARED in standings and "n.c." not in table.caption


def test_no_column_is_bold_where_another_could_be_faster(tmp_path):
    project = standings_project(tmp_path)
    project.change(lambda record: spread_out(record, 0.3), column="keras3-tensorflow")
    text = to_markdown(main_table(project.load()))
    assert "**" not in text and "| 8.016 ? [" in " ".join(text.split())


def test_a_cell_that_was_not_steady_has_a_badge_and_is_not_best(project):
    project.change(slow_down, column="keras3-jax", task="fit")
    table = main_table(project.load())
    fit = dict(zip(FRAMEWORKS, table.rows[0].cells, strict=True))
    assert {name: cell.badge for name, cell in fit.items() if cell.badge} == {
        "keras3-jax": "slowdown"
    }
    # none is best beside a lower time that is not compared
    assert not any(cell.best for cell in fit.values())
    assert fit["keras3-tensorflow"].standing is Standing.UNDECIDED
    assert "A cell that is labelled slowdown was not steady" in table.caption
    line = next(line for line in lines_of(table_csv(table)) if line["column"] == "keras3-jax")
    assert (line["steady_state"], line["best"]) == ("slowdown", "false")
    number = fit["keras3-jax"].text
    assert f"| {number} *slowdown* [" in " ".join(to_markdown(table).split())
    assert r"{\tiny slowdown}" in to_latex(table)
    assert f'{number} <span class="interval">' in to_html(table)
    assert '<span class="badge">slowdown</span></td>' in to_html(table)


def test_a_steady_table_has_no_badge(project):
    table = main_table(project.load())
    assert {cell.steady_state for row in table.rows for cell in row.cells} == {"flat"}
    assert "badge" not in to_html(table) and "labelled" not in table.caption


def test_foreign_text_stays_text_in_every_format(tmp_path):
    table = main_table(hostile_project(tmp_path).load())
    page, text = to_html(table), to_markdown(table)
    assert not any("\x1b" in each for each in (page, text))
    assert "<script" not in page and "<b>" not in page and page.count("<td") == 2 * 7
    assert 'scope="row"' in page and 'scope="col"' in page and "<caption>" in page
    body = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in body} == {9}
    assert "\\<script\\>" in text


def test_runs_csv_has_a_line_per_run_at_full_precision(project):
    project.fail("unsupported", "=1+1", column="pytorch-eager", task="fit", run=2)
    lines = lines_of(to_csv(project.data().recorded))
    assert len(lines) == 2 * 6 * 3
    first = lines[0]
    assert float(first["ms_per_step"]) == 20.02
    assert first["parity.dtype"] == "float32" and first["machine.accelerator_name"] == "NA"
    assert "environment.packages" not in first
    failed = next(line for line in lines if line["status"] == "unsupported")
    assert (failed["ms_per_step"], failed["reason"]) == ("NA", "'=1+1")
    assert failed["timing.import_s"] == failed["steps"] == "NA" and failed["total_s"] == "40.0"
    assert (first["steps"], first["work.parameters"]) == ("100", "10780418")


def test_parquet_holds_the_same_runs_to_the_digit(tmp_path):
    project = whole_table(tmp_path, runs=2)
    project.change(lambda r: r["parity"].update(graphs="two"), column="keras3-jax", run=1)
    project.change(lambda r: r["parity"].update(graphs=2), column="keras3-torch", run=1)
    runs = project.data().recorded
    lines = lines_of(to_csv(runs))
    content = to_parquet(runs)
    assert content == to_parquet(runs)
    table = parquet.read_table(io.BytesIO(content))
    assert table.num_rows == len(lines) == 66 * 2
    assert table.column_names == list(lines[0])
    for name in table.column_names:
        read = ["NA" if value is None else value for value in table[name].to_pylist()]
        written = [line[name] for line in lines]
        if table.schema.field(name).type == pyarrow.float64():
            assert [v for v in read if v != "NA"] == [float(v) for v in written if v != "NA"]
        else:
            assert list(map(str, read)) == written
    assert table.schema.field("batch_size").type == pyarrow.int64()
    assert table.schema.field("parity.graphs").type == pyarrow.string()


@pytest.mark.parametrize(("index", "name"), [(0, "a"), (25, "z"), (26, "aa"), (52, "ba")])
def test_letters_do_not_run_out(index, name):
    assert letter(index) == name


def test_runs_have_both_intervals_of_their_cell(tmp_path):
    rows = tuple(("bert", task, batch, 32) for task in ("fit", "predict") for batch in (8, 16))
    project = Project(tmp_path, make_plan(rows=rows))
    project.fail("timeout", column="keras3-torch", task="fit", run=2)
    columns = project.data().recorded
    names = ("cell_ci95_low_ms", "cell_ci95_high_ms")
    plain = ("cell_plain_ci95_low_ms", "cell_plain_ci95_high_ms")
    lines = list(zip(columns["column"], *(columns[name] for name in names + plain), strict=True))
    kept = [line for line in lines if line[0] != "keras3-torch"]
    assert all(own < low < high < other for _, low, high, own, other in kept)
    # by hand: 8.016 * exp(-+ 4.302653 * 0.000998 / sqrt(3))
    jax = next(line for line in lines if line[0] == "keras3-jax")
    assert jax[3:] == (pytest.approx(7.99613, abs=1e-4), pytest.approx(8.03585, abs=1e-4))
    # two runs of the cell that lost one: plain
    torch = next(line for line in lines if line[0] == "keras3-torch")
    assert torch[1:3] == torch[3:]


def test_what_every_number_lacks_is_said_once(project):
    """As while a table is measured: letters are for what sets a cell apart."""
    project.fail("error", "lost", run=2)
    project.fail("error", "lost", run=3)
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.5), "keras3-jax", task="fit")
    table = main_table(project.load())
    lost = "mean of 1 of 3 runs; runs 2 and 3 error: RuntimeError: lost"
    assert f"Every cell: {lost}." in table.caption
    assert [mark for mark, _ in table.notes] == ["a"] and lost not in dict(table.notes).values()
    assert [table.marks(cell) for row in table.rows for cell in row.cells].count(["a"]) == 1
    assert all(lost in line["note"] for line in lines_of(table_csv(table)))
