"""Run in any framework's environment: what its card says after a few steps of a cell.

python read_back_keras.py WORKFLOW CELL card
python read_back_pytorch.py WORKFLOW CELL profile
"""

import json
import os

from program import cell

from measure import frameworks
from measure.card import parity
from measure.protocol import PROTOCOLS
from measure.timer import Timer

framework = frameworks.create(cell)


def card():
    """The card, and what the framework makes of the policy for a device's memory."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: cell.threads])
    _measured()
    found = parity(framework, {"images_per_step": None})
    print(json.dumps({**found, "memory_fraction": _memory_fraction()}))


def profile():
    """What the real profiler calls an annotation, and how many events compute beside them; which
    operators compute nothing.
    """
    from measure.frameworks.torch_profile import computing, computing_nothing, recorded_events

    _measured()
    framework.begin_profile()
    ticks = iter([False, False, True])
    framework._loop(cell.batch_size)(lambda: next(ticks))
    framework.end_profile()
    events = recorded_events(framework._profile)
    host = framework.torch.autograd.DeviceType.CPU
    named = [event for event in events if event.is_user_annotation]
    names = {event.name for event in events if event.name.startswith("aten::")}
    # As if the processor were a GPU: everything on it, but for the ranges.
    found = {
        "annotations": sorted({event.name for event in named}),
        "events": len(events),
        "named": len(named),
        "computing": len(computing(events, host)),
        "nothing": sorted(computing_nothing(framework.torch, names)),
        "something": sorted(names - computing_nothing(framework.torch, names)),
        "as_pytorch_has_them": _spans(events) == _spans(framework._profile.events()),
    }
    print(json.dumps(found))


def _spans(events):
    """What computes, to the nanosecond."""
    from measure.frameworks.torch_profile import computing

    found = [(round(s.start), round(s.end), s.name, s.lane[1]) for s in computing(events)]
    return sorted(found)


def _measured():
    framework.load()
    framework.build()
    framework.run(Timer(PROTOCOLS["smoke"], framework.fence, framework.compilations))


def _memory_fraction():
    if cell.framework != "keras3-jax":
        return None
    from jaxlib.xla_client import generate_pjrt_gpu_plugin_options

    return generate_pjrt_gpu_plugin_options()["memory_fraction"]


COMMANDS = {"card": card, "profile": profile}
