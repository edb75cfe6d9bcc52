"""The report of a table of eighteen columns on two accelerators, in a browser."""

import pytest
from browser import CHROMIUM, chromium
from drawn_pages import write_pages
from results_factory import FRAMEWORKS, make_canary
from whole_table import whole_table

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

COLUMNS = tuple(
    name
    for framework in FRAMEWORKS
    for name in (framework, f"{framework}+tf32", f"{framework}+cpu")
)
CAPTIONS_OUT_OF_VIEW = """[...document.querySelectorAll('caption span')].filter(element => {
  const right = element.closest('.scroll').getBoundingClientRect().right;
  return element.checkVisibility() && element.getBoundingClientRect().right > right + 1;
}).map(element => element.textContent)"""
SCROLLED = """(() => {
  const region = document.querySelector('#table .scroll');
  region.scrollLeft = region.scrollWidth;
  return ['tbody th', 'tbody td:last-child'].map(name => {
    const box = region.querySelector(name).getBoundingClientRect();
    return [box.left, box.right];
  });
})()"""
TEXTS = "[...document.querySelectorAll('{}')].map(element => element.textContent)"


@pytest.fixture(scope="module")
def pages(tmp_path_factory, figures):
    folder = tmp_path_factory.mktemp("project")
    project = whole_table(folder, runs=2, columns=COLUMNS)
    plan = project.plan
    plan.update(accelerator="cuda")
    for column in plan["columns"]:
        column["settings"]["accelerator"] = "cpu" if column["name"].endswith("+cpu") else "cuda"
    on_cpu = {c["name"] for c in plan["columns"] if c["settings"]["accelerator"] == "cpu"}
    for record in project.records.values():
        if record["cell"]["column"] not in on_cpu:
            record["cell"]["accelerator"] = "cuda"
            record["machine"].update(id="m1-gpu", accelerator_name="NVIDIA H100 80GB HBM3")
    project.canaries_on["cuda"] = [
        make_canary(plan, k) | {"machine_id": "m1-gpu"} for k in range(3)
    ]
    return write_pages(project.load(), figures, folder)


@pytest.fixture(scope="module")
def page(pages):
    with chromium(pages[0].as_uri()) as page:
        yield page


def test_a_wide_table_scrolls_beneath_its_rows_names_and_words_stay_in_view(page):
    width = 1280
    page.resize(width)
    page.value("document.querySelector('#table .scroll').scrollLeft = 0")
    assert page.value("document.documentElement.scrollWidth") <= width
    assert page.value(CAPTIONS_OUT_OF_VIEW) == []
    name, last = page.value(SCROLLED)
    assert name[0] >= 0 and name[1] <= last[0] < last[1] <= width


def test_rows_have_different_names(page):
    names = page.value(TEXTS.format("#table tbody th"))
    assert len(set(names)) == len(names) == 11
    assert "GEMMA generate (batch 32)" in names


def test_all_columns_are_in_the_table_and_frameworks_beside_the_published_one(page, pages):
    assert len(page.value(TEXTS.format("#table thead th"))) == 2 + 18
    with chromium(pages[1].as_uri()) as appendix:
        beside = appendix.value(TEXTS.format("#published table.times thead th"))
    assert len(beside) == 3 + 6 and not [title for title in beside if "tf32" in title]


def test_each_accelerator_has_its_canaries(pages):
    with chromium(pages[1].as_uri()) as page:
        captions = page.value(TEXTS.format("#quality caption"))
    assert [[kind in caption for caption in captions[1:]] for kind in ("on cpu", "on cuda")] == [
        [True, False],
        [False, True],
    ]
