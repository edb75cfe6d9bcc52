"""A project whose texts try to be markup."""

from results_factory import Project, make_plan, unsupported

HOSTILE = "<script>alert(1)</script> | 50 % of \\input{x} $a$ _b_ & `c` [d](e)\x1b[31m\n# f"


def hostile_project(tmp_path, runs=3):
    plan = unsupported(make_plan(runs=runs), "keras2-tensorflow", HOSTILE)
    for row in plan["rows"]:
        row["title"] += " <b>|%$"
    project = Project(tmp_path, plan)
    project.fail("error", HOSTILE, column="keras3-jax")
    return project
