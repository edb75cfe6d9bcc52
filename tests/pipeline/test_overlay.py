"""Packages over a lock: measured beside the release; a tree that does not build says why."""

from tests.workshop import source_tree

from .conftest import PLAN, TABLE


def test_a_source_tree_is_measured_beside_the_release_and_a_broken_one_says_why(fresh, tmp_path):
    fork = source_tree(tmp_path / "my trees/fork", "SAYS = 'fork'")
    broken = source_tree(tmp_path / "my trees/broken", "SAYS = (")
    over = [{"framework": "pytorch-eager", "overlay": [str(tree)]} for tree in (fork, broken)]
    fresh.configure(models={"bert": {"predict": "default"}}, columns=["pytorch-eager", *over])
    backend = {"TRACE": str(tmp_path / "trace"), "GATE": str(tmp_path / "gate")}
    targets = ("environments", PLAN, *fresh.planned_records())
    done = fresh.snakemake("--quiet", "all", "--", *targets, **backend)
    assert done.returncode != 0, "an environment that cannot be made is no success"
    records = {r["cell"]["column"]: r for r in fresh.found()}
    ends = {name.removeprefix("pytorch-eager"): r["status"] for name, r in records.items()}
    assert ends == {"": "ok", "+fork": "ok", "+broken": "error"}
    over = records["pytorch-eager+fork"]["environment"]
    release = records["pytorch-eager"]["environment"]
    assert over["packages"] == {**release["packages"], "tiny-thing": "3.0"}
    reason = records["pytorch-eager+broken"]["reason"]
    assert f"{broken} cannot be installed: " in reason
    fresh.write_tables()
    assert "cannot be installed: " in (fresh.folder / TABLE).read_text()

    # A start tries an environment again that failed; a changed file affects its own cells alone.
    assert fresh.measured() == {"pytorch-eager+broken": 1}
    (fork / "tiny_thing.py").write_text("SAYS = 'edited'")
    assert fresh.measured() == {"pytorch-eager+fork": 1, "pytorch-eager+broken": 1}
    (broken / "tiny_thing.py").write_text("SAYS = 'mended'")
    fresh.measure(**backend)
    again = {r["cell"]["column"]: r for r in fresh.found()}
    assert {record["status"] for record in again.values()} == {"ok"}
    assert again["pytorch-eager"] == records["pytorch-eager"]
