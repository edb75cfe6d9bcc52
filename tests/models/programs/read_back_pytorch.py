"""Tasks that read the observed settings and a profile after a few steps of a cell."""

import numpy as np
from column import allocated, framework_of, loop_done, measured, work_done

from millistep.measure.frameworks import optimizers
from millistep.measure.frameworks.torch_profile import computing, computing_nothing, recorded_events
from millistep.measure.observed import parity
from millistep.measure.switches import changed

__all__ = ["allocated", "loop_done", "work_done"]  # besides those below


def observed_settings(cell):
    return parity(measured(cell), {"images_per_step": cell.batch_size})


def switches_left(cell):
    """The observed switches while each of these is left on, and after all."""
    torch = framework_of(cell).torch
    found = []
    for left_on in (
        torch.autograd.detect_anomaly(),
        torch.device("cpu"),
        torch.autograd.profiler.profile(),
        torch.backends.cudnn.flags(deterministic=True),
    ):
        with left_on:
            found.append(changed())
    return [*found, changed()]


def images_of_other_axes(cell):
    """The observed format of images, fed as they are and as a view with moved axes."""
    framework = framework_of(cell)
    framework.model = framework.torch.nn.Conv2d(3, 8, 3)
    found = []
    for images in (np.ones((2, 3, 8, 8), "float32"), np.ones((2, 8, 8, 3)).transpose(0, 3, 1, 2)):
        framework.fed_batch = {"images": images, "more": [np.ones(2)]}
        found.append(framework._image_data_format())
    return found


def update_of_matrices(cell):
    """How an optimizer updates that takes matrices alone."""
    torch = framework_of(cell).torch
    muon = torch.optim.Muon([torch.nn.Parameter(torch.ones(8, 4))])
    return optimizers.of_torch(torch, muon, "cpu")


def profile(cell):
    """Names of the real profiler's annotations, number of events that compute besides them, and the
    operators that compute nothing.
    """
    framework = measured(cell)
    framework.begin_profile()
    ticks = iter([False, False, True])
    framework._loop(cell.batch_size)(lambda: next(ticks))
    framework.end_profile()
    events = recorded_events(framework._profile)
    host = framework.torch.autograd.DeviceType.CPU
    named = [event for event in events if event.is_user_annotation]
    names = {event.name for event in events if event.name.startswith("aten::")}
    nothing = computing_nothing(framework.torch, names)
    # Counted as if the processor were a GPU: everything on it, except the ranges.
    return {
        "annotations": sorted({event.name for event in named}),
        "events": len(events),
        "named": len(named),
        "computing": len(computing(events, host)),
        "nothing": sorted(nothing),
        "something": sorted(names - nothing),
        "as_pytorch_has_them": _spans(events) == _spans(framework._profile.events()),
    }


def _spans(events):
    """Spans that compute, to the nanosecond."""
    found = [(round(s.start), round(s.end), s.name, s.lane[1]) for s in computing(events)]
    return sorted(found)
