"""The section on native code in a browser, on a wide and on a narrow window."""

import matplotlib
import pytest
from browser import CHROMIUM, chromium
from drawn_pages import write_pages
from native_projects import by_hand

from analysis.data import Data
from analysis.figures.style import RC
from analysis.results.reference import load_reference
from analysis.topics.native.figure import native

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

CUT = """[...document.querySelectorAll('#native > *, #native article > *')].filter(
  element => element.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML)"""
HIDDEN = """[...document.querySelectorAll('#native details')].filter(details => {
  details.open = true;
  return ![...details.querySelectorAll('td')].every(cell => cell.checkVisibility());
}).length"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory, figures):
    """With the real figure of the section, beside stand-ins."""
    folder = tmp_path_factory.mktemp("project")
    project = by_hand(folder)
    results, drawn = project.load(), folder / "figures"
    drawn.mkdir()
    for path in figures.iterdir():
        (drawn / path.name).write_bytes(path.read_bytes())
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **RC}):
        native(Data(results, load_reference())).savefig(drawn / "native.svg")
    pages = write_pages(results, drawn, folder)
    with chromium() as report, chromium() as appendix:
        report.open(pages[0].as_uri())
        appendix.open(pages[1].as_uri())
        yield report, appendix


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("width", [1400, 390])
def test_nothing_of_the_section_leaves_the_window(pages, width, place):
    page = pages[place]
    page.resize(width)
    assert page.value("document.documentElement.scrollWidth") <= width
    assert page.value(CUT) == []


def test_every_table_can_be_opened_and_read(pages):
    page = pages[1]
    assert page.value("document.querySelectorAll('#native details').length") == 1
    assert page.value(HIDDEN) == 0


def test_the_legend_of_the_figure_overlaps_no_panel(pages):
    """Texts of the legend end above the first panel's title."""
    boxes = pages[0].value("""(() => {
      const texts = [...document.querySelectorAll('#figure-native svg text')];
      const title = texts.find(text => text.textContent.startsWith('ALIGNER'));
      const legend = texts.filter(text => text.textContent.startsWith('PyTorch'));
      return [Math.max(...legend.map(text => text.getBoundingClientRect().bottom)),
              title.getBoundingClientRect().top, legend.length]; })()""")
    assert boxes[0] <= boxes[1] and boxes[2] == 2
