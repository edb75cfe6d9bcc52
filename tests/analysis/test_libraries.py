"""The report says how old the published page's libraries are beside those of the runs."""

import pytest
from results_factory import Project, make_plan

from analysis.report.setting import libraries_since_the_page
from analysis.results.reference import load_reference

PAGE = load_reference()


def on_libraries(project):
    return libraries_since_the_page(project.load(), PAGE).replace("\u00a0", " ")


def install(project, **versions):
    """The page's versions in every record, but for these."""

    def change(r):
        page = PAGE.conditions.versions[r["cell"]["column"]]
        here = {name.replace("_", "-"): version for name, version in versions.items()}
        r["environment"]["packages"] = page | {k: v for k, v in here.items() if k in page}

    project.change(change)


def test_newer_libraries_are_named(project):
    install(project, keras="3.15.1", torch="2.13.0+cpu")
    assert on_libraries(project) == (
        "The libraries of these runs, made about 2.5 years after the published page (2024-04), are "
        "newer than its: keras 3.15.1 (page: 3.0.5) and torch 2.13.0+cpu (page: 2.2.1)."
    )


def test_the_pages_own_versions_are_named_too(project):
    install(project)
    assert on_libraries(project).endswith("the published page (2024-04), are its own versions.")


def test_older_ones_are_not_called_newer(project):
    install(project, keras="3.15.1", torch="1.13.1")
    assert "are others than its: keras" in on_libraries(project)


def test_the_time_between_is_that_of_the_records(project):
    install(project)
    for record in project.records.values():
        record.update(started_at="2024-05-10T10:00:00+00:00")
    assert "made 1 month after" in on_libraries(project)


def test_a_page_without_these_rows_has_no_sentence_on_libraries(tmp_path):
    plan = make_plan(rows=(("mlp", "fit", 8, None),))
    assert on_libraries(Project(tmp_path, plan)) == ""


@pytest.mark.parametrize("version", ["", "nightly", "3.0.5 \u202e evil"])
def test_a_version_is_whatever_a_record_says(project, version):
    install(project, keras=version)
    assert "keras" in on_libraries(project)
