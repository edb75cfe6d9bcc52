"""axe-core finds nothing in the report and its appendix, whatever is open."""

import json
from importlib.resources import files

import pytest
from browser import CHROMIUM, chromium
from drawn_pages import write_pages
from results_factory import Project, make_plan

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

AXE = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
OPEN_ALL = "document.querySelectorAll('details').forEach(element => { element.open = true; })"
VIOLATIONS = """axe.run().then(found => JSON.stringify(found.violations.map(
  rule => [rule.id, rule.nodes.map(node => node.html.slice(0, 200))])))"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory, figures):
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
def test_axe_finds_nothing(pages, name):
    with chromium((pages / name).as_uri()) as page:
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
