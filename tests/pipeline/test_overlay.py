"""Packages over a lock: measured beside the release; a tree that does not build says why."""

import pytest

from tests.workshop import source_tree

from .conftest import PLAN, TABLE


@pytest.fixture
def patched(fresh, tmp_path):
    """Three columns of one row: the release, a source tree over it, and one that does not build."""
    trees = [tmp_path / "my trees" / name for name in ("fork", "broken")]
    for tree, source in zip(trees, ("SAYS = 'fork'", "SAYS = ("), strict=True):
        source_tree(tree, source)
    over = [{"framework": "pytorch-eager", "overlay": [str(tree)]} for tree in trees]
    fresh.configure(models={"bert": {"predict": "default"}}, columns=["pytorch-eager", *over])
    return fresh, *trees


def test_a_source_tree_is_measured_beside_the_release_and_a_broken_one_says_why(patched, tmp_path):
    project, fork, broken = patched
    backend = {"TRACE": str(tmp_path / "trace"), "GATE": str(tmp_path / "gate")}
    targets = ("environments", PLAN, *project.planned_records())
    done = project.snakemake("--quiet", "all", "--", *targets, **backend)
    assert done.returncode != 0, "an environment that cannot be made is no success"
    records = {r["cell"]["column"]: r for r in project.found()}
    ends = {name.removeprefix("pytorch-eager"): r["status"] for name, r in records.items()}
    assert ends == {"": "ok", "+fork": "ok", "+broken": "error"}
    over = records["pytorch-eager+fork"]["environment"]
    release = records["pytorch-eager"]["environment"]
    assert over["packages"] == {**release["packages"], "tiny-thing": "3.0"}
    reason = records["pytorch-eager+broken"]["reason"]
    assert f"{broken} cannot be installed: " in reason
    project.write_tables()
    assert "cannot be installed: " in (project.folder / TABLE).read_text()

    # A start tries an environment again that failed; a changed file affects its own cells alone.
    assert project.measured() == {"pytorch-eager+broken": 1}
    (fork / "tiny_thing.py").write_text("SAYS = 'edited'")
    assert project.measured() == {"pytorch-eager+fork": 1, "pytorch-eager+broken": 1}
    (broken / "tiny_thing.py").write_text("SAYS = 'mended'")
    project.measure(**backend)
    again = {r["cell"]["column"]: r for r in project.found()}
    assert {record["status"] for record in again.values()} == {"ok"}
    assert again["pytorch-eager"] == records["pytorch-eager"]
