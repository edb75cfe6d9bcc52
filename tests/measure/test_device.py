"""Which GPU is measured, on machines that a simulated driver describes."""

import json

import pytest

from millistep.supervise import device, machine, parent, preconditions
from millistep.supervise.monitor import Monitor

from .nvml import A100, PART_MIB, part, uuid

T400, H200 = "NVIDIA T400 4GB", "NVIDIA H200"


def wanted(asked="auto"):
    return {"accelerator": "cuda", "device": asked}


@pytest.mark.parametrize(
    ("visible", "asked", "index"),
    [
        (None, "auto", 0),
        (None, 2, 2),
        (None, uuid(1), 1),
        ("2,0", "auto", 2),
        ("2,0", 0, 0),
        ("GPU-1d5", "auto", 1),  # CUDA takes the start of a UUID
        (" 1 , 2", "auto", 1),
    ],
)
def test_one_gpu_the_same_for_card_monitor_and_process(gpus, visible, asked, index):
    gpus(A100, A100, A100, visible=visible)
    assert device.chosen(asked).index == index
    assert preconditions.visible_device(wanted(asked)) == uuid(index)
    assert machine.summary(device.chosen(asked))["accelerator_name"] == A100


@pytest.mark.parametrize("visible", ["", "-1", "7", "7,0", "NoDevFiles"])
def test_what_the_caller_hides_is_not_measured(gpus, visible):
    gpus(A100, A100, visible=visible)
    assert device.chosen("auto") is None
    assert machine.summary(device.chosen("auto"))["accelerator_name"] is None
    # The variable still hides all: "7" is as invalid for CUDA as it is here.
    assert preconditions.visible_device(wanted()) not in ("0", uuid(0), uuid(1))


@pytest.mark.parametrize(("visible", "asked"), [("0", 1), (None, 5), ("0", uuid(1))])
def test_a_gpu_that_is_not_visible_is_refused_with_those_that_are(gpus, visible, asked):
    gpus(A100, A100, visible=visible)
    words = rf"^device: {asked} is not a visible GPU; .* 0 \(NV"
    with pytest.raises(preconditions.Refused, match=words):
        preconditions.visible_device(wanted(asked))


def test_of_a_mixed_machine_the_one_with_the_most_memory_unless_told(gpus):
    gpus(T400, H200)
    assert device.chosen("auto").name == H200
    assert device.chosen(0).name == T400
    gpus(T400, H200, visible=f"{uuid(0)},{uuid(1)}")
    assert device.chosen("auto").name == T400


def test_numbers_that_mean_another_gpu_to_cuda_than_to_nvml_are_refused(gpus):
    gpus(T400, H200, visible="0")  # CUDA counts the fastest first, unless told otherwise
    with pytest.raises(device.NoSuchDevice, match="set CUDA_DEVICE_ORDER=PCI_BUS_ID"):
        device.chosen("auto")
    gpus(T400, H200, visible="0", pci=True)
    assert device.chosen("auto").name == T400


def test_an_instance_of_a_divided_gpu_has_its_own_uuid_and_memory(gpus):
    gpus(A100, A100, divided=[1])
    assert device.chosen("auto").uuid == uuid(0)
    first = device.chosen(1)
    assert (first.uuid, first.memory_mib) == (part(1, 0), PART_MIB)
    assert first.name == f"{A100} MIG 3g.20gb"
    gpus(A100, A100, divided=[1], visible=part(1, 1))
    assert preconditions.visible_device(wanted()) == part(1, 1)
    assert machine.summary(device.chosen("auto"))["accelerator_memory_mib"] == PART_MIB
    # CUDA_VISIBLE_DEVICES with the whole GPU's name gives CUDA its first instance.
    gpus(A100, A100, divided=[1], visible=uuid(1))
    assert preconditions.visible_device(wanted()) == part(1, 0)


def test_without_a_driver_there_is_no_gpu_to_describe(gpus):
    gpus(A100, broken=True)
    assert device.chosen("auto") is None
    # A container may have CUDA without NVML: the run is shown one GPU all the same.
    assert preconditions.visible_device(wanted()) == "0"
    assert preconditions.visible_device(wanted(3)) == "3"


def test_a_real_run_sees_the_gpu_that_its_record_and_its_monitor_name(gpus, run, monkeypatch):
    gpus(T400, A100, A100)
    sampled = []

    def watching(processors, gpu, interval_s):
        sampled.append(gpu)
        return Monitor(processors, gpu, interval_s)

    monkeypatch.setattr(parent, "Monitor", watching)
    record = run(changes={"accelerator": "cuda", "device": 2})
    seen = json.loads(record["parity"]["environ"])
    assert (seen["CUDA_VISIBLE_DEVICES"], seen["CUDA_DEVICE_ORDER"]) == (uuid(2), "PCI_BUS_ID")
    assert sampled == [uuid(2)]
    assert record["machine"]["accelerator_name"] == A100
    record = run(changes={"accelerator": "cpu", "device": None})
    assert json.loads(record["parity"]["environ"])["CUDA_VISIBLE_DEVICES"] == ""
    assert record["machine"]["accelerator_name"] is None
    assert sampled[1:] == [None]
