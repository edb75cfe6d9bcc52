"""Blocks as jobs of a SLURM cluster: as many at once as there are nodes, and nothing is lost.

One cluster of four nodes, and one project that is measured on it with all that may happen.
"""

import contextlib
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from tests.cluster import throwaway
from tests.cluster.project import HANG, ClusterProject, done
from tests.conftest import PROCESSORS
from tests.fake_project import OWN
from tests.shared import TIMED, until

NODES, CPUS = 4, 2
LIMIT_S = 400
BLOCKS = [("steady", 4), ("steady", 8), *((model, 4) for model in ("hungry", *HANG))]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if reason := throwaway.missing():
        pytest.skip(reason)
    if len(PROCESSORS) < CPUS:
        pytest.skip("a job of two processors needs a second one")
    own = os.sched_getaffinity(0)
    with contextlib.ExitStack() as stack:
        os.sched_setaffinity(0, PROCESSORS)  # the processors of the nodes, not the worker's alone
        try:
            running = throwaway.cluster(tmp_path_factory.mktemp("cluster"), NODES, CPUS)
            found = stack.enter_context(running)
        finally:
            os.sched_setaffinity(0, own)
        yield found


@pytest.fixture(scope="module")
def project(cluster, tmp_path_factory) -> ClusterProject:
    return ClusterProject(tmp_path_factory.mktemp("project"), cluster)


@pytest.fixture(scope="module")
def table(project) -> ClusterProject:
    """Measured while a node is lost, a job is cancelled and another one's time is over."""
    rows = itertools.starmap(done, BLOCKS)
    process = project.start("--quiet", "rules", "--", "results/plan.json", *rows)
    watcher = threading.Thread(target=_harm, args=(project, process), daemon=True)
    watcher.start()
    try:
        project.said = process.communicate(timeout=LIMIT_S)[0]
    finally:
        process.kill()
    project.status = process.returncode
    return project


def _harm(project: ClusterProject, process) -> None:
    """End each run that waits for it, each in another way."""
    cluster = project.cluster
    ways = {
        "lost": lambda job, node: cluster.lose(node, job),
        "cancelled": lambda job, node: cluster.said("scancel", job),
        "late": lambda job, node: cluster.said("scontrol", "update", f"JobId={job}", "TimeLimit=1"),
    }
    while ways and process.poll() is None:
        time.sleep(0.2)
        for model in [name for name in ways if project.hung(name).exists()]:
            if found := project.job_of(model):
                ways.pop(model)(*found)


def test_every_block_ends_whatever_becomes_of_its_jobs(table):
    assert table.status == 0, table.said
    for batch in (4, 8):
        for column in ("fake", "other"):
            assert table.record("steady", column, batch)["status"] == "ok"


def test_blocks_are_measured_at_once_each_on_one_node(table):
    sessions = [session for block in BLOCKS for session in table.sessions(*block)]
    assert len({session["node"] for session in sessions}) == NODES
    assert any(
        one["node"] != other["node"]
        and one["started_at"] <= other["started_at"] < one["finished_at"]
        for one, other in itertools.permutations(sessions, 2)
    )
    for session in sessions:
        assert session["machine"] and len(session["affinity"]) == 2
    cards = {path.stem for path in (table.folder / "results/machines").glob("*.json")}
    assert {session["node"] for session in sessions if session["ended"] == "done"} <= cards


def test_what_a_lost_node_was_measuring_is_measured_on_another(table):
    first, *_, last = table.sessions("lost")
    assert (first["ended"], last["ended"]) == ("killed", "done")
    assert first["node"] != last["node"]
    for column in ("fake", "other"):
        record = table.record("lost", column)
        assert record["status"] == "ok", record["reason"]
        assert record["session"]["id"] == last["id"]


def test_a_run_that_its_job_was_ended_in_is_killed_and_the_others_of_its_block_are_measured(table):
    for model in ("cancelled", "late"):
        statuses = sorted(table.record(model, column)["status"] for column in ("fake", "other"))
        attempts = [session["attempt"] for session in table.sessions(model)]
        expected = (["killed", "ok"], [1, 2])
        assert (statuses, attempts) == expected, f"{model}\n{table.said}\n{table.cluster.log}"


def test_the_planning_machine_shows_the_lines_of_all_nodes(table):
    lines = re.findall(r"^(n\d): (\[\d+/12\] .*)$", table.said, re.M)
    assert len({node for node, _ in lines}) == NODES
    assert sum(bool(re.search(TIMED, line)) for _, line in lines) >= 6
    assert any("blocks at once" in line for _, line in lines)
    assert any(": oom: " in line for _, line in lines)
    running = table.folder / "results/.running"
    assert list(running.iterdir()) == []


def test_a_second_start_finds_nothing_to_do_and_a_changed_column_is_measured_alone(table):
    rows = [done("steady"), done("hungry"), *map(done, HANG)]
    status, said = table.snakemake("-n", "--", *rows)
    assert status == 0 and "Nothing to be done" in said, said
    before = {column: table.record("steady", column) for column in ("fake", "other")}
    with (table.folder / OWN / "frameworks/other.py").open("a") as source:
        source.write("\nCHANGED = True\n")
    status, said = table.snakemake("--quiet", "rules", "--", done("steady"))
    assert status == 0, said
    assert table.record("steady", "fake") == before["fake"]
    after = table.record("steady", "other")
    assert after["identity"] != before["other"]["identity"]
    assert after["session"]["id"] == table.sessions("steady")[-1]["id"]
    assert len(table.sessions("steady")) == 2


def test_what_is_asked_for_is_measured_again_by_the_job_of_its_block(table):
    before, fake = len(table.sessions("steady")), table.record("steady", "fake")
    forced = ("-R", "time_other", "--", done("steady"))
    status, said = table.snakemake("--quiet", "rules", *forced)
    assert status == 0 and "asked for: " in said, said
    sessions = table.sessions("steady")
    assert len(sessions) == before + 1 and table.record("steady", "fake") == fake
    assert table.record("steady", "other")["session"]["id"] == sessions[-1]["id"]


def test_a_whole_snakemake_may_be_one_job(table):
    records = [
        f"results/records/smoke/lost/fit-b4/{column}/run2.json" for column in ("fake", "other")
    ]
    snakemake = f"{sys.executable} -m snakemake --cores 1 --quiet all --config runs=2"
    snakemake += f" -- results/plan.json {' '.join(records)}"
    job = ("sbatch", "--wait", "--exclusive", "-N1", "-n1", "-c2", f"--wrap={snakemake}")
    subprocess.run(job, cwd=table.folder, env=table.cluster.environ, timeout=120, check=True)
    (session,) = table.sessions("lost", number=2)
    for column in ("fake", "other"):
        record = table.record("lost", column, number=2)
        assert (record["status"], record["session"]["id"]) == ("ok", session["id"])


def test_an_interrupted_start_ends_its_jobs_and_the_next_goes_on(table):
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
    status, said = table.snakemake("--config", "runs=2", "--quiet", "rules", "--", *again)
    assert status == 0, said
    for batch in (4, 8):
        for column in ("fake", "other"):
            assert table.record("steady", column, batch, number=2)["status"] == "ok"
