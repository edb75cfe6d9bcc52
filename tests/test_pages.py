"""The pages as a reader opens them: wide, narrow, dark and on paper, from a file."""

import json
import re
from base64 import b64decode
from importlib.resources import files as resources

import pytest

from millistep.analysis.report.render import render
from tests.analysis_fixtures import files, write
from tests.browser import CHROMIUM, chromium

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

PAGES = ("report.html", "appendix.html")
AXE = resources("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
OPEN_ALL = "document.querySelectorAll('details').forEach(element => { element.open = true; })"
VIOLATIONS = """axe.run().then(found => JSON.stringify(found.violations.map(
  rule => [rule.id, rule.impact, rule.nodes.slice(0, 3).map(node => node.html.slice(0, 200))])))"""
# What leaves the window, or is hidden in a box without a scroll bar.
CUT_OFF = """[...document.querySelectorAll('body *')].filter(element => {
  if (element.closest('svg, .hidden') || !element.checkVisibility()) return false;
  const box = element.getBoundingClientRect(), look = getComputedStyle(element);
  const clips = ['hidden', 'clip'].includes(look.overflowX) && look.clipPath === 'none';
  const inside = element.closest('.scroll, pre');
  return clips && element.scrollWidth > element.clientWidth + 1
    || !inside && box.right > innerWidth + 1;
}).map(element => element.outerHTML.slice(0, 200))"""
CUT_IN_FIGURES = """[...document.querySelectorAll('figure svg')].flatMap(svg => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(text => {
    const box = text.getBoundingClientRect();
    return box.right > frame.right + 1 || box.left < frame.left - 1
      || box.bottom > frame.bottom + 1 || box.top < frame.top - 1;
  }).map(text => text.textContent);
})"""
WIDE_TABLES = """[...document.querySelectorAll('table')].filter(
  table => table.getBoundingClientRect().width > innerWidth + 1).map(
  table => table.caption.textContent)"""
SCROLLED = """(() => { const box = document.querySelector('#table .scroll');
  return box.scrollWidth - box.clientWidth })()"""
# One link per target: browsers stop following when hundreds are clicked within seconds.
DEAD_LINKS = """[...new Map([...document.querySelectorAll('a[href^="#"]')].map(
  link => [link.hash, link])).values()].filter(link => {
  link.click();
  const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  reveal();
  return !target || !target.checkVisibility();
}).map(link => link.outerHTML)"""
FAILURES = ("Network.loadingFailed", "Runtime.exceptionThrown", "Log.entryAdded")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    plan = write(tmp_path_factory.mktemp("project"), files("six_columns"))
    render(plan, plan.parent)
    return plan.parent


@pytest.fixture(scope="module", params=PAGES)
def page(request, folder):
    with chromium((folder / request.param).as_uri()) as page:
        page.value(OPEN_ALL)
        yield page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page, scheme):
    page.resize(1400)
    wanted = {"name": "prefers-color-scheme", "value": scheme}
    page.call("Emulation.setEmulatedMedia", features=[wanted])
    page.value(AXE)
    how = {"awaitPromise": True, "returnByValue": True}
    found = page.call("Runtime.evaluate", expression=VIOLATIONS, **how)
    assert json.loads(found["result"]["value"]) == []


@pytest.mark.parametrize("width", [1400, 1280, 390])
def test_nothing_is_cut_off(page, width):
    page.resize(width)
    assert page.value("document.documentElement.scrollWidth") <= width
    assert page.value(CUT_OFF) == []
    assert page.value(CUT_IN_FIGURES) == []


@pytest.mark.parametrize("width", [1400, 1280])
def test_the_result_is_on_the_first_screen(folder, width):
    with chromium((folder / "report.html").as_uri()) as page:
        page.resize(width)
        assert page.value(SCROLLED) <= 1
        lowest = "document.querySelector('{}').getBoundingClientRect().bottom"
        for shown in (".key li:last-child", "#table tbody tr:last-child"):
            assert page.value(lowest.format(shown)) <= 900


def test_on_paper_tables_are_as_wide_as_the_page(page):
    page.call("Emulation.setEmulatedMedia", media="print")
    page.resize(694)  # A4 without its margins
    assert page.value(WIDE_TABLES) == []
    page.call("Emulation.setEmulatedMedia", media="")
    pdf = b64decode(page.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert 1 < len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 15


def test_every_link_leads_to_something_that_can_be_seen(page):
    page.resize(1400)
    assert page.value(DEAD_LINKS) == []


def test_nothing_fails_and_no_network_is_asked(page):
    asked = {event["request"]["url"] for event in page.seen("Network.requestWillBeSent")}
    assert all(url.startswith("file:") for url in asked)
    assert {name: page.seen(name) for name in FAILURES} == {name: [] for name in FAILURES}


def test_a_click_on_a_header_sorts_its_column(folder):
    with chromium((folder / "report.html").as_uri()) as page:
        first = "document.querySelector('#table tbody th').textContent.trim()"
        header = "document.querySelector('#table thead th button')"
        before = page.value(first)
        page.value(f"{header}.click()")
        page.value(f"{header}.click()")
        assert page.value(first) != before
        # Keras 2 has no time of Gemma: NA is last in both orders.
        for _ in range(2):
            page.value("document.querySelectorAll('#table thead th button')[2].click()")
            assert page.value(first).startswith("BERT fit")
