"""Claims about two versions of one package, tested by columns that differ in it alone."""

import pytest
from effect_projects import project_of, scale
from the_pages_machine import A100, PUBLISHED, verdicts

from analysis.claims import ClaimResult, judge

EAGER = "pytorch-eager"
OLD, NEW = f"{EAGER}+diffusers-0.3.0", f"{EAGER}+diffusers-0.25.0"
COLUMNS = [
    (name, {"stack": "2024-03", "overlay": [name.rpartition("+")[2].replace("-", " ")]})
    for name in (OLD, NEW)
]
ROWS = (("stable_diffusion", "predict", 13, 13), ("stable_diffusion", "fit", 8, 8))


def diffusers(folder, factor, columns=COLUMNS, **more):
    """0.25.0 takes so much of the time of 0.3.0."""
    project = project_of(folder, *columns, rows=ROWS, **more)
    scale(project, NEW, dict.fromkeys((1, 2, 3), factor))
    return project


def judged(project):
    return verdicts(project.load())["stable_diffusion_upgrade"]


@pytest.mark.parametrize(("factor", "here"), [(0.4, "it holds"), (0.7, "it does not hold")])
def test_a_gain_on_another_machine_is_told_and_not_compared(tmp_path, factor, here):
    found = judged(diffusers(tmp_path, factor))
    assert found.verdict is ClaimResult.NOT_COMPARABLE
    assert f"Here {here}: Throughput: STABLE_DIFFUSION predict" in found.why
    assert list(found.evidence["gain"]) == ["stable_diffusion/predict/13"]
    assert found.published == ""


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(0.4, ClaimResult.REPRODUCED), (0.7, ClaimResult.NOT_REPRODUCED)],
)
def test_on_the_pages_machine_it_is_reproduced_or_not(tmp_path, factor, verdict):
    project = diffusers(tmp_path, factor, scale="paper", weights="preset")
    project.change(lambda r: r["machine"].update(accelerator_name=A100))
    assert judged(project).verdict is verdict


def test_without_both_versions_it_is_not_tested(tmp_path):
    plain = [(EAGER, {}), (NEW, COLUMNS[1][1])]
    found = judged(diffusers(tmp_path, 0.4, columns=plain))
    assert found.verdict is ClaimResult.NOT_TESTED
    assert "diffusers 0.3.0 and 0.25.0" in found.why


def test_of_variants_the_one_with_the_largest_mask_decides(tmp_path):
    old, new = (f"{EAGER}+transformers-4.38.{patch}" for patch in (1, 2))
    columns = [
        (name, {"stack": "2024-03", "overlay": [name.rpartition("+")[2].replace("-", " ")]})
        for name in (old, new)
    ]
    rows = tuple((name, "generate", 1, None) for name in ("gemma", "gemma_mask4096"))
    project = project_of(tmp_path, *columns, rows=rows)
    models = project.plan["models"]
    models["gemma"]["architecture"] = {"max_positions": 256}
    models["gemma_mask4096"].update(architecture={"max_positions": 4096}, variant_of="gemma")

    def change(r):
        long, newer = r["cell"]["model"] != "gemma", r["cell"]["column"] == new
        for block in r["timing"]["blocks"]:
            ms = (20 if long else 10) / (2 if long and newer else 1) + r["cell"]["run"] / 100
            block["elapsed_ns"] = round(block["steps"] * ms * 1e6)

    project.change(change)
    found = {f.id: f for f in judge(project.load(), PUBLISHED)}["gemma_upgrade"]
    assert "Here it holds" in found.why
    assert "max_positions is largest in GEMMA_MASK4096 generate" in found.why
