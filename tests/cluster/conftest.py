"""One cluster of four nodes, and one project that is measured on it with all that may happen."""

import contextlib
import os
import threading
import time

import pytest

from tests.cluster import throwaway
from tests.cluster.project import HANG, ClusterProject, done
from tests.conftest import PROCESSORS

NODES, CPUS = 4, 2
LIMIT_S = 400


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if reason := throwaway.missing():
        pytest.skip(reason)
    if len(PROCESSORS) < CPUS:
        pytest.skip("a job of two processors needs a second one")
    own = os.sched_getaffinity(0)
    with contextlib.ExitStack() as stack:
        os.sched_setaffinity(0, PROCESSORS)  # the nodes', not the worker's alone
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
    rows = [done("steady"), done("steady", 8), done("hungry"), *map(done, HANG)]
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
    """End each run that waits for it, in its own way."""
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
