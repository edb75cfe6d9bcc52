"""Planning on machines with GPUs that a simulated driver describes: which one, what driver."""

import json
import sys

from millistep.deploy.environments import post_deploy
from millistep.planning import this_machine
from millistep.planning.plan import Plan
from millistep.planning.this_machine import OLDEST_DRIVER, cuda_version
from millistep.supervise import device, processors

from ..measure.nvml import A100, uuid
from ..nets import NETS
from . import records
from .test_config import BERT, ROOT, plan, refused

T400, H200 = "NVIDIA T400 4GB", "NVIDIA H200"
ON_CUDA_13 = [name for name, framework in NETS.items() if framework.library == "torch"]


def planned(accelerator="auto", **options):
    return plan(models=BERT, accelerator=accelerator, **options)


def identities(made):
    return [json.loads(run.identity) for run in made.runs]


def test_every_locked_cuda_has_a_driver_that_it_needs():
    definitions = {f.environment for f in NETS.values()}
    locks = {name: post_deploy(ROOT / "envs/2026-11/cuda" / f"{name}.yaml") for name in definitions}
    assert {cuda_version(lock)[0] for lock in locks.values()} <= OLDEST_DRIVER.keys()
    assert cuda_version(post_deploy(ROOT / "envs/2026-11/cpu/pytorch.yaml")) is None


def test_columns_whose_cuda_the_driver_cannot_run_are_named_and_the_others_go_on(gpus):
    gpus(A100, driver="550.54.15")
    made = planned()
    reason = "the NVIDIA driver is 550.54.15, CUDA 13.0 needs 580.65.06 or newer"
    assert made.notices == [f"{reason}: not measured are {', '.join(ON_CUDA_13)}"]
    cells = made.document()["cells"]
    barred = {cell["column"] for cell in cells if cell["unsupported"]}
    assert barred == set(ON_CUDA_13)
    assert {c["unsupported"] for c in cells if c["column"] in barred} == {reason}
    assert {run.column.name for run in made.runs} == set(NETS) - barred
    # Nothing is deployed for them, and the reference workload takes a library that can run.
    needed = {NETS[name].environment for name in NETS.keys() - barred}
    assert {environment.name for environment in made.environments} == needed
    assert made.controls.known_steps.column.name == "keras3-tensorflow"
    assert {run.column.name for run in made.controls.again} == {"keras3-jax"}
    # An interpreter of the user's own is not judged by the lock.
    made = planned(interpreters={"keras3-torch": "/opt/python"})
    assert "keras3-torch" in {run.column.name for run in made.runs}
    assert "keras3-torch" not in made.notices[0]


def test_a_lost_gpu_hides_no_other(gpus, monkeypatch):
    gpus(A100, "NVIDIA H200")
    import pynvml

    known = pynvml.nvmlDeviceGetName

    def name(gpu):
        if "A100" in known(gpu):
            raise pynvml.NVMLError("GPU is lost")
        return known(gpu)

    monkeypatch.setattr(pynvml, "nvmlDeviceGetName", name)
    assert [gpu.model for gpu in device.gpus()] == ["NVIDIA H200"]


def test_a_driver_that_is_too_old_for_all_bars_everything(gpus):
    gpus(A100, driver="580.65.06")
    assert (planned().notices, planned().unsupported) == ([], {})
    gpus(A100, driver="470.82.01")
    made = planned()
    assert (made.runs, len(made.notices)) == ([], 2)


def test_without_the_package_that_finds_gpus_a_start_ends_in_one_line(monkeypatch):
    device.gpus.cache_clear()
    monkeypatch.setitem(sys.modules, "pynvml", None)
    refused(["accelerator: auto", "needs the package nvidia-ml-py"], planned)
    assert planned("cpu").runs


def test_which_gpu_is_part_of_an_identity_as_it_was_asked_for_and_must_be_visible(gpus):
    gpus(T400, H200)
    made = planned(scale="auto")
    assert made.gpu.name == H200
    assert (made.accelerator, made.scale) == ("cuda", "paper")
    assert {i["device"] for i in identities(made)} == {"auto"}
    small = planned(scale="auto", device=0)
    assert (small.gpu.name, small.scale) == (T400, "laptop")
    assert {i["device"] for i in identities(small)} == {0}
    text = json.dumps([made.document(), records.identities(made)])
    assert "GPU-" not in text
    assert {i["device"] for i in identities(planned(device=uuid(1)))} == {uuid(1)}
    assert json.loads(made.controls.known_steps.identity)["device"] == "auto"
    words = f"device: 2 is not a visible GPU; allowed are auto, 0 ({T400}), 1 ({H200})"
    refused([words], planned, device=2)


def test_a_gpu_that_does_not_tell_its_memory_is_measured_at_laptop(gpus):
    gpus("NVIDIA GB10")
    made = planned(scale="auto")
    assert (made.accelerator, made.scale) == ("cuda", "laptop")
    assert "is unknown" in made.scale_reason


def test_cuda_costs_nothing_where_there_is_none_and_can_be_planned_for_elsewhere(gpus):
    gpus(A100, broken=True)
    made = planned(accelerator="cuda", device=3)
    assert made.accelerator == "cuda"
    assert set(made.unsupported.values()) == {"no NVIDIA GPU was found here"}
    words = ["accelerator: no NVIDIA GPU was found here, so none"]
    refused(words, lambda: this_machine.check_device(made))
    this_machine.check_device(plan(models=BERT, accelerator="cpu"))
    assert made.runs == []
    elsewhere = planned(here=False, accelerator="cuda", device=3, threads=2)
    assert elsewhere.unsupported == {}
    assert {i["device"] for i in identities(elsewhere)} == {3}


def test_a_plan_for_nodes_asks_nothing_of_the_machine_that_it_is_made_on(gpus, monkeypatch):
    said = {"accelerator": "cuda", "scale": "paper", "threads": 9999}
    gpus(broken=True)
    without = planned(here=False, **said)
    gpus(A100, driver="390.1")
    asked = []
    monkeypatch.setattr("millistep.planning.plan.chosen", lambda *names: asked.append(names))
    monkeypatch.setattr(processors, "available", lambda: asked.append("processors"))
    beside = planned(here=False, **said)
    this_machine.check(beside)
    assert beside.document() == without.document()
    assert records.identities(beside) == records.identities(without)
    assert beside.notices == asked == []


def test_what_would_be_taken_from_the_machine_that_plans_is_one_line():
    said = {"accelerator": "auto", "scale": "smoke", "threads": "auto"}
    words = "accelerator: auto, threads: auto would be resolved on this machine, but"
    refused(["configuration: " + words, "--config scale=paper"], here=False, models=BERT, **said)


def test_a_node_plans_the_same_runs_whatever_auto_is_there():
    whole = plan(threads="auto")
    again = Plan(json.loads(json.dumps(whole.resolved())))
    assert again.config.threads == whole.threads
    assert [run.identity for run in again.runs] == [run.identity for run in whole.runs]


def test_environment_variables_are_part_of_every_identity_and_of_the_checks():
    plain, made = plan(models=BERT), plan(models=BERT, environment={"XLA_FLAGS": "--x"})
    for identity in [*records.identities(made).values()]:
        assert json.loads(identity)["variables"] == {"XLA_FLAGS": "--x"}
    assert not set(records.identities(plain).values()) & set(records.identities(made).values())
    reordered = [{"B_1": "x", "A_1": "y"}, {"A_1": "y", "B_1": "x"}]
    first, second = (records.identities(plan(models=BERT, environment=e)) for e in reordered)
    assert first == second


def test_more_threads_than_the_quota_of_cpu_time_are_one_line(monkeypatch):
    monkeypatch.setattr(processors, "available", lambda: [0, 1, 2, 3])
    monkeypatch.setattr(processors, "within_the_quota", lambda threads: min(threads, 2))
    words = ["threads: 3 is more than the CPU time of this container's quota", "allowed are 1 to 2"]
    refused(words, lambda: this_machine.check_processors(plan(models=BERT, threads=3)))
    this_machine.check_processors(plan(models=BERT, threads=2))
