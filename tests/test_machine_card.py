"""The machine's card: of this machine, of one made up, of a fake GPU; and of nobody."""

import getpass
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from machine_card import gpu, host
from supervise import machine

from .measure import nvidia_smi

ROOT = Path(__file__).parents[1]
SCHEMA = json.loads((ROOT / "workflow/schemas/machine.schema.json").read_text())


def write(root, files):
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{content}\n")


def made(tmp_path, *accelerators):
    path = tmp_path / "machine.json"
    command = [sys.executable, "-s", "-m", "machine_card", "--accelerators", *accelerators]
    done = subprocess.run(
        [*command, "--output", str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "workflow")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text())


def test_the_card_of_this_machine_has_the_identity_of_its_records(tmp_path):
    card = made(tmp_path, "cpu")
    jsonschema.validate(card, SCHEMA)
    assert card["ids"] == {"cpu": machine.card("cpu")["id"]}
    facts = {
        fact["name"]: fact["value"] for section in card["sections"] for fact in section["facts"]
    }
    assert facts["logical processors"] == str(os.cpu_count())
    assert facts["usable processors"] == str(len(os.sched_getaffinity(0)))
    assert "GPU" not in [section["title"] for section in card["sections"]]


def test_the_card_holds_every_device_of_the_plan(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", nvidia_smi.install(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    for accelerators in (("cpu", "cuda"), ("cuda", "cpu")):
        card = made(tmp_path, *accelerators)
        jsonschema.validate(card, SCHEMA)
        assert card["ids"] == {kind: machine.card(kind)["id"] for kind in accelerators}
        assert len({*card["ids"].values()}) == 2
        assert {"Processor", "GPU"} <= {section["title"] for section in card["sections"]}


def test_without_psutil_only_what_it_tells_is_unknown(monkeypatch):
    complete = host.sections()
    monkeypatch.setattr(host, "psutil", None)
    facts = host.sections()
    assert {title: {*found} for title, found in facts.items() if title != "Clocks"} == {
        title: {*found} for title, found in complete.items() if title != "Clocks"
    }
    assert facts["Processor"]["logical processors"] == str(os.cpu_count())
    assert facts["Processor"]["model"] == complete["Processor"]["model"]
    assert facts["Memory"]["memory"] == complete["Memory"]["memory"]
    assert facts["Processor"]["physical cores"] is None
    assert facts["Memory"]["available now"] is None


def test_the_card_names_nobody(tmp_path):
    text = json.dumps(made(tmp_path, "cuda")).lower()
    assert platform.node().lower() not in text.replace('"', " ").split()
    if len(getpass.getuser()) > 4:  # "root" is a word of its own
        assert getpass.getuser().lower() not in text
    assert "uuid" not in text
    assert "serial" not in text


def test_a_gpu_that_cannot_be_asked_says_why(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)  # as where it is not installed
    facts = gpu.facts("0")
    assert facts["model"] is None
    assert "pynvml" in facts["trouble"]


SYSTEM = {
    "proc/cpuinfo": (
        "processor\t: 0\nphysical id\t: 0\nmicrocode\t: 0x2b\nflags\t\t: fpu avx2 fma hypervisor\n"
        "processor\t: 1\nphysical id\t: 1\n"
    ),
    "etc/os-release": 'NAME=x\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"',
    "sys/class/dmi/id/sys_vendor": "QEMU",
    "sys/class/dmi/id/product_name": "Standard PC",
    "sys/class/dmi/id/product_serial": "S123",
    "sys/devices/system/cpu/smt/active": "1",
    "sys/devices/system/cpu/intel_pstate/no_turbo": "1",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver": "intel_pstate",
    "sys/devices/system/cpu/cpu0/cache/index0/level": "1",
    "sys/devices/system/cpu/cpu0/cache/index0/type": "Data",
    "sys/devices/system/cpu/cpu0/cache/index0/size": "48K",
    "sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list": "0",
    "sys/devices/system/cpu/cpu0/cache/index3/level": "3",
    "sys/devices/system/cpu/cpu0/cache/index3/type": "Unified",
    "sys/devices/system/cpu/cpu0/cache/index3/size": "32M",
    "sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list": "0-7,16-23",
    "sys/devices/system/cpu/vulnerabilities/meltdown": "Mitigation: PTI",
    "sys/devices/system/cpu/vulnerabilities/l1tf": "Not affected",
    "sys/devices/system/cpu/vulnerabilities/mds": "Not affected",
    "sys/devices/system/node/node0/cpulist": "0-7",
    "sys/devices/system/node/node1/cpulist": "8-15",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "sys/fs/cgroup/cpu.max": "150000 100000",
    "sys/fs/cgroup/memory.max": str(2**33),
    "run/systemd/container": "lxc",
}


def test_facts_of_a_made_up_machine(tmp_path):
    write(tmp_path, SYSTEM)
    sections = host.sections(tmp_path)
    facts = {name: value for section in sections.values() for name, value in section.items()}
    assert facts["sockets"] == "2"
    assert facts["microcode"] == "0x2b"
    assert facts["instruction sets"] == "avx2, fma"
    assert facts["simultaneous multithreading"] == "on"
    assert facts["turbo"] == "off"
    assert (facts["governor"], facts["frequency driver"]) == ("powersave", "intel_pstate")
    assert facts["L1d"] == "48K, of one processor"
    assert facts["L3"] == "32M, shared by 16 processors"
    assert facts["vulnerabilities"] == "1 mitigation, 2 not affected"
    assert facts["NUMA nodes"] == "2 (node0: 0-7; node1: 8-15)"
    assert facts["transparent huge pages"] == "madvise"
    assert facts["operating system"] == "Debian GNU/Linux 12 (bookworm)"
    assert facts["virtualisation"] == "virtual machine (QEMU Standard PC)"
    assert facts["container"] == "lxc"
    assert sections["Limits of this process"]["processor time"] == "1.5 processors"
    assert sections["Limits of this process"]["memory"] == "8.0 GiB"
    assert "S123" not in json.dumps(sections)


def test_a_machine_that_tells_nothing_still_has_a_card(tmp_path):
    sections = host.sections(tmp_path)
    assert sections["Caches"] == {}
    assert sections["Clocks"]["governor"] is None
    assert sections["Limits of this process"]["memory"] is None


@pytest.mark.parametrize(
    ("files", "time", "memory"),
    [
        ({"cpu.max": "max 100000", "memory.max": "max"}, "not limited", "not limited"),
        (
            {
                "cpu/cpu.cfs_quota_us": "-1",
                "cpu/cpu.cfs_period_us": "100000",
                "memory/memory.limit_in_bytes": "9223372036854771712",
            },
            "not limited",
            "not limited",
        ),
        (
            {"cpu/cpu.cfs_quota_us": "200000", "cpu/cpu.cfs_period_us": "100000"},
            "2 processors",
            None,
        ),
    ],
)
def test_limits_of_both_versions_of_control_groups(tmp_path, files, time, memory):
    write(tmp_path, {f"sys/fs/cgroup/{name}": content for name, content in files.items()})
    limits = host.limits(tmp_path)
    assert (limits["processor time"], limits["memory"]) == (time, memory)


class FakeNvml:
    """NVML of one GPU that answers some questions and refuses the others."""

    NVML_CLOCK_SM, NVML_CLOCK_MEM = 1, 2

    def __getattr__(self, name):
        if not name.startswith("nvml"):
            raise AttributeError(name)

        def refused(*arguments):
            raise RuntimeError("Not Supported")

        return refused

    def nvmlInit(self):
        pass

    def nvmlDeviceGetHandleByIndex(self, index):
        return "gpu"

    def nvmlDeviceGetName(self, device):
        return b"NVIDIA A100-SXM4-40GB"

    def nvmlSystemGetCudaDriverVersion(self):
        return 12040

    def nvmlDeviceGetCudaComputeCapability(self, device):
        return [8, 0]

    def nvmlDeviceGetClockInfo(self, device, clock):
        return {1: 1410, 2: 1215}[clock]

    def nvmlDeviceGetEccMode(self, device):
        return [1, 1]

    def nvmlDeviceGetEnforcedPowerLimit(self, device):
        return 400_000


def test_facts_of_a_gpu_and_what_it_does_not_tell(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", FakeNvml())
    facts = gpu.facts("0")
    assert facts["model"] == "NVIDIA A100-SXM4-40GB"
    assert facts["CUDA of the driver"] == "12.4"
    assert facts["compute capability"] == "8.0"
    assert (facts["SM clock now"], facts["memory clock now"]) == ("1410 MHz", "1215 MHz")
    assert (facts["ECC"], facts["power limit"]) == ("on", "400 W")
    assert facts["persistence mode"] is None
