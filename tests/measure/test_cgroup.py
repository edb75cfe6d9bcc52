"""What a job may use is read from its own control group, as each version of Linux mounts it."""

import pytest

from supervise import cgroup, machine

from ..shared import put

GIB = 2**30
V1 = "4:memory:/slurm/uid_7/job_12/step_0\n2:cpuacct,cpu:/slurm\n0::/\n"
V1_MOUNTS = (
    "30 23 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    "31 23 0:27 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"
    "32 23 0:28 / /mnt rw - tmpfs  rw\n"
)
V2 = "0::/system.slice/slurmstepd.scope/job_12/step_0\n"
V2_MOUNTS = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"


@pytest.fixture
def root(tmp_path):
    """``root(groups, mounts, files)``: a system with these; files by path from the mounts."""

    def make(groups, mounts, files):
        contents = {"proc/self/cgroup": groups, "proc/self/mountinfo": mounts}
        contents |= {f"sys/fs/cgroup/{path}": text for path, text in files.items()}
        for path, text in contents.items():
            put(tmp_path / path, text)
        return tmp_path

    return make


def test_the_least_of_the_jobs_groups_limits_it_and_no_other_jobs(root):
    job = "memory/slurm/uid_7/job_12"
    v1 = {
        "memory/memory.limit_in_bytes": f"{2**63 - 4096}\n",
        f"{job}/memory.limit_in_bytes": f"{3 * GIB}\n",
        f"{job}/step_0/memory.limit_in_bytes": f"{4 * GIB}\n",
        f"{job}/step_0/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
        f"{job}/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n",
        "memory/slurm/uid_7/job_13/memory.limit_in_bytes": "1\n",
    }
    system = root(V1, V1_MOUNTS, v1)
    assert (cgroup.memory_limit_bytes(system), cgroup.oom_kills(system)) == (3 * GIB, 2)
    job = "system.slice/slurmstepd.scope/job_12"
    v2 = {
        f"{job}/memory.max": "max\n",
        f"{job}/step_0/memory.max": f"{5 * GIB}\n",
        f"{job}/step_0/memory.events": "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\n",
    }
    system = root(V2, V2_MOUNTS, v2)
    assert (cgroup.memory_limit_bytes(system), cgroup.oom_kills(system)) == (5 * GIB, 1)
    (system / f"sys/fs/cgroup/{job}/step_0/memory.max").write_text("max\n")
    assert cgroup.memory_limit_bytes(system) is None


def test_the_least_quota_of_processor_time_counts(root):
    v1 = {
        "cpu/cpu.cfs_quota_us": "-1\n",
        "cpu/cpu.cfs_period_us": "100000\n",
        "cpu/slurm/cpu.cfs_quota_us": "250000\n",
        "cpu/slurm/cpu.cfs_period_us": "100000\n",
    }
    assert cgroup.processor_time(root(V1, V1_MOUNTS, v1)) == 2.5
    v2 = {"system.slice/cpu.max": "300000 100000\n", f"{V2[4:-1]}/cpu.max": "max 100000\n"}
    assert cgroup.processor_time(root(V2, V2_MOUNTS, v2)) == 3


@pytest.mark.parametrize(
    ("groups", "mounts"),
    [
        ("0::/\n", V2_MOUNTS),  # the group is the root of its own namespace
        ("0::/docker/abc\n", V2_MOUNTS.replace(" / /sys", " /docker/abc /sys")),
        ("0::/../../other\n", V2_MOUNTS),
        ("0::/lxc/abc\n", V2_MOUNTS.replace(" / /sys", " /docker/abc /sys")),
    ],
)
def test_a_container_has_the_limit_of_what_it_sees(root, groups, mounts):
    assert cgroup.memory_limit_bytes(root(groups, mounts, {"memory.max": "77\n"})) == 77


def test_where_nothing_is_told_the_machine_is_the_limit(tmp_path, monkeypatch):
    assert cgroup.memory_limit_bytes(tmp_path) is None
    assert cgroup.processor_time(tmp_path) is None
    assert cgroup.oom_kills(tmp_path) is None
    (tmp_path / "vmstat").write_text("pswpin 3\noom_kill 5\n")
    monkeypatch.setattr(machine, "VMSTAT", tmp_path / "vmstat")
    for limit_bytes, kills, found in ((None, None, 5), (GIB, 0, 0)):
        monkeypatch.setattr(cgroup, "memory_limit_bytes", lambda limit=limit_bytes: limit)
        monkeypatch.setattr(cgroup, "oom_kills", lambda kills=kills: kills)
        assert machine.oom_kills() == found
        assert (machine.memory_mib_total() == 1024) == (limit_bytes == GIB)
        assert (machine.memory_limit_mib("auto") == int(0.9 * 1024)) == (limit_bytes == GIB)
    assert machine.memory_limit_mib("1.5") == 1536
