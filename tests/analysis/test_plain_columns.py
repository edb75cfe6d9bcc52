"""Columns with settings stand in the table, and not in what is said about frameworks."""

import pytest
from record_changes import stretch
from results_factory import FRAMEWORKS, Project, make_plan, uneven
from whole_table import whole_table

from analysis.claims import judge
from analysis.comparisons.findings import findings
from analysis.comparisons.speedups import speedups
from analysis.figures.legends import column_labels
from analysis.figures.panels import label
from analysis.figures.published import relative_times
from analysis.report.setting import facts
from analysis.results.plan import Column
from analysis.results.reference import load_reference
from analysis.tables.latex import to_latex
from analysis.tables.model import main_table, parts
from analysis.tables.published import published_table
from analysis.tables.writers import to_html, to_markdown
from analysis.topics.break_even.section import row_details
from contract import table_text

MANY = tuple(
    name
    for framework, (_, family, *_) in FRAMEWORKS.items()
    for settings in (
        "",
        "+tf32",
        "+max-autotune+float32" if family == "pytorch" else "+jit+float32",
    )
    for name in [framework + settings]
)


def tables(folder, *more):
    """The same measurements without and with columns that have settings; these are the fastest."""
    plain = Project(folder / "plain", make_plan(columns=tuple(FRAMEWORKS)))
    with_settings = Project(folder / "with_settings", make_plan(columns=(*FRAMEWORKS, *more)))
    for project in (plain, with_settings):
        project.change(uneven)
    for column in more:
        with_settings.change(ten_times_as_fast, column=column)
    return plain.load(), with_settings.load()


def ten_times_as_fast(record):
    stretch(record, 0.1)
    record["work"]["flops_per_step"] /= 10


@pytest.fixture
def both(tmp_path):
    return tables(tmp_path, "keras3-jax+tf32", "pytorch-eager+float32")


def test_the_table_ranks_all_columns(both):
    for row in both[1].rows:
        assert row.standings["keras3-jax+tf32"] == "best or equal"
        assert row.standings["keras3-jax"] == "significantly slower"


def test_what_is_said_of_frameworks_is_the_same(both):
    """The fastest of a family, findings and claims."""
    reference, said = load_reference(), []
    for results in both:
        found, claims = findings(results), judge(results, reference)
        assert "tf32" not in str(found) + str(claims)
        fastest = [
            (entry.gain.new.column.name, entry.gain.base.column.name)
            for family in ("keras2", "pytorch")
            for entry in speedups(results.rows, family, reference)
        ]
        answers = [(each.id, each.verdict, [row for row, _ in each.evidence]) for each in found]
        said.append((fastest, answers, [(claim.id, claim.verdict) for claim in claims]))
    assert said[0] == said[1]


def test_a_family_only_with_settings_is_reported(tmp_path):
    columns = ("keras3-jax", "keras2-tensorflow+no-jit")
    results = Project(tmp_path, make_plan(columns=columns)).load()
    (entry, _) = speedups(results.rows, "keras2", load_reference())
    assert entry.gain is None
    assert entry.missing == "Keras 2 only with settings of its own"


def test_only_frameworks_without_settings_stand_beside_published_numbers(both):
    reference = load_reference()
    table = published_table(both[1], reference)
    assert [column.name for column in table.columns] == list(FRAMEWORKS)
    points = [relative_times(row, reference) for row in both[1].rows]
    assert {cell.column.name for found in points for cell, *_ in found} <= set(FRAMEWORKS)


def test_a_study_of_settings_has_nothing_beside_the_published_numbers(tmp_path):
    columns = ("keras3-jax+tf32", "keras3-jax+float32")
    results = Project(tmp_path, make_plan(columns=columns)).load()
    table = published_table(results, load_reference())
    assert (table.columns, table.rows) == ((), ())
    assert "No column has a published counterpart." in to_html(table)
    assert "No column has a published counterpart" in to_latex(table) + to_markdown(table)


def test_break_even_is_shown_between_frameworks_and_within_one(tmp_path):
    plan = make_plan(columns=("keras3-jax", "keras3-torch", "keras3-jax+tf32"))
    project = Project(tmp_path, plan)
    project.change(lambda r: r["timing"].update(first_step_s=90.0), column="keras3-jax")
    project.change(ten_times_as_fast, column="keras3-jax+tf32")
    project.change(lambda r: r["timing"].update(first_step_s=180.0), column="keras3-jax+tf32")
    lines = next(iter(row_details(project.data()).values())).grid.lines
    jax, tf32, torch = "Keras 3 (JAX)", "Keras 3 (JAX), tf32", "Keras 3 (PyTorch)"
    assert [line[:2] for line in lines] == [(jax, torch), (tf32, jax)]


def test_frameworks_and_columns_are_counted(both):
    texts = [dict(facts(results))["Table"] for results in both]
    assert texts[0].endswith("on 6 frameworks")
    assert texts[1].endswith("on 6 frameworks in 8 columns")


def test_a_wide_table_is_printed_in_parts(tmp_path):
    table = main_table(whole_table(tmp_path, runs=2, columns=MANY).load())
    assert [len(part.columns) for part in parts(table)] == [6, 6, 6]
    assert [column for part in parts(table) for column in part.columns] == list(table.columns)
    text = to_markdown(table)
    for row in table.rows:
        for cell in row.cells:
            assert f" {cell.text}" in text.replace("*", " ")
    assert max(map(len, text.split("\n\n")[0].splitlines())) < 260
    for part in parts(table):
        assert {mark for mark, _ in part.notes} == {
            mark for row in part.rows for cell in row.cells for mark in part.marks(cell)
        }


@pytest.mark.parametrize(
    ("columns", "sizes"), [(6, [6]), (7, [4, 3]), (8, [4, 4]), (13, [5, 5, 3])]
)
def test_parts_are_even(columns, sizes):
    assert [len(range(columns)[own]) for own in table_text.parts(columns)] == sizes


def test_columns_that_look_alike_are_labelled_so(tmp_path):
    look = {"colour": "#0072b2", "marker": "o", "hatch": ""}
    one, other = Column("a", "A", "f", "a", **look), Column("b", "B", "f", "b", **look)
    third = Column("c", "C", "f", "c", **{**look, "marker": "D"})
    assert column_labels([one, other, third]) == ["A", "B (drawn as A)", "C"]


def test_a_long_title_takes_two_lines():
    title = "Keras 3 (TensorFlow), CPU, stack 2024-04, float32, jit_compile false, 12 threads"
    lines = label(Column("a", title, "f", "a")).split("\n")
    assert len(lines) == 2 and all(len(line) <= 34 for line in lines)
    assert lines[0] == "Keras 3 (TensorFlow), CPU, stack" and lines[1].endswith("…")
