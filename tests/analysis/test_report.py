import re
import shutil
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from drawn_pages import DRAWN_BY, pages_of, report_of
from results_factory import Project, make_plan, unsupported

from analysis.figures.drawing import save
from analysis.figures.panels import empty, saying
from analysis.report.contents import DETAILS, HEADINGS, IN_FULL, SECTIONS
from analysis.report.figure_views import inline_svg
from analysis.report.measured import measured
from analysis.report.parity import card_of, differing

HOSTILE = "<script>alert(1)</script> \" ' {{ 7 * 7 }} \x1b[31m"
VOID = {"meta", "br", "link", "img"}


class Page(HTMLParser):
    """Collects tags, ids and links; checks that elements close in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.text = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append(tag)
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.links += [attrs[key] for key in ("href", "src", "xlink:href") if key in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def every_link_leads_somewhere(page, details):
    """In the report, in its appendix, and from one to the other."""
    inside = [link for link in page.links if link.startswith("#")]
    outside = {link for link in page.links if not link.startswith(("#", "https://"))}
    beside = {link.partition("#")[::2] for link in outside}
    assert {name for name, _ in beside} == {"appendix.html"}
    assert {anchor for _, anchor in beside if anchor} <= set(details.ids)
    assert len(details.ids) == len(set(details.ids))
    back = [link.partition("#")[2] for link in details.links if link.startswith("report.html#")]
    assert set(back) <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in inside} <= set(page.ids)
    within = {link[1:] for link in details.links if link.startswith("#")}
    assert within <= set(details.ids)


def test_report_is_self_contained_well_formed_and_complete(plain_pages):
    text, appendix = plain_pages
    page = Page(text)
    assert page.tags.count("script") == 1 and not {"link", "img"} & set(page.tags)
    every_link_leads_somewhere(page, Page(appendix))
    assert 'href="report.html#' in appendix
    # no topic but effects has anything to show here
    told = {**HEADINGS, "effects": "Effects"}
    headings = [told[name] for name in SECTIONS if name in told]
    assert re.findall(r"<h2 .*?>(.*?)</h2>", text) == ["Table", *headings]
    headings = [told[name] for name in (*IN_FULL, "published", *DETAILS) if name in told]
    assert re.findall(r"<h2 .*?>(.*?)</h2>", appendix) == headings
    assert "8.016" in text and "[7.996, 8.036]" in appendix
    assert "url(" not in re.sub(r"url\(#", "", text)
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    allowed = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    assert f"{allowed}; script-src 'sha256-{digest}'" in text


def test_hostile_text_stays_text(tmp_path, figures):
    plan = unsupported(make_plan(), "keras2-tensorflow", HOSTILE)
    plan["models"]["bert"].update(title=HOSTILE, citation=HOSTILE)
    plan["rows"][0]["title"] = HOSTILE
    project = Project(tmp_path, plan)
    project.fail("error", HOSTILE, column="keras3-jax", task="fit")
    project.change(lambda r: r["warnings"].append(HOSTILE))
    project.change(lambda r: r["environment"]["packages"].update({HOSTILE: HOSTILE}))
    project.change(lambda r: r["machine"].update(cpu=HOSTILE))
    project.change(lambda r: r["parity"].update({HOSTILE: HOSTILE}), column="keras3-torch")
    for text in pages_of(project, figures):
        assert Page(text).tags.count("script") == 1
        assert "\x1b" not in text and "49" not in re.findall(r"\{\{.*?\}\}", text)


def test_where_nothing_can_be_installed_the_report_says_why_everything_is_missing(project, figures):
    why = "the package index does not have keras==9.9"
    empty = {"timing": None, "work": None, "parity": None, "ending": None, "probes": []}
    project.change(lambda r: r.update(empty, status="error", not_tried={"not_installed": why}))
    for found in (*project.canaries, project.self_test):
        found.update(status="error", reason=why, ending=None, refused=why)
    project.self_test.update(known_steps=[], same_cell=None, monitor=None)
    text, appendix = pages_of(project, figures)
    assert f"error: {why}" in text
    cells = len(project.plan["rows"]) * len(project.plan["columns"])
    assert appendix.count(f"error: {why}") >= cells
    assert f"The self-test is error: {why}." in appendix


@pytest.mark.parametrize("all_of_it", [False, True])
def test_times_stand_though_their_card_could_not_be_read_back(project, figures, all_of_it):
    words = "parity: ValueError: no card"
    changed = {} if all_of_it else {"column": "keras3-jax", "run": 1}
    project.plan["rows"][0]["measures"] = {"precision": "float32"}
    project.change(lambda r: r.update(parity=None, withheld=[words]), **changed)
    _, appendix = pages_of(project, figures)
    assert words in appendix
    assert not measured(project.load()).marked


@pytest.mark.parametrize("runs", [1, 3])
def test_nothing_measured_still_gives_a_report(tmp_path, figures, runs):
    project = Project(tmp_path, make_plan(runs=runs))
    project.records = {}
    text, appendix = pages_of(project, figures)
    Page(text)
    Page(appendix)
    assert "Nothing is measured yet" in text


def test_a_table_without_a_time_says_how_its_runs_ended(tmp_path, figures):
    project = Project(tmp_path, make_plan(runs=2))
    project.fail("timeout")
    text, _ = pages_of(project, figures)
    ended = f"No run has a time: {len(project.records)} timeout"
    assert f"{ended}; 0 of" in text and f"{ended}: there is nothing to cite." in text
    assert "ms/step; no cell has a time." in text and "Example CPU" in text
    assert "measured yet" not in text and "one run per cell" not in text


def test_inlined_figures_do_not_clash_and_follow_the_theme(figures):
    svg = inline_svg(figures / "blocks.svg", "blocks")
    assert svg.startswith('<svg role="img" aria-labelledby="caption-blocks"')
    assert 'id="blocks-m1"' in svg and 'href="#blocks-m1"' in svg and "url(#blocks-p)" in svg
    assert "var(--ink)" in svg and "#1c1e21" not in svg and "metadata" not in svg


def test_parity_says_what_differs_or_is_reported_by_some(project):
    project.change(lambda r: r["parity"].update(dtype="bfloat16"), column="keras3-jax")
    project.change(lambda r: r["parity"].update(graphs=2), column="pytorch-compiled")
    row = project.load().rows[0]
    found = differing(row)
    assert {line[0] for line in found.lines} == {"execution", "compiler", "dtype", "graphs"}
    assert dict(card_of(row.cells[2]))["dtype"] == "bfloat16"
    assert dict(card_of(row.cells[5]))["graphs"] == "2"


def test_what_draws_is_named_where_it_is_cited_and_repeated(plain_pages):
    report = plain_pages[0]
    assert f"<dt>Drawn by</dt><dd>{DRAWN_BY}</dd>" in report
    assert f"In a checkout of {DRAWN_BY}, set" in report
    assert f"<p>{DRAWN_BY} (CITATION.cff of its repository), laptop scale" in report


def test_what_has_nothing_to_say_is_left_out(tmp_path, figures):
    """Findings and claims are about columns that this table lacks, and so is the page's table."""
    plan = make_plan(columns=("pytorch-eager",))
    for row in plan["rows"]:
        row["published_batch_size"] = None
    report, appendix = pages_of(Project(tmp_path, plan), figures)
    for page in (report, appendix):
        assert [
            a for a in ("findings", "claims", "published") if f'<section id="{a}"' in page
        ] == []
    assert '<section id="caveats"' in report
    every_link_leads_somewhere(Page(report), Page(appendix))


def test_a_figure_with_nothing_to_show_is_left_out_and_one_that_failed_is_not(
    project, figures, tmp_path
):
    folder = tmp_path / "figures"
    shutil.copytree(figures, folder)
    save(empty("no row has both"), folder, "speedup_over_keras2")
    save(saying("Nothing to draw: the drawing failed."), folder, "speedup_over_pytorch")
    report, appendix = (
        {*re.findall(r'<figure id="figure-(\w+)"', page)} for page in pages_of(project, folder)
    )
    assert "speedup_over_keras2" not in report and "speedup_over_pytorch" in report
    assert "published" in appendix - report  # nobody decides by times of other models


def test_a_study_stands_at_the_top_with_its_title_and_question(tmp_path, figures):
    study = {"name": "try", "title": "A <patch>", "question": "What does it change?"}
    project = Project(tmp_path, make_plan(study=study))
    text = report_of(project, figures)
    assert "<h1>Millistep report: A &lt;patch&gt;</h1>" in text
    assert text.index("What does it change?") < text.index('class="key"')
