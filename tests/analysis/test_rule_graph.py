"""The rules that made the results: in layers, in the appendix, refused where they lie."""

import json

import pytest
from control_factory import make_rules
from test_report import appendix_of

from analysis.results.rule_graph import RuleGraph


def test_a_rule_stands_left_of_all_that_read_its_files():
    layers = RuleGraph.from_json(make_rules()).layers
    assert [sorted(rule.name for rule in layer) for layer in layers] == [
        ["measure_keras3_jax"],
        ["tables"],
        ["figures"],
        ["keras3_jax", "report"],
        ["all"],
    ]


def test_what_follows_from_other_arrows_is_not_drawn():
    assert sorted(RuleGraph.from_json(make_rules()).arrows) == [
        ("figures", "report"),
        ("keras3_jax", "all"),
        ("measure_keras3_jax", "tables"),
        ("report", "all"),
        ("tables", "figures"),
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda rules: rules[5]["after"].append("nothing"), "there is no rule nothing"),
        (lambda rules: rules.append(rules[0]), "two rules have the same name"),
        (lambda rules: rules[4]["after"].append("tables"), "needs"),
        (lambda rules: rules[0].update(name="a b"), "'a b' does not match"),
    ],
)
def test_a_graph_that_is_none_is_one_line_that_names_the_file(project, change, problem):
    graph = make_rules()
    change(graph["rules"])
    line = project.refused("results/rules.json", json.dumps(graph))
    assert line.startswith("results/rules.json: /rules") and problem in line


def test_the_appendix_shows_the_rules(project, figures):
    text = appendix_of(project, figures)
    section = text.partition('<section id="rules"')[2].partition("</section>")[0]
    assert "<svg" in section and "What &lt;tables&gt; does." in section
    assert "<td>figures, tables and measure_keras3_jax</td>" in section


def test_without_them_it_says_so_and_the_digest_is_the_same(project, figures):
    before = project.load().digest
    project.rules = None
    results = project.load()
    assert results.rule_graph is None and results.digest == before
    assert "What each rule does" not in appendix_of(project, figures)
