"""Compares what records say about a device with what else can be asked.

    python3 benchmarks/device_facts.py --accelerator cuda --scale paper --models bert sam

measures each cell a few seconds and prints how its steps are fed and with how many bytes; the
framework's own peak beside what the driver saw its process hold, and what it may take; and the
share of a step in which nothing computes, with PyTorch's named ranges left out as in the record,
and counted as computing.
"""

import copy
import json
import os
import sys

from cells import asked, framework_of, last_line_inside, parser, planned, title


def main():
    options = parser(__doc__, "smoke")
    options.add_argument("--accelerator", default="cpu", choices=["cpu", "cuda"])
    options = asked(options, inside)
    wanted = (options.models, options.columns, options.tasks)
    changes = {"accelerator": options.accelerator, "interpreters": dict(options.interpreter)}
    plan, runs = planned(options.scale, *wanted, **changes)
    for run in runs:
        said, held = watched(plan, run)
        print(f"{title(run)}\n  {said}\n  held by the driver's count: {held}", flush=True)


def watched(plan, run):
    """The run's own facts, and the most device memory of its process, as sampled beside it."""
    from supervise.device import ORDER, VISIBLE
    from supervise.monitor import Monitor
    from supervise.preconditions import visible_device
    from supervise.processors import pinned

    identity = json.loads(run.identity)
    gpu = visible_device(identity)
    if gpu is not None:
        os.environ.update({VISIBLE: gpu, ORDER: "PCI_BUS_ID"})
    processors = pinned(identity["threads"])
    with Monitor(sys.executable, processors, gpu, 0.2, identity["variables"]) as monitor:
        said = last_line_inside(plan, run, __file__)
    readings = [sample["gpu"] for sample in monitor.samples if sample["gpu"]]
    held = [mib for reading in readings if (mib := reading["process_memory_mib"]) is not None]
    return said, f"{max(held):.0f} MiB" if held else "nothing"


def inside(identity):
    """Measure a cell in this process, which runs in the framework's environment."""
    from measure.card import parity, peak_device
    from measure.operations import attributed
    from measure.profile import ProfileTimer, overhead_share
    from measure.protocol import PROTOCOLS
    from measure.timer import Timer

    framework = framework_of(identity)
    framework.load()
    framework.build()
    timer = Timer(
        PROTOCOLS["smoke"],
        framework.fence,
        framework.compilations,
        on_window=getattr(framework, "restart_peak_device", None),
    )
    framework.run(timer)
    card = parity(framework, {"images_per_step": None})
    facts = {
        "step_ms": timer.step_ns / 1e6,
        **{name: card[name] for name in ("device", "feeding", "fed_bytes_per_step")},
        **peak_device(framework),
        "device_limit_mib": framework.device_limit_mib(),
    }
    profiled = ProfileTimer(
        framework.fence, framework.begin_profile, framework.end_profile, timer.step_ns
    )
    framework.run(profiled)
    spans = {"nothing_computes": profiled.computing[-1]}  # of the last block
    if hasattr(framework, "_profile"):
        spans["with_ranges_as_computing"] = with_ranges(framework)
    for name, found in spans.items():
        facts[name] = overhead_share(attributed(found), profiled.profiled_ns[-1])
    return json.dumps(facts)


def with_ranges(framework):
    """Spans of PyTorch's last profile that compute, if ranges on the device were operations."""
    from measure.frameworks.torch_profile import computing

    events = [copy.copy(event) for event in framework._profile.events()]
    for event in events:
        event.is_user_annotation = False
    cuda = framework.cell.accelerator == "cuda"
    return computing(events, framework.torch.autograd.DeviceType.CUDA if cuda else None)


if __name__ == "__main__":
    main()
