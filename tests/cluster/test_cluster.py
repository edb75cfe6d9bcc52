"""Workloads as jobs of a SLURM cluster: as many at once as there are nodes, and no run is lost.

One cluster of four nodes, and one project that is measured on it with all that may happen.
"""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.cluster import throwaway
from tests.conftest import PROCESSORS
from tests.fake_project import OWN, add_model, fake_project
from tests.shared import until

HANG = ("lost", "cancelled", "late")  # models whose first run waits to be ended
NODES, CPUS = 4, 2
GROUPS = [("steady", 4), ("steady", 8), *((model, 4) for model in ("hungry", *HANG))]
COLUMNS = ("fake", "other")


class ClusterProject:
    """folder: where the checkout is made. Its commands work on the cluster's nodes."""

    def __init__(self, folder: Path, cluster: throwaway.Cluster):
        self.folder, self.cluster = folder, cluster
        self.at_once: list[int] = []  # jobs that were submitted and had not ended
        self.local = fake_project(folder, "step_ms: 1.0", other=True)
        own = self.folder / OWN
        add_model(own, "steady", "step_ms: 1.0")
        add_model(own, "hungry", "step_ms: 1.0, trouble: eats_memory")
        for name in HANG:
            add_model(own, name, f"step_ms: 1.0, trouble: hangs_once, hung: '{self.hung(name)}'")
        python = str(next(self.folder.glob("*/python")))  # a shell would read something into it
        self.local.configure(
            models={"steady": {"fit": [4, 8]}, **{name: {"fit": 4} for name in ("hungry", *HANG)}},
            columns=COLUMNS,
            limits={"memory_gib": 0.3, "time_s": 300},
            interpreters=dict.fromkeys(COLUMNS, python),
        )
        # The settings of a site.
        profile = self.folder / "profiles/slurm/profile.v9+.yaml"
        text = profile.read_text().replace("cpus_per_task: 9", "cpus_per_task: 2")
        profile.write_text(text + "slurm-init-seconds-before-status-checks: 10\n")

    def hung(self, model: str) -> Path:
        """A file that is there once the model's first run waits to be ended."""
        return self.folder / f"{model} hangs"

    def start(self, *arguments: str) -> subprocess.Popen:
        """Start Snakemake with the cluster's profile, on the machine that plans."""
        command = [sys.executable, "-m", "snakemake", "--workflow-profile", "profiles/slurm"]
        own = {"cwd": self.folder, "env": self.cluster.environ, "start_new_session": True}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return subprocess.Popen([*command, *arguments], **own, **pipes)

    def snakemake(self, *arguments: str) -> tuple[int, str]:
        """Run Snakemake to its end; exit status, and what was said."""
        process = self.start(*arguments)
        try:
            said = process.communicate(timeout=300)[0]
        finally:
            process.kill()
        return process.returncode, said

    def job_of(self, model: str) -> tuple[str, str] | None:
        """Return number and node of the job that measures a model."""
        for line in self.cluster.jobs():
            number, state, node, *comment = line.split()
            if state == "RUNNING" and model in "_".join(comment):
                return number, node
        return None

    def record(self, model: str, column: str, batch: int = 4, number: int = 1) -> dict:
        path = f"results/records/smoke/{model}/fit-b{batch}/{column}/run{number}.json"
        return self.local.read(path)

    def reference(self, model: str, batch: int = 4, number: int = 1) -> dict:
        path = f"results/reference/smoke/{model}/fit-b{batch}/round{number}-cpu.json"
        return self.local.read(path)


def done(model: str, batch: int = 4, number: int = 1) -> str:
    """Return the file that the job of a workload and round makes."""
    return f"results/reference/smoke/{model}/fit-b{batch}/round{number}.done"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if reason := throwaway.missing():
        pytest.skip(reason)
    if len(PROCESSORS) < CPUS:
        pytest.skip("a job of two processors needs a second one")
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, PROCESSORS)  # the processors of the nodes, not the worker's alone
    try:
        with throwaway.cluster(tmp_path_factory.mktemp("cluster"), NODES, CPUS) as found:
            os.sched_setaffinity(0, own)
            yield found
    finally:
        os.sched_setaffinity(0, own)


@pytest.fixture(scope="module")
def table(cluster, tmp_path_factory) -> ClusterProject:
    """Measured while a node is lost, a job is cancelled and another one's time is over."""
    project = ClusterProject(tmp_path_factory.mktemp("project"), cluster)
    groups = itertools.starmap(done, GROUPS)
    process = project.start("--quiet", "rules", "--", "results/plan.json", *groups)
    watcher = threading.Thread(target=_harm, args=(project, process), daemon=True)
    watcher.start()
    try:
        project.said = process.communicate(timeout=500)[0]
    finally:
        process.kill()
    project.status = process.returncode
    return project


def _harm(project: ClusterProject, process) -> None:
    """End each run that waits for it, each in another way."""
    cluster, over = project.cluster, "EndTime=now+2"
    ways = {
        "lost": lambda job, node: cluster.lose(node, job),
        "cancelled": lambda job, node: cluster.said("scancel", job),
        "late": lambda job, node: cluster.said("scontrol", "update", f"JobId={job}", over),
    }
    while ways and process.poll() is None:
        time.sleep(0.2)
        project.at_once.append(len(project.cluster.jobs()))
        for model in [name for name in ways if project.hung(name).exists()]:
            if found := project.job_of(model):
                ways.pop(model)(*found)


def test_every_run_has_a_record_whatever_becomes_of_its_job(table):
    assert table.status == 0, table.said
    for model, batch in GROUPS:
        records = [table.record(model, column, batch) for column in COLUMNS]
        statuses = [record["status"] for record in records]
        expected = ["oom"] * 2 if model == "hungry" else ["ok"] * 2
        assert statuses == expected, f"{model}\n{table.said}\n{table.cluster.log}"
        assert len({record["session"]["id"] for record in records}) == 1
        assert table.reference(model, batch)["session"]["id"] == records[0]["session"]["id"]


def test_groups_are_submitted_at_once(table):
    """The nodes of this cluster share one machine, so its lock lets only one group compute."""
    assert max(table.at_once) > 1


def test_a_second_start_finds_nothing_to_do_and_a_changed_column_is_measured_alone(table):
    groups = [done("steady"), done("hungry"), *map(done, HANG)]
    for marker in table.folder.glob("results/environments/*.json"):
        os.utime(marker)  # as a node does that has environments of its own
    status, said = table.snakemake("-n", "--", *groups)
    assert status == 0 and "Nothing to be done" in said, said
    before = {column: table.record("steady", column) for column in COLUMNS}
    with (table.folder / OWN / "frameworks/other.py").open("a") as source:
        source.write("\nCHANGED = True\n")
    status, said = table.snakemake("--quiet", "rules", "--", done("steady"))
    assert status == 0, said
    assert table.record("steady", "fake") == before["fake"]
    assert table.record("steady", "other")["identity"] != before["other"]["identity"]


def test_a_whole_snakemake_may_be_one_job(table):
    records = [f"results/records/smoke/lost/fit-b4/{column}/run2.json" for column in COLUMNS]
    snakemake = f"{sys.executable} -m snakemake --cores 1 --quiet all --config runs=2"
    snakemake += f" -- results/plan.json {' '.join(records)}"
    job = ("sbatch", "--wait", "--exclusive", "-N1", "-n1", "-c2", f"--wrap={snakemake}")
    subprocess.run(job, cwd=table.folder, env=table.cluster.environ, timeout=120, check=True)
    found = [table.record("lost", column, number=2) for column in COLUMNS]
    assert {record["status"] for record in found} == {"ok"}
    assert len({record["session"]["id"] for record in found}) == 1


def test_an_interrupted_start_ends_its_jobs_and_the_next_measures_what_is_left_or_asked_for(table):
    before = {column: table.record("steady", column) for column in COLUMNS}
    again = [done("steady", batch, number=2) for batch in (4, 8)]
    process = table.start("--config", "runs=2", "--quiet", "rules", "--", *again)
    try:
        until(lambda: table.job_of("steady"), 120)
        time.sleep(3)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        raise AssertionError("it did not end") from None
    finally:
        process.kill()
    assert process.returncode != 0
    assert until(lambda: table.cluster.jobs() == [], 30)
    forced = ("-R", "time_other", "--", done("steady"), *again)
    status, said = table.snakemake("--config", "runs=2", "--quiet", "rules", *forced)
    assert status == 0 and "requested with -R, -F or -f: " in said, said
    assert table.record("steady", "fake") == before["fake"]
    assert table.record("steady", "other")["session"] != before["other"]["session"]
    for batch, column in itertools.product((4, 8), COLUMNS):
        assert table.record("steady", column, batch, number=2)["status"] == "ok"
