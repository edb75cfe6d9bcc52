"""What a job may use is read from its own control group."""

import pytest

from millistep.supervise import machine

from ..shared import put

GIB = 2**30
V2 = "0::/system.slice/slurmstepd.scope/job_12/step_0\n"


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
