"""Machines, their canaries and the self-test, as the report shows them."""

import copy

from drawn_pages import appendix_of
from results_factory import Project, make_plan

from analysis.caveats import collect
from analysis.report.machine import canaries, card_note
from analysis.report.self_test import self_test
from analysis.report.setting import citation, machines


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
    for canary in project.canaries:
        canary["foreign_cpu_share"] = 0.5
    (of_nodes,) = canaries(project.load())
    assert of_nodes.lines[0][:3] == ("0a1b2c3d", "6", "NA")


def test_a_virtual_machine_and_a_container_are_named_wherever_the_machine_is(project):
    assert machines(project.load()).endswith("Linux 6.1")
    facts = {"virtualisation": "virtual machine (QEMU)", "container": "docker"}
    for name, value in facts.items():
        project.machine_card["sections"][0]["facts"].append({"name": name, "value": value})
    results = project.load()
    assert machines(results).endswith("Linux 6.1, in a virtual machine and a container (docker)")
    assert machines(results) in citation(results, "Millistep") and "QEMU" not in machines(results)


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
