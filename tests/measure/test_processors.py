"""Processors and memory that a run may use, by physical cores and its own control group."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from millistep.supervise import machine, processors

from ..shared import put

GIB = 2**30
V2 = "0::/system.slice/slurmstepd.scope/job_12/step_0\n"


@pytest.fixture
def topology_of(tmp_path, monkeypatch):
    """``topology_of(*cores)``: the topology of a machine whose cores have these processors."""

    def make(*cores: tuple[int, ...]):
        for core in cores:
            for processor in core:
                siblings = tmp_path / f"cpu{processor}/topology/thread_siblings_list"
                put(siblings, ",".join(map(str, core)) + "\n")
        every = {processor for core in cores for processor in core}
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: every)
        return tmp_path

    return make


def test_a_quota_of_processor_time_is_a_limit(topology_of, tmp_path):
    topology = topology_of(*((number,) for number in range(8)))
    put(tmp_path / "proc/self/cgroup", "0::/\n")
    quotas = {"200000 100000": (2, 2), "50000 100000": (1, 1), "max 100000": (7, 8)}
    for quota, (auto, physical) in quotas.items():
        put(tmp_path / "sys/fs/cgroup/cpu.max", quota)
        assert processors.auto(topology, tmp_path) == auto
        assert processors.physical(topology, tmp_path) == physical


APART, NEXT = ((0, 4), (1, 5), (2, 6), (3, 7)), ((0, 1), (2, 3), (4, 5), (6, 7))


@pytest.mark.parametrize("cores", [APART, NEXT])
def test_a_run_gets_a_processor_of_each_core_first(topology_of, cores):
    topology = topology_of(*cores)
    run = processors.pinned(3, topology)
    assert [sum(p in core for p in run) for core in cores] == [0, 1, 1, 1]
    assert processors.beside(run, topology) == list(cores[0])
    run = processors.pinned(5, topology)
    assert sorted(sum(p in core for p in run) for core in cores) == [1, 1, 1, 2]
    assert not set(processors.beside(run, topology)) & set(run)


def test_a_machine_that_does_not_tell_has_a_core_per_processor(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {2, 3, 5})
    assert processors.cores(tmp_path) == [[2], [3], [5]]
    assert processors.beside([2, 3, 5], tmp_path) == [2, 3, 5]


@pytest.mark.usefixtures("every_processor")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the same for every example
@given(st.data())
def test_a_run_has_as_many_processors_as_threads_all_of_them_available(data):
    available = processors.available()
    threads = data.draw(st.integers(1, len(available)))
    run = processors.pinned(threads)
    assert len(set(run)) == threads
    assert set(run) <= set(available)
    assert processors.beside(run)


def test_small_cores_are_taken_last(topology_of, tmp_path):
    """Two fast cores of two processors each, then three small ones, as one vendor counts them."""
    topology = topology_of((0, 1), (2, 3), (4,), (5,), (6,))
    small = put(tmp_path / "cpu_atom/cpus", "4-5,6\n")
    assert processors.pinned(2, topology, small) == [0, 2]
    assert processors.pinned(4, topology, small) == [0, 2, 5, 6]
    assert processors.pinned(2, topology, tmp_path / "no such file") == [5, 6]


@pytest.fixture
def root(tmp_path):
    """``root(groups, files)``: a system with these; files by path from the mount."""

    def make(groups, files):
        put(tmp_path / "proc/self/cgroup", groups)
        for path, text in files.items():
            put(tmp_path / "sys/fs/cgroup" / path, text)
        return tmp_path

    return make


def test_the_least_of_the_jobs_groups_limits_it_and_no_other_jobs(root):
    job = "system.slice/slurmstepd.scope/job_12"
    v2 = {
        f"{job}/memory.max": "max\n",
        f"{job}/step_0/memory.max": f"{5 * GIB}\n",
        f"{job}/step_0/memory.events": "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n",
    }
    system = root(V2, v2)
    assert (machine.memory_limit_bytes(system), machine.oom_kills(system)) == (5 * GIB, 1)
    (system / f"sys/fs/cgroup/{job}/step_0/memory.max").write_text("max\n")
    assert machine.memory_limit_bytes(system) is None


def test_the_least_quota_of_processor_time_counts(root):
    v2 = {"system.slice/cpu.max": "300000 100000\n", f"{V2[4:-1]}/cpu.max": "max 100000\n"}
    system = root(V2, v2)
    assert machine.processor_time(system) == 3
    assert machine.cpu_stats(system) == [str(system / "sys/fs/cgroup/system.slice/cpu.stat")]


@pytest.mark.parametrize("group", ["/", "/docker/abc", "/../../other"])
def test_a_container_has_the_limit_of_what_it_sees(root, group):
    assert machine.memory_limit_bytes(root(f"0::{group}\n", {"memory.max": "77\n"})) == 77


def test_where_nothing_is_told_the_machine_is_the_limit(tmp_path, monkeypatch):
    assert machine.memory_limit_bytes(tmp_path) is None
    assert machine.processor_time(tmp_path) is None
    assert machine.oom_kills(tmp_path) is None
    put(tmp_path / "proc/vmstat", "pswpin 3\noom_kill 5\n")
    assert machine.oom_kills(tmp_path) == 5
    put(tmp_path / "sys/fs/cgroup/memory.events", "oom_kill 0\n")
    assert machine.oom_kills(tmp_path) == 0
    for limit_bytes in (None, GIB):
        monkeypatch.setattr(machine, "memory_limit_bytes", lambda limit=limit_bytes: limit)
        assert (machine.memory_mib_total() == 1024) == (limit_bytes == GIB)
        assert (machine.memory_limit_mib("auto") == int(0.9 * 1024)) == (limit_bytes == GIB)
    assert machine.memory_limit_mib("1.5") == 1536
