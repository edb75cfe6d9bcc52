"""Where the table and an effect show different things of a pair, both say which test each is."""

import copy

import pytest
from results_factory import Project, make_plan

from analysis.comparisons.different_tests import different_tests
from analysis.comparisons.effects import effects_of
from analysis.report.different_tests import in_the_table
from analysis.report.effects import effect_views
from analysis.statistics.best_set import Standing

JAX, TF32, TORCH = "keras3-jax", "keras3-jax+tf32", "keras3-torch"
BARELY_SLOWER = (1.08, 1.12, 1.16)  # p = 2.3 %, one-sided: enough alone, not as one of two
MUCH_SLOWER = (1.30, 1.31, 1.32)
AS_FAST = (1.06, 1.00, 1.02)


def results_of(folder, factors):
    """Times of a column and task are those of JAX, times a factor for each round."""
    columns = tuple(dict.fromkeys((JAX, *(column for column, _ in factors))))
    project = Project(folder, make_plan(columns=columns))
    jax = {
        (r["cell"]["task"], r["cell"]["run"]): r["timing"]["blocks"]
        for r in project.records.values()
        if r["cell"]["column"] == JAX
    }
    for record in project.records.values():
        cell = record["cell"]
        if cell["column"] == JAX:
            continue
        blocks = copy.deepcopy(jax[cell["task"], cell["run"]])
        for block in blocks:
            factor = factors[cell["column"], cell["task"]][cell["run"] - 1]
            block["elapsed_ns"] = round(block["elapsed_ns"] * factor)
        record["timing"]["blocks"] = blocks
    return project.load()


def sentences(results):
    (effect,) = effects_of(results)
    (view,) = effect_views(results)
    return view.different_tests, in_the_table([different_tests(effect)])


@pytest.mark.parametrize(
    ("predict", "differs"), [(AS_FAST, True), (MUCH_SLOWER, False)], ids=["differ", "agree"]
)
def test_slower_in_the_table_and_not_shown_for_all_rows(tmp_path, predict, differs):
    """One row of two: 2.5 % in the table, 1.25 % for the effect unless the other row goes first."""
    results = results_of(tmp_path, {(TF32, "fit"): BARELY_SLOWER, (TF32, "predict"): predict})
    assert results.rows[0].standings[TF32] is Standing.SLOWER
    effect, table = sentences(results)
    if not differs:
        assert (effect, table) == ([], [])
        return
    assert effect == [
        "The table calls the slower column of BERT fit shown slower, and that is not shown here: "
        "the table is corrected for the columns of one row, this for all 2 comparisons of the "
        "question."
    ]
    assert table == [
        "Shown slower here, corrected for the columns of a row, but not for “What does TF32 "
        "change?” (BERT fit): that is corrected for all rows and pairs of its question."
    ]


def test_slower_as_a_pair_alone_and_undecided_in_the_table(tmp_path):
    """A third column, as fast as the fastest, makes two comparisons of the row's one."""
    factors = {(TF32, "fit"): BARELY_SLOWER, (TF32, "predict"): AS_FAST}
    factors |= {(TORCH, task): AS_FAST for task in ("fit", "predict")}
    results = results_of(tmp_path, factors)
    assert results.rows[0].standings[TF32] is Standing.UNDECIDED
    effect, table = sentences(results)
    assert effect == [
        "The verdict in BERT fit is that of the pair alone; the table, corrected for all columns "
        "of the row, calls its slower column undecided."
    ]
    assert table == [
        "Undecided here, corrected for the columns of a row, but decided as a pair alone for "
        "“What does TF32 change?” (BERT fit)."
    ]
