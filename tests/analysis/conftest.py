import pytest
from results_factory import Project

from analysis.figures.catalogue import FIGURES


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


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
