"""The report as a reader opens it: in a browser, from a file, without a network."""

import csv
import io
import re
import shutil
from base64 import b64decode

import matplotlib
import pytest
from browser import CHROMIUM, chromium
from drawn_pages import write_pages
from whole_table import whole_table

from analysis.data import Data
from analysis.figures.drawing import FIGURES
from analysis.figures.style import RC
from analysis.results.reference import load_reference
from analysis.tables.model import main_table
from analysis.tables.writers import table_csv

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

LINES_OF_TABLE = """[...document.querySelectorAll('#table tbody tr')].flatMap(
  row => [...row.cells].slice(2).map(cell => ({
    number: cell.querySelector('.number').textContent,
    interval: cell.querySelector('.interval')?.textContent ?? '',
    best: !!cell.querySelector('strong')})))"""
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
  'svg[role=img]:not([aria-label]), th:not([scope]), table:not(:has(caption)), input:not(label *)'
)].map(element => element.outerHTML)"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The page of the whole table, with real figures, its appendix, and the results behind them."""
    folder = tmp_path_factory.mktemp("project")
    project = whole_table(folder, runs=5)
    results, reference, drawn = project.load(), load_reference(), folder / "figures"
    drawn.mkdir()
    data = Data(results, reference)
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **RC}):
        for name, draw in FIGURES.items():
            draw(data).savefig(drawn / f"{name}.svg")
    path, appendix = write_pages(results, drawn, folder)
    for others in ("results", "figures"):  # the pages are all there is
        shutil.rmtree(folder / others)
    return path, results, appendix


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
    assert page.value("document.querySelectorAll('svg[role=img]').length") == 6


def test_the_details_of_a_cell_are_found_and_seen(report):
    with chromium() as page:
        page.open(f"{report[2].as_uri()}#cell-bert-fit-b32-keras3.2d.jax")
        assert page.value("document.querySelectorAll('svg[role=img]').length") == 7 + 1
        assert page.value(UNLABELLED) == []
        assert page.value("document.querySelector(':target').checkVisibility()")


@pytest.mark.parametrize("width", [1280, 1400])
def test_sentences_table_and_picture_are_on_the_first_screen(page, width):
    page.resize(width)
    lowest = "document.querySelector('{}').getBoundingClientRect().bottom"
    for shown in (".key li:last-child", "#table tbody tr:last-child", "#figure-relative svg"):
        assert page.value(lowest.format(shown)) <= 900
    assert page.value(CUT_OFF) <= 1
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
    with chromium() as page:
        page.open(report[0].as_uri())
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
        page.open(f"{report[2].as_uri()}#cell-bert-fit-b32-keras3.2d.jax")
        nodes = page.call("DOM.getDocument", depth=-1)["root"]
        where = {"nodeId": nodes["nodeId"], "selector": "details.cell[open]"}
        found = page.call("DOM.querySelector", **where)
        inside = page.call("DOM.getOuterHTML", nodeId=found["nodeId"])["outerHTML"]
        assert 'id="cell-bert-fit-b32-keras3.2d.jax"' in inside
