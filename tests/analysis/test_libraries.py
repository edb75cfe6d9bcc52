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


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        (
            {"keras": "3.15.1", "torch": "2.13.0+cpu"},
            "newer than those of the published page (2024-04): keras 3.15.1 (page: 3.0.5) and "
            "torch 2.13.0+cpu (page: 2.2.1).",
        ),
        ({}, "those of the published page (2024-04)."),
        ({"keras": "3.15.1", "torch": "1.13.1"}, "others than those of the published page"),
    ],
)
def test_libraries_are_told_beside_the_pages_own(project, versions, said):
    install(project, **versions)
    for record in project.records.values():
        record.update(started_at="2024-05-10T10:00:00+00:00")
    text = on_libraries(project)
    assert text.startswith(f"The libraries of these runs (2024-05) are {said}")


def test_a_page_without_these_rows_has_no_sentence_on_libraries(tmp_path):
    plan = make_plan(rows=(("mlp", "fit", 8, None),))
    assert on_libraries(Project(tmp_path, plan)) == ""


@pytest.mark.parametrize("version", ["", "nightly", "3.0.5 \u202e evil"])
def test_a_version_is_whatever_a_record_says(project, version):
    install(project, keras=version)
    assert "keras" in on_libraries(project)
