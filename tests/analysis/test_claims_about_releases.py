"""Claims about two versions of one package, tested by columns that differ in it alone."""

import pytest
from effect_projects import project_of, scale
from record_changes import takes
from the_pages_machine import A100, verdicts

from analysis.claims import ClaimResult

EAGER = "pytorch-eager"
OLD, NEW = f"{EAGER}+diffusers-0.3.0", f"{EAGER}+diffusers-0.25.0"
ROWS = (("stable_diffusion", "predict", 13, 13), ("stable_diffusion", "fit", 8, 8))


def with_overlays(*names):
    return [
        (name, {"stack": "2024-03", "overlay": [name.rpartition("+")[2].replace("-", " ")]})
        for name in names
    ]


COLUMNS = with_overlays(OLD, NEW)


def diffusers(folder, factor, columns=COLUMNS, **more):
    """0.25.0 takes so much of the time of 0.3.0."""
    project = project_of(folder, *columns, rows=ROWS, **more)
    scale(project, NEW, dict.fromkeys((1, 2, 3), factor))
    return project


def judged(project):
    return verdicts(project.load())["stable_diffusion_upgrade"]


@pytest.mark.parametrize(
    ("factor", "here", "verdict"),
    [
        (0.4, "it holds", ClaimResult.REPRODUCED),
        (0.7, "it does not hold", ClaimResult.NOT_REPRODUCED),
    ],
)
def test_a_gain_is_reproduced_or_not_on_the_pages_machine_alone(tmp_path, factor, here, verdict):
    found = judged(diffusers(tmp_path / "other", factor))
    assert found.verdict is ClaimResult.NOT_COMPARABLE
    assert f"Here {here}: Throughput: STABLE_DIFFUSION predict" in found.why
    assert list(found.evidence["gain"]) == ["stable_diffusion/predict/13"]
    assert found.published == ""
    project = diffusers(tmp_path / "pages", factor, scale="paper", weights="preset")
    project.change(lambda r: r["machine"].update(accelerator_name=A100))
    assert judged(project).verdict is verdict


def test_without_both_versions_it_is_not_tested(tmp_path):
    plain = [(EAGER, {}), (NEW, COLUMNS[1][1])]
    found = judged(diffusers(tmp_path, 0.4, columns=plain))
    assert found.verdict is ClaimResult.NOT_TESTED
    assert "diffusers 0.3.0 and 0.25.0" in found.why


def test_of_variants_the_one_with_the_largest_mask_decides(tmp_path):
    columns = with_overlays(*(f"{EAGER}+transformers-4.38.{patch}" for patch in (1, 2)))
    rows = tuple((name, "generate", 1, None) for name in ("gemma", "gemma_mask4096"))
    project = project_of(tmp_path, *columns, rows=rows)
    models = project.plan["models"]
    models["gemma"]["architecture"] = {"max_positions": 256}
    models["gemma_mask4096"].update(architecture={"max_positions": 4096}, variant_of="gemma")

    def change(r):
        long, newer = r["cell"]["model"] != "gemma", r["cell"]["column"] == columns[1][0]
        ms = (20 if long else 10) / (2 if long and newer else 1)
        takes(r, ms + r["cell"]["run"] / 100)

    project.change(change)
    found = verdicts(project.load())["gemma_upgrade"]
    assert "Here it holds" in found.why
    assert "max_positions is largest in GEMMA_MASK4096 generate" in found.why
