"""Operations on the processor alone: what has no meaning for them is no caveat of theirs."""

from quiet_table import ids, on_processor, quiet_project, record

WITHOUT_MEANING = {"random_weights", "measured_on_cpu", "plausibility_not_tested"}


def test_operations_without_a_framework_have_no_weights_no_peak_and_no_other_device(tmp_path):
    project = quiet_project(tmp_path)
    project.plan.update(weights="random")
    on_processor(project)
    record("work", "flops_per_step", None, run=0)(project)
    before = {*ids(project)}
    assert before >= WITHOUT_MEANING
    for column in project.plan["columns"]:
        column["family"] = "host"
    assert {*ids(project)} == before - WITHOUT_MEANING


def test_beside_a_net_they_are_said(tmp_path):
    project = quiet_project(tmp_path)
    project.plan.update(weights="random")
    on_processor(project)
    project.plan["columns"][0]["family"] = "host"
    assert {*ids(project)} >= {"random_weights", "measured_on_cpu"}
