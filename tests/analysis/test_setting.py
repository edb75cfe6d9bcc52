"""What was run, when, and with what, as sentences of the report."""

import pytest
import yaml
from results_factory import Project, make_plan

from analysis.formats.text import listed
from analysis.report.setting import libraries_since_the_page, period, settings, software
from analysis.results.reference import load_reference
from analysis.tables.model import main_table


def test_software_of_a_column_is_named_once_whatever_its_models_libraries(project):
    for run, library in enumerate(("peft 3", "diffusers 4"), start=1):
        version = {"framework_version": f"{library}, torch 2"}
        project.change(lambda r, v=version: r["parity"].update(v), "keras3-torch", run=run)
    project.change(lambda r: r["parity"].update(framework_version="jax 1"), "keras3-jax")
    text = software(project.load())
    assert "Keras 3 (JAX): jax 1;" in f"{text};"
    assert "peft 3" in text and "diffusers 4" in text and text.count("torch 2") == 1


def test_columns_of_the_same_software_are_named_together(project):
    project.change(lambda r: r["parity"].update(framework_version="jax 1"))
    project.change(lambda r: r["parity"].update(framework_version="torch 2"), "keras3-torch")
    titles = [c["title"] for c in project.plan["columns"] if c["name"] != "keras3-torch"]
    assert software(project.load()) == f"{listed(titles)}: jax 1; Keras 3 (PyTorch): torch 2"


@pytest.mark.parametrize(
    ("stack", "text"),
    [
        ("jax 1", "Keras 3 (JAX): jax 1"),
        ("jax 0", "Keras 3 (JAX): jax 1; Keras 3 (JAX), stack 2024-03: jax 0"),
    ],
)
def test_settings_are_named_with_the_software_where_that_differs(tmp_path, stack, text):
    plan = make_plan(columns=("keras3-jax", "keras3-jax+2024-03"))
    named = {"title": "Keras 3 (JAX), stack 2024-03", "asked": {"stack": "2024-03"}}
    plan["columns"][1].update(named)
    project = Project(tmp_path, plan)
    project.change(lambda r: r["parity"].update(framework_version="jax 1"))
    project.change(lambda r: r["parity"].update(framework_version=stack), "keras3-jax+2024-03")
    assert software(project.load()) == text


def test_a_day_is_named_once(project):
    times = {"started_at": "2026-11-26T01:12:04Z", "finished_at": "2026-11-26T01:43:59Z"}
    project.change(lambda r: r.update(times))
    assert period(project.load()) == "2026-11-26 01:12 to 01:43 UTC"
    project.change(lambda r: r.update(finished_at="2026-11-27T00:03:00Z"))
    assert period(project.load()) == "2026-11-26 01:12 to 2026-11-27 00:03 UTC"


def test_settings_have_threads_and_the_caption_how_many_runs(project):
    """All else that they give again is kept by tests/test_reproduce.py."""
    for cell in project.plan["cells"]:
        if cell["task"] == "predict":
            del cell["runs"][1:]
    results = project.load()
    assert "1 to 3 runs per cell planned" in main_table(results).caption
    assert yaml.safe_load(settings(results))["threads"] == 2


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
