import copy
import re
import shutil
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from drawn_pages import DRAWN_BY, appendix_of, pages_of, report_of
from results_factory import Project, make_plan, uneven, unsupported

from analysis.caveats import collect
from analysis.figures.drawing import save
from analysis.figures.panels import empty, saying
from analysis.report.contents import DETAILS, HEADINGS, IN_FULL, SECTIONS
from analysis.report.figure_views import inline_svg
from analysis.report.machine import canaries, card_note
from analysis.report.measured import measured
from analysis.report.methods_text import methods_text
from analysis.report.parity import card_of, differing
from analysis.report.self_test import self_test
from analysis.report.setting import citation, machines

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
    headings = [told[name] for name in (*IN_FULL, *DETAILS) if name in told]
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


def test_methods_text_says_what_the_records_say(project):
    project.change(lambda r: r["timing"].update(warmup_steps=7), run=2)
    text = " ".join(methods_text(project.load()))
    assert "After 3 to 7 discarded steps" in text
    assert "100 steps per run were timed in 10 pipelined stretches" in text
    assert "planned before the first of them, from a step of the warm-up. " in text
    assert "95 % Student t interval" in text
    assert "venv with Python 3.11.7" in text


def test_methods_text_says_how_many_steps_were_planned_and_which_runs_were_cut(project):
    bounds = {"min_steps": 20, "max_steps": 100, "cap_s": 1.8, "hard_cap_s": 6.0}
    project.plan["steps"] = bounds
    project.change(lambda r: r["timing"].update(stop="time"))  # fewer than 100 were planned
    said = (
        "as many as fit 1.8 s, at least 20 and at most 100. {} of 36 runs reached the hard cap of"
    )
    assert said.format("None") in methods_text(project.load())[1]
    cut = [{"steps": 2, "elapsed_ns": 10**9}] * 6
    project.change(lambda r: r["timing"].update(blocks=cut), "keras3-jax", run=2)
    assert said.format("2") in methods_text(project.load())[1]
    project.change(lambda r: r["timing"].update(stop="precision"), run=1)
    assert "12 of 36 runs stopped when they were precise" in methods_text(project.load())[1]


def test_methods_text_says_whose_scatter_was_used_and_what_chance_would_show(tmp_path):
    # as many rows as a column's scatter is told by
    rows = tuple(("bert", "fit", batch, 32) for batch in (8, 16, 32, 64))
    project = Project(tmp_path, make_plan(rows=rows))
    project.change(uneven)
    text = " ".join(methods_text(project.load()))
    chance = r"by chance in ([\d.]+)\u00a0% of rows and in ([\d.]+)\u00a0% of such tables"
    of_rows, of_tables = map(float, re.search(chance, text).groups())
    assert of_rows < of_tables < 4 * of_rows  # at least one of four rows
    # two equally likely modes: 2 * (1/2)^3
    assert "3 runs of a cell are all of one in 25\u00a0% of cells" in text
    assert "median variance of the same column, or of the same pair of columns" in text
    for record in project.records.values():
        if record["cell"]["run"] == 3:
            record["identity"] = "{}"
    text = " ".join(methods_text(project.load()))
    assert "alone." in text and "Smyth" not in text  # two runs are left


def test_methods_text_of_one_run_claims_no_interval(tmp_path):
    text = " ".join(methods_text(Project(tmp_path, make_plan(runs=1)).load()))
    assert "no interval is given" in text and "Student" not in text


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


def test_machine_and_harness_are_shown_or_reported_as_missing(project, figures, plain_pages):
    text = plain_pages[1]
    assert "a step of exactly 20 ms" in text and "work on cpu before and after each session" in text
    assert "Example CPU" in text
    first, *_, observed = self_test(project.load()).lines
    assert first == ("a step of exactly 2 ms, 100 times", "2 ms", "2.001 ms", "+0.05\u00a0%")
    assert observed[2] == "ratio median 1.0000, 1.0000 to 1.0000"
    project.canaries = [None] * len(project.canaries)
    project.machine_card = project.self_test = None
    text = appendix_of(project, figures)
    assert "Not collected: there is no results/machines/0a1b2c3d.json." in text
    assert "The harness was not tested: there is no results/self_test.json." in text


def test_sessions_that_drifted_are_counted(project):
    project.canaries[2]["python_loop_ms"] *= 1.05
    (of_nodes,) = canaries(project.load())
    # both rows of the rounds before and after it
    assert of_nodes.lines[0][:3] == ("0a1b2c3d", "6", "4")
    project.canaries[3]["foreign_cpu_share"] = 0.5  # tells nothing, here as in the caveat
    results = project.load()
    (of_nodes,) = canaries(results)
    (told,) = [c.sentence for c in collect(results) if c.id == "session_drifted"]
    assert of_nodes.lines[0][:3] == ("0a1b2c3d", "6", "2")
    assert "before in 2 of 6 sessions" in told


def test_a_virtual_machine_and_a_container_are_named_wherever_the_machine_is(project):
    assert machines(project.load()).endswith("Linux 6.1")
    facts = {"virtualisation": "virtual machine (QEMU)", "container": "docker"}
    for name, value in facts.items():
        project.machine_card["sections"][0]["facts"].append({"name": name, "value": value})
    results = project.load()
    assert machines(results).endswith("Linux 6.1, in a virtual machine and a container (docker)")
    assert machines(results) in citation(results, "Millistep") and "QEMU" not in machines(results)


def test_what_draws_is_named_where_it_is_cited_and_repeated(plain_pages):
    report = plain_pages[0]
    assert f"<dt>Drawn by</dt><dd>{DRAWN_BY}</dd>" in report
    assert f"In a checkout of {DRAWN_BY}, set" in report
    assert f"<p>{DRAWN_BY} (CITATION.cff of its repository), laptop scale" in report


@pytest.mark.parametrize(
    ("weights", "full_size", "named"),
    [
        ("random", False, "We measured a reduced BERT ("),
        ("preset", False, "We measured BERT, preset bert-base ("),
        ("random", True, "We measured BERT, preset bert-base ("),
    ],
)
def test_methods_text_names_a_preset_where_that_was_measured(project, weights, full_size, named):
    project.plan["weights"] = weights
    for model in project.plan["models"].values():
        model |= {"preset": "bert-base"} | ({"full_size": True} if full_size else {})
    assert methods_text(project.load())[0].startswith(named)


def test_nodes_with_equal_cards_share_one_and_another_has_its_own(project, figures):
    for number, node in ((2, "11111111"), (3, "22222222")):
        project.change(lambda r, n=node: r["session"].update(node=n), run=number)
        project.machine_cards[node] = copy.deepcopy(project.machine_card)
    project.machine_cards["22222222"]["sections"][0]["facts"][0]["value"] = "Another CPU"
    text = appendix_of(project, figures)
    assert "Processor, nodes 0a1b2c3d and 11111111" in text
    assert "Processor, node 22222222" in text and "Another CPU" in text
    assert "Collected of 3 nodes, the first 2026-11-20 09:59. NA" in text


def test_of_many_machines_without_a_card_the_first_eight_are_named(tmp_path):
    rows, columns = (("bert", "fit", 8, 32),), ("keras3-jax",)
    project = Project(tmp_path, make_plan(10, rows, columns))
    for run in range(1, 11):
        project.change(lambda r, n=run: r["session"].update(node=f"{n:08x}"), run=run)
    note = card_note(project.load())
    assert note.endswith("and results/machines/00000008.json (and of 2 more).")


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
    found = re.findall(r'<figure id="figure-(\w+)"', report_of(project, folder))
    assert "speedup_over_keras2" not in found and {"speedup_over_pytorch", "published"} <= {*found}


def test_a_study_stands_at_the_top_with_its_title_and_question(tmp_path, figures):
    study = {"name": "try", "title": "A <patch>", "question": "What does it change?"}
    project = Project(tmp_path, make_plan(study=study))
    text = report_of(project, figures)
    assert "<h1>Millistep report: A &lt;patch&gt;</h1>" in text
    assert text.index("What does it change?") < text.index('class="key"')
