"""The harness reads simulated machines through NVML, like real ones."""

import contextlib
import json
import sys

import pytest

from millistep.supervise import device
from tests.shared import ROOT

from . import harness
from .conftest import completed

CLOCK = "--query-gpu=clocks.max.sm"  # as Triton asks for it
A100_80, H100 = "NVIDIA A100-SXM4-80GB (stand-in)", "NVIDIA H100 80GB HBM3 (stand-in)"
FACTS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from millistep.supervise import description, monitor
print(json.dumps([description.gpu_facts(sys.argv[2]), monitor.Gpu(sys.argv[2]).reading()]))
"""
# Holds memory of the first visible device until its input ends.
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
    assert completed(["nvidia-smi", "-i", "1", CLOCK], machine).stdout == "1980\n"
    card, reading = facts_of(machine, second.uuid)
    assert card["model"] == H100 and card["driver"] == "570.86.15"
    assert (card["CUDA of the driver"], card["compute capability"]) == ("12.8", "9.0")
    assert (card["memory"], card["memory in use"]) == ("80.0 GiB", "0.0 GiB")
    assert card["SM clock"].endswith("MHz now, 1980 MHz at most")
    assert card["GPUs in the machine"] == "2"
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
