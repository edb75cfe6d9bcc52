import shutil
import zipfile

import pytest
from archive_factory import (
    CONFIG,
    LOG,
    RECORD,
    USER,
    as_somebody,
    copy_sources,
    draw_little,
    make_project,
)
from drawn_pages import pages_of
from quiet_table import quiet_project
from results_factory import Project

from analysis.archive import PLAN
from analysis.archive.contents import files_below
from analysis.archive.pack import pack
from analysis.figures.drawing import FIGURES
from analysis.formats.errors import InputError
from analysis.topics import load_rules

load_rules()  # as commands do


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture
def quiet(tmp_path):
    """A table of two columns that no caveat applies to."""
    return quiet_project(tmp_path)


@pytest.fixture(scope="session")
def figures(tmp_path_factory):
    """Stand-ins for the drawn figures: what matters here is how the page takes them in."""
    folder = tmp_path_factory.mktemp("figures")
    svg = (
        '<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg xmlns:xlink="x"><metadata>date</metadata>'
        '<defs><path id="m1" style="stroke: #1c1e21"/></defs>'
        '<g clip-path="url(#p)"><use xlink:href="#m1"/></g></svg>'
    )
    for name in FIGURES:
        (folder / f"{name}.svg").write_text(svg)
    return folder


@pytest.fixture(scope="session")
def plain_pages(tmp_path_factory, figures):
    """Report and appendix of a project that nobody changed; not to be drawn again."""
    return pages_of(Project(tmp_path_factory.mktemp("plain")), figures)


@pytest.fixture(scope="session")
def archive_sources(tmp_path_factory):
    return copy_sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="session")
def project_folder(tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("project") / f"of_{USER}")


@pytest.fixture(scope="session")
def archive(tmp_path_factory, project_folder, archive_sources):
    """An archive, made as the rule makes it, with little drawn."""
    output = tmp_path_factory.mktemp("archive") / "a.zip"
    with as_somebody(archive_sources):
        changed, _ = pack(project_folder, CONFIG, output, draw=draw_little)
    assert {PLAN, RECORD, LOG} <= {*changed}
    return output


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory, archive):
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)
    return folder


@pytest.fixture
def draw(unpacked):
    """Draws by taking what was drawn, where the records are those that were archived."""

    def take(project, plan, revision):
        for name in files_below(project, "results/records"):
            if (project / name).read_bytes() != (unpacked / name).read_bytes():
                raise InputError(f"{name}: drawn from other records")
        shutil.copytree(unpacked / "results", project / "results", dirs_exist_ok=True)

    return take
