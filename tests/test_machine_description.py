"""The system description: of this machine, a simulated one and a simulated GPU; it names nobody."""

import getpass
import json
import os
import platform

from millistep.supervise import description, device, machine

from .measure import nvml
from .shared import put, valid


def made(tmp_path, *accelerators):
    description.write_description(tmp_path, accelerators, "auto")
    (path,) = tmp_path.glob("*.json")
    found = json.loads(path.read_text())
    path.unlink()
    return found


def test_the_card_of_this_machine_has_the_identity_of_its_records(tmp_path):
    card = made(tmp_path, "cpu")
    valid(card, "machine")
    assert card["ids"] == {"cpu": machine.summary(None)["id"]}
    listed = [fact for section in card["sections"] for fact in section["facts"]]
    facts = {fact["name"]: fact["value"] for fact in listed}
    assert facts["logical processors"] == str(os.cpu_count())
    assert facts["usable processors"] == str(len(os.sched_getaffinity(0)))
    assert "GPU" not in [section["title"] for section in card["sections"]]


def test_the_card_holds_every_device_of_the_plan(tmp_path, gpus):
    gpus(nvml.A100)
    for accelerators in (("cpu", "cuda"), ("cuda", "cpu")):
        card = made(tmp_path, *accelerators)
        valid(card, "machine")
        assert card["ids"] == {
            kind: machine.summary(device.chosen("auto") if kind == "cuda" else None)["id"]
            for kind in accelerators
        }
        assert len({*card["ids"].values()}) == 2
        assert {"Processor", "GPU"} <= {section["title"] for section in card["sections"]}


def test_a_card_that_is_broken_or_lacks_an_accelerator_is_written_again(tmp_path, gpus):
    gpus(nvml.A100)
    for accelerators in (["cpu"], ["cpu", "cuda"]):
        description.write_description(tmp_path, accelerators, "auto")
        (path,) = tmp_path.glob("*.json")
        assert [*json.loads(path.read_text())["ids"]] == accelerators
    before = path.stat()
    description.write_description(tmp_path, accelerators, "auto")
    assert path.stat() == before
    for broken in ("", "[]", "{}", path.read_text()[:100]):
        path.write_text(broken)
        description.write_description(tmp_path, accelerators, "auto")
        valid(json.loads(path.read_text()), "machine")


def test_the_card_names_nobody(tmp_path):
    text = json.dumps(made(tmp_path, "cuda")).lower()
    assert platform.node().lower() not in text.replace('"', " ").split()
    if len(getpass.getuser()) > 4:  # "root" is a word of its own
        assert getpass.getuser().lower() not in text
    assert "uuid" not in text
    assert "serial" not in text


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
    "proc/self/cgroup": "0::/job",
    "sys/fs/cgroup/cpu.max": "max 100000",
    "sys/fs/cgroup/job/cpu.max": "150000 100000",
    "sys/fs/cgroup/memory.max": str(2**33),
    "run/systemd/container": "lxc",
}


FACTS = {
    "sockets": "2",
    "microcode": "0x2b",
    "instruction sets": "avx2, fma",
    "simultaneous multithreading": "on",
    "turbo": "off",
    "governor": "powersave",
    "frequency driver": "intel_pstate",
    "L1d": "48K, CPUs 0",
    "L3": "32M, CPUs 0-7,16-23",
    "vulnerabilities": "1 mitigation, 2 not affected",
    "NUMA nodes": "2 (node0: 0-7; node1: 8-15)",
    "transparent huge pages": "madvise",
    "operating system": "Debian GNU/Linux 12 (bookworm)",
    "virtual machine": "yes",
    "firmware": "QEMU Standard PC",
    "container": "lxc",
}


def test_facts_of_a_made_up_machine(tmp_path):
    for path, content in SYSTEM.items():
        put(tmp_path / path, f"{content}\n")
    sections = description.sections(tmp_path)
    facts = {name: value for section in sections.values() for name, value in section.items()}
    assert FACTS.items() <= facts.items()
    (tmp_path / "sys/class/dmi/id/product_name").write_bytes(b"PC\xff")
    assert "PC\ufffd" in json.dumps(description.sections(tmp_path), ensure_ascii=False)
    limits = sections["Limits of this process"]
    assert (limits["processor time"], limits["memory"]) == ("1.5 processors", "8.0 GiB")
    assert "S123" not in json.dumps(sections)
    for limit in ("job/cpu.max", "memory.max"):
        (tmp_path / "sys/fs/cgroup" / limit).unlink()
    limits = description.sections(tmp_path)["Limits of this process"]
    assert (limits["processor time"], limits["memory"]) == ("not limited", "not limited")


def test_a_machine_that_tells_nothing_still_has_a_card(tmp_path, monkeypatch):
    sections = description.sections(tmp_path)
    assert sections["Caches"] == {}
    assert sections["Clocks"]["governor"] is None
    assert sections["Limits of this process"]["memory"] == "not limited"
    monkeypatch.setattr(description.psutil, "cpu_count", lambda logical: None)
    card = made(tmp_path, "cpu")
    assert "None" not in [f["value"] for section in card["sections"] for f in section["facts"]]
