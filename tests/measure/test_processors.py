"""Which processors a run gets: one of each physical core first, the first core last."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from millistep.supervise import processors

from ..shared import put


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """``machine(*cores)``: a machine whose cores have these processors; returns its topology."""

    def make(*cores: tuple[int, ...]):
        for core in cores:
            for processor in core:
                siblings = tmp_path / f"cpu{processor}/topology/thread_siblings_list"
                put(siblings, ",".join(map(str, core)) + "\n")
        every = {processor for core in cores for processor in core}
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: every)
        return tmp_path

    return make


def test_a_quota_of_processor_time_is_a_limit(machine, tmp_path):
    topology = machine(*((number,) for number in range(8)))
    put(tmp_path / "proc/self/cgroup", "0::/\n")
    quotas = {"200000 100000": (2, 2), "50000 100000": (1, 1), "max 100000": (7, 8)}
    for quota, (auto, physical) in quotas.items():
        put(tmp_path / "sys/fs/cgroup/cpu.max", quota)
        assert processors.auto(topology, tmp_path) == auto
        assert processors.physical(topology, tmp_path) == physical


APART, NEXT = ((0, 4), (1, 5), (2, 6), (3, 7)), ((0, 1), (2, 3), (4, 5), (6, 7))


@pytest.mark.parametrize("cores", [APART, NEXT])
def test_a_run_gets_a_processor_of_each_core_first(machine, cores):
    topology = machine(*cores)
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


def test_small_cores_are_taken_last(machine, tmp_path):
    """Two fast cores of two processors each, then three small ones, as one vendor counts them."""
    topology = machine((0, 1), (2, 3), (4,), (5,), (6,))
    small = put(tmp_path / "cpu_atom/cpus", "4-5,6\n")
    assert processors.pinned(2, topology, small) == [0, 2]
    assert processors.pinned(4, topology, small) == [0, 2, 5, 6]
    assert processors.pinned(2, topology, tmp_path / "no such file") == [5, 6]
