"""The harness reads simulated machines through nvidia-smi and NVML, like real ones."""

import contextlib
import json
import os
import struct
import subprocess
import sys

import pytest

from millistep.supervise import device
from tests.shared import ROOT

from . import harness
from .conftest import completed

A100_80, H100 = "NVIDIA A100-SXM4-80GB (stand-in)", "NVIDIA H100 80GB HBM3 (stand-in)"
FACTS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from millistep.supervise import description, monitor
print(json.dumps([description.gpu_facts(sys.argv[2]), monitor.Gpu(sys.argv[2]).reading()]))
"""
# Holds memory of the first visible device until it is told to end.
HOLDER = """
import ctypes, sys
cuda, pointer = ctypes.CDLL("libcudart.so.13"), ctypes.c_void_p()
print(cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(int(sys.argv[1]))), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def on(machine):
    """``on(...)``: put this process on a machine with these settings, as the supervisor is."""
    with contextlib.ExitStack() as stack:
        yield lambda **settings: stack.enter_context(harness.on(machine(**settings)))


def facts_of(machine, name):
    """The system description's facts of a GPU and one sample of the monitor."""
    done = completed([sys.executable, "-c", FACTS, str(ROOT / "workflow"), name], machine)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_card_of_a_machine_with_two_gpus(on):
    machine = on(devices="a100-80gb h100", driver="570.86.15 12080")
    first, second = device.visible()
    assert (first.name, first.memory_mib, first.driver) == (A100_80, 81920, "570.86.15")
    assert (second.index, second.name) == (1, H100)
    assert device.chosen(second.uuid) == device.chosen(1) == second
    clock = ["--query-gpu=clocks.max.sm", "--format=csv,noheader,nounits"]  # as Triton asks for it
    assert completed(["nvidia-smi", "-i", "1", *clock], machine).stdout == "1980\n"
    card, reading = facts_of(machine, second.uuid)
    assert card["model"] == H100 and card["driver"] == "570.86.15"
    assert (card["CUDA of the driver"], card["compute capability"]) == ("12.8", "9.0")
    assert (card["memory"], card["memory in use"]) == ("80.0 GiB", "0.0 GiB")
    assert (card["SM clock at most"], card["GPUs in the machine"]) == ("1980 MHz", "2")
    assert (card["power limit"], card["multi-instance mode"]) == ("700 W", "off")
    assert reading["utilization_percent"] == 0 and reading["foreign_processes"] == 0


def test_a_run_on_an_instance_of_a_divided_gpu(on):
    machine = on(devices="a100-40gb", mig="1g.5gb")
    (part,) = device.visible()
    assert part.uuid.startswith("MIG-") and part.memory_mib == 5 * 1024
    assert part.name == "NVIDIA A100-SXM4-40GB (stand-in) MIG 1g.5gb"
    card, reading = facts_of(machine, part.uuid)
    assert card["model"] == part.name
    assert (card["memory"], card["multi-instance mode"]) == ("5.0 GiB", "on")
    assert reading["utilization_percent"] is None


def test_what_another_process_holds_is_seen_and_is_not_to_be_had(on):
    machine = on(devices="a100-40gb", memory_mib=1024)
    half = str(512 << 20)
    command = [sys.executable, "-c", HOLDER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, half], env=machine.environ(), **pipes) as holder:
        assert holder.stdout.readline() == "0\n"
        card, reading = facts_of(machine, device.chosen("auto").uuid)
        assert card["memory in use"] == "0.5 GiB"
        assert reading["free_memory_mib"] == 512
        # One process is always taken to be the run's own: here it is the other one.
        too_much = completed([*command, str(600 << 20)], machine)
        assert too_much.stdout == "2\n"  # cudaErrorMemoryAllocation
        holder.stdin.close()
    assert completed([*command, str(600 << 20)], machine).stdout == "0\n"


def test_who_was_killed_holds_nothing_though_another_process_has_its_number_now(on):
    machine = on(devices="a100-40gb", memory_mib=1024)
    command = [sys.executable, "-c", HOLDER, str(512 << 20)]
    with subprocess.Popen(
        command, env=machine.environ(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout.readline() == b"0\n"
        holder.kill()
    (left,) = machine.logs.glob("*.log")
    with open(left, "r+b") as log:
        log.write(struct.pack("q", os.getpid()))
    _, reading = facts_of(machine, device.chosen("auto").uuid)
    assert (reading["free_memory_mib"], reading["process_memory_mib"]) == (1024, None)


def test_devices_are_visible_as_the_caller_says(on):
    machine = on(devices="a100-40gb a100-40gb h100")
    program = """
import ctypes
cuda, number, name = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.create_string_buffer(99)
cuda.cuInit(0); cuda.cuDeviceGetCount(ctypes.byref(number)); cuda.cuDeviceGetName(name, 99, 0)
print(number.value, name.value.decode())
"""
    for visible, told in {
        "2": f"1 {H100}",
        device.visible()[2].uuid: f"1 {H100}",
        "2,1": f"2 {H100}",
        "2,7,1": f"1 {H100}",
        "": "0 ",
    }.items():
        done = completed([sys.executable, "-c", program], machine, CUDA_VISIBLE_DEVICES=visible)
        assert done.stdout.rstrip("\n") == told
