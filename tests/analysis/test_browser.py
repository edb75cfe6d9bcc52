"""The report as a reader opens it: in a browser, from a file, without a network, on a wide and on a
narrow window; axe-core finds nothing in it, whatever is open.
"""

import csv
import io
import json
import re
import shutil
from base64 import b64decode
from importlib.resources import files

import pytest
from browser import CHROMIUM, chromium
from drawn_pages import write_drawn, write_pages
from native_projects import by_hand
from results_factory import Project, make_plan
from whole_table import whole_table

from analysis.tables.model import main_table
from analysis.tables.writers import table_csv

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

LINES_OF_TABLE = """[...document.querySelectorAll('#table tbody tr')].flatMap(
  row => [...row.cells].slice(2).map(cell => ({
    number: cell.querySelector('.number').textContent,
    interval: cell.querySelector('.interval')?.textContent ?? '',
    best: !!cell.querySelector('strong')})))"""
AXE = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
OPEN_ALL = "document.querySelectorAll('details').forEach(element => { element.open = true; })"
VIOLATIONS = """axe.run().then(found => JSON.stringify(found.violations.map(
  rule => [rule.id, rule.nodes.map(node => node.html.slice(0, 200))])))"""
CUT = """[...document.querySelectorAll('#native > *, #native article > *')].filter(
  element => element.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML)"""
HIDDEN = """[...document.querySelectorAll('#native details')].filter(details => {
  details.open = true;
  return ![...details.querySelectorAll('td')].every(cell => cell.checkVisibility());
}).length"""
# One link per target: browsers stop following when hundreds are clicked within seconds.
FOLLOW_EVERY_LINK = """[...new Map([...document.querySelectorAll('a[href^="#"]')].map(
  link => [link.hash, link])).values()].filter(link => {
  link.click();
  const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  reveal();
  return !target || !target.checkVisibility() || !location.href.endsWith(link.hash);
}).map(link => link.outerHTML)"""
OUTSIDE = """[...document.querySelectorAll(
  '[src], link, a:not([href^="#"], [href^=https], [href^="appendix.html"])')].map(
  element => element.outerHTML)"""
PLACES_OF_A_ROW = """[...document.querySelector('#table tbody tr').cells].map(cell => {
  const box = cell.getBoundingClientRect();
  return [getComputedStyle(cell, '::before').content, box.top, box.right]; })"""
CUT_OFF = """(() => { const box = document.querySelector('#table .scroll');
    return box.scrollWidth - box.clientWidth })()"""
UNLABELLED = """[...document.querySelectorAll(
  'svg[role=img], th:not([scope]), table:not(:has(caption)), input:not(label *)')].filter(
    element => !document.getElementById(element.getAttribute('aria-labelledby'))?.textContent).map(
    element => element.outerHTML)"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The page of the whole table, with real figures, its appendix, and the results behind them."""
    folder = tmp_path_factory.mktemp("project")
    results = whole_table(folder, runs=5).load()
    path, appendix = write_drawn(results, folder)
    for others in ("results", "drawn"):  # the pages are all there is
        shutil.rmtree(folder / others)
    return path, results, f"{appendix.as_uri()}#cell-bert-fit-b32-keras3.2d.jax"


@pytest.fixture(scope="module")
def page(report):
    with chromium() as page:
        page.call("Network.emulateNetworkConditions", offline=True, latency=0,
                  downloadThroughput=-1, uploadThroughput=-1)  # fmt: skip
        page.open(report[0].as_uri())
        yield page


def test_nothing_is_asked_of_a_network_and_nothing_fails(report, page):
    asked = [event["request"]["url"] for event in page.seen("Network.requestWillBeSent")]
    assert asked == [report[0].as_uri()]
    assert page.value(OUTSIDE) == []
    failures = ("Network.loadingFailed", "Runtime.exceptionThrown", "Log.entryAdded")
    failures += ("Runtime.consoleAPICalled",)
    assert {name: page.seen(name) for name in failures} == {name: [] for name in failures}


def test_the_table_says_what_the_csv_says(report, page):
    lines = list(csv.DictReader(io.StringIO(table_csv(main_table(report[1])))))
    shown = page.value(LINES_OF_TABLE)
    assert len(shown) == len(lines) == 66
    for cell, line in zip(shown, lines, strict=True):
        if line["status"] != "ok":
            assert cell["number"] == line["status"]
            continue
        ends = f"[{line['ci95_low_ms']}, {line['ci95_high_ms']}]"
        expected = (line["ms_per_step"], ends, line["best"] == "true")
        assert (cell["number"], cell["interval"], cell["best"]) == expected


def test_every_link_leads_to_something_that_can_be_seen(page):
    assert page.value("document.querySelectorAll('a').length") > 100
    assert page.value(FOLLOW_EVERY_LINK) == []


def test_what_is_not_text_has_words_and_tables_have_headers(page):
    assert page.value(UNLABELLED) == []
    assert page.value("document.querySelectorAll('svg[role=img]').length") == 5


def test_the_details_of_a_cell_are_found_and_seen(report):
    with chromium(report[2]) as page:
        assert page.value("document.querySelectorAll('svg[role=img]').length") == 6
        assert page.value(UNLABELLED) == []
        assert page.value("document.querySelector(':target').checkVisibility()")


@pytest.mark.parametrize("width", [1280, 1400])
def test_sentences_table_and_picture_are_on_the_first_screen(page, width):
    page.resize(width)
    lowest = "document.querySelector('{}').getBoundingClientRect().bottom"
    for shown in (".key li:last-child", "#table tbody tr:last-child", "#figure-relative svg"):
        assert page.value(lowest.format(shown)) <= 900
    assert page.value(CUT_OFF) <= 1
    px_of_a_pt = page.value("document.querySelector('#figure-relative svg').getScreenCTM().a")
    assert 8.5 * px_of_a_pt >= 8.5  # of its numbers
    right = "document.querySelector('#table thead th:last-child').getBoundingClientRect().right"
    assert page.value(right) <= width


def test_on_a_phone_a_row_is_a_list_of_its_columns(page):
    page.resize(390)
    first, *places = page.value(PLACES_OF_A_ROW)
    heads = page.value("[...document.querySelectorAll('#table thead th')].map(e => e.textContent)")
    assert [name for name, *_ in places] == [f'"{title}"' for title in heads[1:]]
    bottoms = [first[1], *(top for _, top, _ in places)]
    assert bottoms == sorted(bottoms) and len({*bottoms}) == len(heads)  # under one another
    assert all(right <= 390 for _, _, right in places)


def test_a_table_full_of_letters_and_labels_is_not_cut_off(report):
    with chromium(report[0].as_uri()) as page:
        page.resize(1400)
        page.value("""document.querySelectorAll('#table .interval').forEach(interval => {
            interval.previousSibling.textContent = 'CDFG…'
            interval.insertAdjacentHTML('afterend', '<span class="badge">no steady state</span>')
        })""")
        assert page.value(CUT_OFF) <= 1


def test_the_print_has_at_most_fifteen_pages(page):
    pdf = b64decode(page.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert 5 < len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 15


@pytest.mark.parametrize("width", [1400, 800, 390])
def test_the_page_is_never_wider_than_the_window(page, width):
    page.resize(width)
    assert page.value("document.documentElement.scrollWidth") <= width


def test_columns_are_sorted_and_rows_filtered(page):
    first = "document.querySelector('#table tbody tr:not([hidden]) th').textContent"
    header = "document.querySelector('#table thead th:nth-child(2) button')"
    page.value(f"{header}.click()")
    page.value(f"{header}.click()")
    assert page.value(first) == "BERT predict"
    page.value("""{ const input = document.querySelector('#table input');
                    input.value = 'mistral'; input.dispatchEvent(new Event('input')); }""")
    assert page.value(first) == "MISTRAL generate"


def test_readable_without_javascript(report):
    with chromium() as page:
        page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.open(report[2])
        nodes = page.call("DOM.getDocument", depth=-1)["root"]
        where = {"nodeId": nodes["nodeId"], "selector": "details.cell[open]"}
        found = page.call("DOM.querySelector", **where)
        inside = page.call("DOM.getOuterHTML", nodeId=found["nodeId"])["outerHTML"]
        assert 'id="cell-bert-fit-b32-keras3.2d.jax"' in inside


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    """Report and appendix of a table that has the section on native code."""
    folder = tmp_path_factory.mktemp("native")
    pages = write_drawn(by_hand(folder).load(), folder)
    with chromium(pages[0].as_uri()) as report, chromium(pages[1].as_uri()) as appendix:
        yield report, appendix


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("width", [1400, 390])
def test_nothing_of_a_section_leaves_the_window(native, width, place):
    page = native[place]
    page.resize(width)
    assert page.value("document.documentElement.scrollWidth") <= width
    assert page.value(CUT) == []


def test_every_table_of_it_can_be_opened_and_read(native):
    page = native[1]
    assert page.value("document.querySelectorAll('#native details').length") == 1
    assert page.value(HIDDEN) == 0


def test_the_legend_of_its_figure_overlaps_no_panel(native):
    """Texts of the legend end above the first panel's title."""
    boxes = native[0].value("""(() => {
      const texts = [...document.querySelectorAll('#figure-native svg text')];
      const title = texts.find(text => text.textContent.startsWith('ALIGNER'));
      const legend = texts.filter(text => text.textContent.startsWith('PyTorch'));
      return [Math.max(...legend.map(text => text.getBoundingClientRect().bottom)),
              title.getBoundingClientRect().top, legend.length]; })()""")
    assert boxes[0] <= boxes[1] and boxes[2] == 2


@pytest.fixture(scope="module")
def everything(tmp_path_factory, figures):
    """A small table with everything that may stand in one: grey, failed and unsteady numbers."""
    folder = tmp_path_factory.mktemp("project")
    plan = make_plan(runs=2, columns=("keras3-jax", "keras3-jax+tf32", "keras3-torch"))
    project = Project(folder, plan)
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.33), "keras3-torch", "fit")
    project.change(lambda r: r["parity"].update(attention="sdpa"), "keras3-torch")
    project.change(lambda r: r["warnings"].append("slow compile"), "keras3-jax")
    project.fail("oom", "killed", column="keras3-torch", task="predict", run=2)
    write_pages(project.load(), figures, folder)
    return folder


@pytest.mark.parametrize("name", ["report.html", "appendix.html"])
def test_axe_finds_nothing(everything, name):
    with chromium((everything / name).as_uri()) as page:
        page.value(f"{OPEN_ALL}; {AXE}; 0")
        assert violations(page, "{}") == []
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        page.call("Emulation.setEmulatedMedia", features=dark)
        assert violations(page, "{runOnly: ['color-contrast']}") == []


def violations(page, options):
    """(rule, elements) of what axe-core finds."""
    answer = page.call(
        "Runtime.evaluate",
        expression=VIOLATIONS.replace("axe.run()", f"axe.run({options})"),
        awaitPromise=True,
        returnByValue=True,
    )
    return json.loads(answer["result"]["value"])
