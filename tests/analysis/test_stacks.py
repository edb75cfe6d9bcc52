"""Library versions: columns compete on one stack, and the page's own stands beside the page."""

from functools import partial

import pytest
from effect_projects import columns
from record_changes import profile, slow_down, takes
from results_factory import BERT_ROWS, Project, make_plan
from the_pages_machine import A100, BERT, JAX, K2, K3_TF, PAGE, PUBLISHED, verdicts

from analysis.claims import ClaimResult
from analysis.comparisons.findings import findings
from analysis.comparisons.rounds import undecided
from analysis.figures.published import relative_times
from analysis.report.key_sentences import key_sentences
from analysis.report.setting import libraries_since_the_page
from analysis.results.cells import cell_ratio
from analysis.results.plan import Column
from analysis.results.stacks import on_stack
from analysis.statistics.best_set import Standing
from analysis.tables.model import main_table
from analysis.tables.published import published_table
from analysis.tables.writers import to_html
from analysis.topics.effects.compute import effects
from analysis.topics.effects.section import section, table_notes
from analysis.topics.effects.table import effects as table_of
from analysis.topics.why.differences import differences
from analysis.topics.why.section import rows

THEN = "2024-03"
BOTH = (K2, K3_TF, JAX, *(f"{name}+{THEN}" for name in (K2, K3_TF, JAX)))


def project_of(folder, **more):
    """Each framework twice; the factory's times make each a tenth slower on the older stack."""
    project = Project(folder, make_plan(columns=BOTH, **more))

    def install(r):
        framework, _, stack = r["cell"]["column"].partition("+")
        page = PAGE.versions[framework]
        r["environment"]["packages"] = page if stack else dict.fromkeys(page, "99.0")
        r["parity"]["framework_version"] = f"keras {'3.0.5' if stack else '3.15.1'}"
        r["parity"]["execution"] = PAGE.execution[framework]
        r["machine"]["accelerator_name"] = A100

    project.change(install)
    return project


def test_every_stack_has_its_own_best_and_its_date_on_one_line(tmp_path):
    results = project_of(tmp_path).load()
    for row in results.rows:
        assert row.standings[JAX] is row.standings[f"{JAX}+{THEN}"] is Standing.BEST
        assert row.standings[f"{K2}+{THEN}"] is Standing.SLOWER
    assert "on the same stack of library versions" in main_table(results).caption
    head = to_html(main_table(results)).partition("<tbody>")[0]
    assert head.count("2024-03") == head.count('<span class="whole">2024-03</span></th>') == 3


def test_why_a_column_is_slower_is_asked_within_its_stack(tmp_path):
    project = project_of(tmp_path, rows=BERT_ROWS[:1])
    project.change(lambda r: r.update(host_overhead=profile(10.0, 0.1, 1.0, {"dot": (0.9, 1)})))
    data = project.data()
    found = differences(data).drop_duplicates("column").set_index("column")["fastest"]
    assert found.to_dict() == {
        **dict.fromkeys((K2, K3_TF), JAX),
        **dict.fromkeys((f"{K2}+{THEN}", f"{K3_TF}+{THEN}"), f"{JAX}+{THEN}"),
    }
    views = list(rows(data))
    assert len(views) == 2 and all("on its library versions" in view["summary"] for view in views)


def test_what_is_undecided_is_undecided_among_its_stack(tmp_path):
    project = project_of(tmp_path)
    for run, step_ms in enumerate((7.0, 9.0, 8.3), start=1):
        project.change(partial(takes, step_ms=step_ms), column=f"{K3_TF}+{THEN}", run=run)
    found = undecided(project.load())
    names = {cell.column.name for each in found for cell in each.cells}
    assert names == {f"{K3_TF}+{THEN}", f"{JAX}+{THEN}"}
    assert all(each.needed is None or each.needed > 3 for each in found)


def test_findings_are_about_todays(tmp_path):
    both, alone = project_of(tmp_path / "both"), tmp_path / "alone"
    both.change(partial(takes, step_ms=0.1), column=f"{K2}+{THEN}")
    today = Project(alone, make_plan(columns=BOTH[:3])).load()
    assert [f.verdict for f in findings(both.load())] == [f.verdict for f in findings(today)]


def test_the_first_page_says_of_which_stack_it_speaks(tmp_path):
    found = project_of(tmp_path / "both").load()
    statements = [finding.statement for finding in findings(found) if finding.numbers.get("gain")]
    assert statements and all(" on stack 2026-11 (" in text for text in statements)
    rows = (*BERT_ROWS, ("sam", "fit", 1, None))
    best, *_ = key_sentences(project_of(tmp_path / "rows", rows=rows).load())
    assert "no other that is compared on the same stack of library versions could be" in best.text
    alone = Project(tmp_path / "alone", make_plan(columns=BOTH[:3])).load()
    assert "stack" not in main_table(alone).caption
    assert not any("stack" in finding.statement for finding in findings(alone))
    assert not any("stack" in sentence.text for sentence in key_sentences(alone))


def test_what_took_less_is_compared_with_its_stack(tmp_path):
    """More than today's best, and less than what it competes with."""
    project = project_of(tmp_path, rows=BERT_ROWS[:1])
    project.change(slow_down, f"{JAX}+{THEN}")
    first, *_ = key_sentences(project.load())
    assert "best or equal on the same stack of library versions: Keras 3 (JAX)" in first.text
    assert (
        "undecided on the same stack of library versions: Keras 3 (TensorFlow), 2024" in first.text
    )
    assert first.text.endswith("; Keras 3 (JAX), 2024-03 took less and could not be compared.")


def test_the_effect_says_what_the_years_brought_and_with_which_versions(tmp_path):
    project = project_of(tmp_path)
    project.change(lambda r: r["parity"].update(attention="sdpa"), column=JAX)
    data = project.data()
    found = effects(data).query("setting == 'stack'")
    assert set(found["question"]) == {"What did the releases from 2024-03 to 2026-11 change?"}
    assert found["new"].unique().tolist() == [K2, K3_TF, JAX]
    assert (found["speedup"] > 1.05).all()
    (view,) = (v for v in section(data)["effects"] if v["question"] == found["question"].iloc[0])
    held = "(Holm), stack 2026-11 is shown to be faster with Keras 2 (TensorFlow) in "
    assert held in view["says"]
    (_, grid) = view["pairs"][-1]
    assert "Versions" in grid.header[-1]
    assert all(
        line[-1] == "framework version keras 3.15.1 instead of keras 3.0.5; attention sdpa instead "
        "of einsum"
        for line in grid.lines
    )
    versions = table_of(data).query("setting == 'stack'")["versions"].dropna()
    assert set(versions) == {"framework version keras 3.15.1 instead of keras 3.0.5"}
    assert table_notes(data) == []


def test_the_pages_versions_stand_beside_the_page(tmp_path):
    results = project_of(tmp_path, rows=BERT).load()
    names = [column.name for column in published_table(results, PUBLISHED).columns]
    assert names == list(BOTH[3:])
    (row, _) = results.rows
    assert {cell.column.name for cell, _, _ in relative_times(row, PUBLISHED)} == {*BOTH[3:]}
    assert "keras 3.0.5 and 99.0 (page: 3.0.5)" in libraries_since_the_page(
        results, PUBLISHED
    ).replace("keras 99.0", "99.0")


@pytest.mark.parametrize(
    ("column", "ms"),
    [
        (JAX, 222.37),
        ("pytorch-compiled", 202.43),
        (f"{JAX}+{THEN}", 222.37),
        (f"{JAX}+2025-01", None),
        (f"{JAX}+tf32", None),
        (f"{JAX}+{THEN}+float32", None),
        ((f"{JAX}+{THEN}+tree", {"overlay": ["tree"]}), None),
    ],
)
def test_a_published_time_is_at_the_published_batch_size_in_the_revision_of_the_family(
    project, column, ms
):
    row = project.load().plan.rows[0]
    assert (row.batch_size, row.published_batch_size) == (8, 32)
    assert PUBLISHED.published_ms(row, *columns(column)) == ms
    assert PUBLISHED.published_ms(row, Column("mine", "", "keras3", "mine")) is None


def test_claims_about_the_page_are_asked_of_its_versions(tmp_path):
    """Today's Keras 3 is slower than today's Keras 2; on the page's versions it was faster."""
    options = {"scale": "paper", "accelerator": "cuda", "weights": "preset", "rows": BERT}
    project = project_of(tmp_path, **options)
    for run, step_ms in enumerate((40.0, 40.1, 40.2), start=1):
        for name in (K3_TF, JAX):
            project.change(partial(takes, step_ms=step_ms), column=name, run=run)
    results = project.load()
    found = verdicts(results)["upgrade_alone"]
    assert found.verdict is ClaimResult.REPRODUCED
    assert found.why.startswith("Asked of the columns on 2024-03, the page's own versions")
    assert "stack" not in verdicts(Project(tmp_path / "x", make_plan()).load())["bert_fit_100"].why
    plain = on_stack(results, THEN)
    assert [column.name for column in plain.plan.columns] == [K2, K3_TF, JAX]
    assert on_stack(results, "2025-01").plan.columns == ()


def test_a_pair_on_the_pages_versions_has_the_interval_of_the_table(tmp_path):
    """Its scatter is weighed with its own in other rows, not with that of today's columns."""
    rows = tuple(("bert", "fit", batch, 32) for batch in (1, 2, 4, 8))
    project = project_of(tmp_path, rows=rows)
    for run, step_ms in enumerate((15.0, 20.0, 30.0), start=1):
        project.change(partial(takes, step_ms=step_ms), column=K2, run=run)
    results = project.load()
    table, pages = (
        {cell.column.name: cell for cell in found.rows[0].cells}
        for found in (results, on_stack(results, THEN))
    )
    then = cell_ratio(table[f"{K2}+{THEN}"], table[f"{JAX}+{THEN}"]).interval
    found = cell_ratio(pages[K2], pages[JAX]).interval
    assert (found.low, found.high) == pytest.approx((then.low, then.high))
    assert cell_ratio(table[K2], table[JAX]).interval.half_width > 2 * found.half_width


def test_another_version_than_the_pages_is_said(tmp_path):
    """As on CUDA, where the page's JAX does not exist."""
    project = project_of(tmp_path, scale="paper", accelerator="cuda", weights="preset", rows=BERT)
    project.change(
        lambda r: r["environment"].update(packages={**PAGE.versions[JAX], "jax": "0.4.23"}),
        column=f"{JAX}+{THEN}",
    )
    found = verdicts(project.load())["no_backend_fastest_everywhere"]
    assert "other libraries: jax 0.4.23 (page: 0.4.20)" in found.why.replace("0.4.23 and ", "")
