"""One clear line, a non-zero exit, and nothing that was measured is lost."""

import json
import re
import subprocess
import sys

import pytest

from .conftest import KERAS2, PYTORCH, ROOT, counted


def one_line(done, *words):
    """The one line that is for the user; the run must have failed."""
    assert done.returncode != 0
    counts = (" runs to measure ", " runs are measured and kept; ")
    lines = [line for line in done.stderr.splitlines() if not any(c in line for c in counts)]
    said = [line for line in lines if line.startswith("millistep: ")]
    assert len(said) == 1, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in said[0]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("scale: smoke", "scael: smoke", ["'scael'", "scale"]),
        ("  bert:", "  brt:", ["'brt'", "bert"]),
        ("keras3-jax,", "keras3-jacks,", ["'keras3-jacks'", "keras3-jax"]),
        ("fit: default", "fit: -8", ["models.bert.fit", "-8"]),
        ("threads: 1", "threads: 10000", ["threads", "10000", "processors"]),
        ("scale: smoke", "scale: [smoke", ["config/config.yaml", "line"]),
    ],
)
def test_a_bad_configuration(project, old, new, words):
    before = project.records()
    project.edit("config/config.yaml", old, new)
    one_line(project.snakemake("--quiet", "all"), *words)
    assert project.records() == before


def test_a_record_that_is_no_json_is_named_set_aside_and_measured_again(project):
    before = project.records()
    name = next(iter(before))
    path = project.folder / name
    path.write_bytes(before[name][:500])
    said = [line for line in project.snakemake("-n").stderr.splitlines() if name in line]
    assert len(said) == 1 and "it is set aside, and measured again" in said[0]
    assert path.read_bytes() == before[name][:500]
    done = project.snakemake("--quiet", "all", "--", name)
    assert done.returncode == 0, done.stderr
    assert f"{name} is now {name}.unreadable" in done.stderr
    assert path.with_name("run1.json.unreadable").read_bytes() == before[name][:500]
    after = project.records()
    assert json.loads(after.pop(name))["status"] == "ok"
    assert all(before[other] == content for other, content in after.items())


def test_a_record_that_breaks_the_contract(project):
    before = project.records()
    name = next(iter(before))
    record = json.loads(before[name])
    record["timing"]["blocks"][0]["steps"] = "five"
    (project.folder / name).write_text(json.dumps(record))
    done = project.snakemake("--quiet", "all")
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if name in line and "five" in line]
    assert len(said) == 1, done.stderr
    assert "12 of 12 runs are measured and kept" in done.stderr
    assert project.records().keys() == before.keys()


def test_no_disk_space(project):
    """The results are on a full file system: the run is refused before it is measured."""
    project.edit("config/config.yaml", "fit: default", "fit: 3")
    project.edit("config/config.yaml", "columns: [", "columns: [pytorch-eager]  # [")
    before = project.records()
    snakemake = f"{sys.executable} -m snakemake --cores 1 --quiet all"
    target = "results/records/smoke/bert/fit-b3/pytorch-eager/run1.json"
    script = f"""
        mkdir -p results/records/smoke/bert/fit-b3
        mount -t tmpfs -o size=64k tmpfs results/records/smoke/bert/fit-b3
        {snakemake} -- {target}
    """
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", script],
        cwd=project.folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    one_line(done, "cannot write the record", "No space left on device")
    assert project.records() == before


def test_no_network_during_set_up(fresh, tmp_path):
    """A package index that refuses connections, and an empty cache."""
    done = fresh.snakemake(
        *("--quiet", "all", "--", "results/environments/2026-11/cpu/keras3-jax.json"),
        MILLISTEP_CACHE=str(tmp_path / "cache"),
        PIP_INDEX_URL="http://127.0.0.1:9/simple",
        PIP_EXTRA_INDEX_URL="",
        PIP_FIND_LINKS="",
        PIP_CONFIG_FILE="/dev/null",
        PIP_CACHE_DIR=str(tmp_path / "pip"),
    )
    assert done.returncode != 0
    said = [
        line for line in done.stderr.splitlines() if "the package index cannot be reached" in line
    ]
    assert len(said) == 1, done.stderr
    assert not (fresh.folder / "results/environments/2026-11/cpu/keras3-jax.json").exists()


def test_an_environment_that_cannot_be_deployed_costs_its_own_cells_alone(project):
    """A lock with a version that does not exist, of the framework that the canaries take too."""
    before = project.records()
    lock = project.folder / "envs/2026-11/cpu/pytorch.post-deploy.sh"
    locked = lock.read_bytes()
    lock.write_text(re.sub(r"(?m)^accelerate==\S+", "accelerate==99.9", lock.read_text()))
    done = project.snakemake("--quiet", "all")
    assert done.returncode != 0
    assert len(re.findall(r"^pytorch: could not create ", done.stderr, re.M)) == 1, done.stderr
    # What was measured in it stays, and is shown as of another plan.
    assert project.records() == before
    assert "could not begin, and stays as it is: " in done.stderr
    row = (project.folder / "results/table.md").read_text().splitlines()[2]
    assert row.count("stale") == len(PYTORCH)
    assert "| BERT fit" in done.stdout
    assert project.measured() == counted(*PYTORCH)
    # With the lock put back it is as planned again.
    lock.write_bytes(locked)
    assert project.measured() == {}


def test_cells_whose_environment_cannot_be_deployed_say_so_and_cost_no_other(project):
    lock = project.folder / "envs/2026-11/cpu/pytorch.post-deploy.sh"
    lock.write_text(re.sub(r"(?m)^accelerate==\S+", "accelerate==99.9", lock.read_text()))
    append = "\n# another\n"
    builder = project.folder / "workflow/measure/models/bert/keras3.py"
    builder.write_text(builder.read_text() + append)
    for column in PYTORCH:
        (project.folder / f"results/records/smoke/bert/fit-b4/{column}/run1.json").unlink()
    done = project.snakemake("--quiet", "all")
    assert done.returncode != 0
    found = {name: json.loads(record) for name, record in project.records().items()}
    lacking = {name for name, record in found.items() if record["status"] == "error"}
    assert {name.split("/")[-2] for name in lacking} == {*PYTORCH}
    for name in lacking:
        assert "fit-b4" in name
        assert "the package index does not have accelerate==99.9" in found[name]["reason"]
    block = json.loads(
        (project.folder / "results/blocks/smoke/bert/fit-b4/round1.json").read_text()
    )
    canary = block["sessions"][-1]["canaries"]["cpu"]["before"]
    ran_in = json.loads(canary["identity"])
    assert (canary["status"], ran_in["framework"]) == ("ok", "keras3-torch")
    report = (project.folder / "results/report.html").read_text()
    assert "the package index does not have accelerate==99.9" in report
    assert project.measured() == counted(*PYTORCH)


def test_a_failing_cell_never_costs_another(project):
    """A builder that raises becomes a status in the table; the rest is as it was."""
    before = project.records()
    project.edit(
        "workflow/measure/models/bert/keras2.py",
        '    """A compiled ``BertClassifier``',
        '    raise ValueError("no | such <model>")\n    """A compiled ``BertClassifier``',
    )
    done = project.snakemake("--quiet", "all")
    assert done.returncode == 0, done.stderr
    after = project.records()
    changed = [name for name in after if after[name] != before[name]]
    assert [json.loads(after[name])["status"] for name in changed] == ["error"] * 2 * len(KERAS2)
    table = (project.folder / "results/table.md").read_text()
    assert table.count("error") >= 2
    assert "ValueError: no" in table
    report = (project.folder / "results/report.html").read_text()
    assert "no | such <model>" not in report
    assert "no | such &lt;model&gt;" in report


def test_an_unknown_record_is_refused_in_words(project):
    done = project.snakemake("results/records/smoke/bert/fit-b99/keras3-jax/run1.json")
    assert done.returncode != 0
    assert "is not in the plan of this configuration" in done.stderr + done.stdout


def test_the_shipped_configuration_is_valid():
    command = [sys.executable, "-m", "snakemake", "-n", "--cores", "1", "results/plan.json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
