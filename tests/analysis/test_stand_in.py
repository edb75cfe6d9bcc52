"""Results of a simulated GPU say so wherever they are shown, and stand beside nothing measured."""

import pytest
from compared_archives import COLUMNS, ROWS, compared, make_archive
from drawn_pages import report_of
from results_factory import Project, make_plan
from the_pages_machine import A100, on_the_pages_machine, verdicts

from analysis.archive.__main__ import summary
from analysis.claims import ClaimResult
from analysis.data import Data
from analysis.figures.drawing import drawings
from analysis.formats.errors import InputError
from analysis.report.setting import title
from analysis.results.reference import load_reference
from analysis.results.stand_in import TITLE

REFERENCE = load_reference()


def simulated(record):
    record["machine"] = {**record["machine"], "id": "s", "accelerator_name": f"{A100} (stand-in)"}


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "project", make_plan(1, rows=ROWS, columns=COLUMNS))


def test_page_figures_and_archive_say_it(project, tmp_path, figures):
    assert TITLE not in title(project.load())
    project.change(simulated)
    results = project.load()
    page = report_of(project, figures)
    title_of_page = "Simulated GPU, nothing here is a measurement: Millistep report"
    assert f"<title>{title_of_page}" in page and "they are not to be cited" in page
    assert title(results).startswith(title_of_page)
    for draw in drawings(Data(results, REFERENCE), tmp_path, ["relative"]):
        draw()
    assert TITLE in (tmp_path / "relative.svg").read_text()
    said = summary(project.plan_path, [], results)
    told = "These results are of a simulated GPU: they are not to be cited."
    assert told in said and "@software" not in said


def test_a_table_of_both_is_refused(project):
    project.change(simulated, column=COLUMNS[0])
    with pytest.raises(InputError, match=rf"\({COLUMNS[0]}\) stand beside .* \({COLUMNS[1]}\)"):
        project.load()


def test_archives_of_both_are_not_compared(tmp_path):
    a, b = make_archive(tmp_path, "a"), make_archive(tmp_path, "b", simulated)
    with pytest.raises(InputError, match="not compared with measured"):
        compared(tmp_path, a, b)


def test_no_publication_is_of_a_simulated_gpu(tmp_path):
    project = on_the_pages_machine(tmp_path)
    assert verdicts(project.load())["bert_fit_100"].verdict is ClaimResult.REPRODUCED
    project.change(simulated)
    assert verdicts(project.load())["bert_fit_100"].verdict is ClaimResult.NOT_COMPARABLE
