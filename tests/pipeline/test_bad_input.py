"""One clear line, a non-zero exit, and nothing that was measured is lost."""

import json
import re
import subprocess
import sys

from .conftest import PLAN, PYTORCH, TABLE

PREDICT = {"bert": {"predict": "default"}}
RECORD = "results/records/smoke/bert/predict-b8/{}/run1.json"
QUICKEST = RECORD.format("pytorch-eager")


def one_line(done, *words):
    """Check the one line that is for the user; the run must have failed."""
    assert done.returncode != 0
    counts = (" runs to measure ", " runs are measured and kept; ")
    lines = [line for line in done.stderr.splitlines() if not any(c in line for c in counts)]
    said = [line for line in lines if line.startswith("millistep: ")]
    assert len(said) == 1, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in said[0]


def test_a_bad_configuration(project):
    """tests/planning has the other errors that a configuration may have."""
    before = project.records()
    project.edit("config/config.yaml", "keras3-jax,", "keras3-jacks,")
    one_line(project.snakemake("--quiet", "all"), "'keras3-jacks'", "keras3-jax")
    project.edit("config/config.yaml", "scale: smoke", "scale: [smoke")
    one_line(project.snakemake("--quiet", "all"), "config/config.yaml", "line")
    (project.folder / "twice.yaml").write_text("runs: 5\nruns: 1\n")
    done = project.snakemake("--quiet", "all", "--configfile", "twice.yaml")
    one_line(done, "twice.yaml, line 2", "'runs' appears twice")
    assert project.records() == before


def test_a_record_that_cannot_be_read_is_named_set_aside_and_measured_again(project):
    """tests/planning has what else makes a file no record."""
    before, name = project.records(), QUICKEST
    record = json.loads(before[name])
    record["timing"]["windows"][0]["steps"] = "five"
    path, half = project.folder / name, before[name][:500]
    for content, words in (
        (json.dumps(record).encode(), ("five", "is no valid record")),
        (half, ("it is renamed, and the run is measured again",)),
    ):
        path.write_bytes(content)
        said = [line for line in project.snakemake("-n").stderr.splitlines() if name in line]
        assert len(said) == 1 and all(word in said[0] for word in words)
        assert path.read_bytes() == content
    done = project.made(name)
    assert f"{name} is now {name}.unreadable" in done.stderr
    assert path.with_name("run1.json.unreadable").read_bytes() == half
    after = project.records()
    assert json.loads(after.pop(name))["status"] == "ok"
    assert all(before[other] == content for other, content in after.items())


def test_no_disk_space(project):
    """The results are on a full file system: the run is refused before it is measured."""
    project.configure(models={"bert": {"fit": 3}}, columns=["pytorch-eager"])
    before = project.records()
    snakemake = f"{sys.executable} -m snakemake --cores 1 --quiet all"
    target = "results/records/smoke/bert/fit-b3/pytorch-eager/run1.json"
    script = f"""
        mkdir -p results/records/smoke/bert/fit-b3
        mount -t tmpfs -o size=64k tmpfs results/records/smoke/bert/fit-b3
        {snakemake} -- {target}
    """
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script]
    done = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, timeout=600)
    one_line(done, "cannot write the record", "No space left on device")
    assert project.records() == before


def test_an_environment_that_cannot_be_deployed_costs_its_own_cells_alone(project):
    """The lock has a version that does not exist, also for the reference workload."""
    project.configure(models=PREDICT, columns=["keras3-jax", "keras3-torch", *PYTORCH])
    before = project.records()
    lock = project.folder / "envs/2026-11/cpu/pytorch.post-deploy.sh"
    locked = lock.read_bytes()
    lock.write_text(re.sub(r"(?m)^accelerate==\S+", "accelerate==99.9", lock.read_text()))
    removed, measured = QUICKEST, RECORD.format("keras3-jax")
    for name in (removed, measured):
        (project.folder / name).unlink()
    reference = "results/reference/smoke/bert/predict-b8/round1-cpu.json"
    targets = ("environments", PLAN, reference, *project.planned_records())
    done = project.snakemake("--quiet", "all", "--", *targets)
    assert done.returncode != 0
    # By the job of the environment, and by the reference or a run if that was first to try.
    failed = r"^(|millistep: environment )pytorch: No matching distribution found for "
    failed += "accelerate==99.9"
    found = re.findall(failed, done.stderr, re.M)
    assert found.count("") == 1 and len(found) <= 2, done.stderr
    # A run that was measured in it stays, and is shown as one of another plan.
    after = project.records()
    assert {name for name in after if after[name] != before[name]} == {measured, removed}
    assert "keeping the earlier record: " in done.stderr
    project.write_tables()
    table = (project.folder / TABLE).read_text()
    assert table.count("outdated") >= 1
    # The run that was not measured says so, and all else is measured.
    record = json.loads(after[removed])
    assert record["status"] == "error"
    assert "No matching distribution found for accelerate==99.9" in record["reason"]
    assert "No matching distribution found for accelerate==99.9" in table
    assert json.loads(after[measured])["status"] == "ok"
    found = json.loads((project.folder / reference).read_text())
    ran_in = json.loads(found["fingerprint"])
    assert (found["status"], ran_in["framework"]) == ("ok", "keras3-torch")
    assert project.measured() == dict.fromkeys(PYTORCH, 1)
    # With the lock put back the missing run is measured, and no other.
    lock.write_bytes(locked)
    project.measure()
    final = project.records()
    assert {name for name in final if final[name] != after[name]} == {removed}
    assert json.loads(final[removed])["status"] == "ok"


def test_a_failing_cell_never_costs_another(project):
    """A builder that raises becomes a status in the table; the rest is as it was."""
    project.configure(models=PREDICT)
    before, name = project.records(), RECORD.format("keras2-tensorflow")
    (project.folder / name).unlink()  # our own code counts by its version, so it has to go
    project.edit(
        "workflow/millistep/measure/models/bert/keras2.py",
        "# noqa: F403 (the same on both)\n",
        '\n\n\ndef build(cell):\n    raise ValueError("no | such <model>")\n',
    )
    project.measure()
    after = project.records()
    assert [changed for changed in after if after[changed] != before[changed]] == [name]
    assert json.loads(after[name])["status"] == "error"
    table = (project.folder / TABLE).read_text()
    assert table.count("a: error: ValueError: no") == 1 and "(a)" in table


def test_a_file_that_is_not_planned_or_that_no_rule_makes_is_refused_in_words(fresh):
    done = fresh.snakemake("results/records/smoke/bert/fit-b99/keras3-jax/run1.json")
    assert done.returncode != 0
    assert "is not in the plan of this configuration" in done.stderr + done.stdout
    done = fresh.snakemake("--quiet", "all", "--", "results/tabel.md")
    assert done.returncode != 0
    assert "No rule to produce results/tabel.md" in done.stderr and "Traceback" not in done.stderr
