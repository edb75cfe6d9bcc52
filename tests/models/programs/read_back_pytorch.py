"""Tasks that read the observed settings and a profile after a few steps of a cell."""

import numpy as np
from column import allocated, framework_of, loop_done, measured, work_done

from millistep.measure.conformance import FEW
from millistep.measure.frameworks import optimizers
from millistep.measure.frameworks.loops import Ticks
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


def changes_in_16_bits(cell):
    """Whether small updates change any scale, and any of the norms that show a training."""
    framework = framework_of(cell)
    torch = framework.torch
    torch.manual_seed(0)
    pairs = [(torch.nn.Linear(64, 64), torch.nn.LayerNorm(64)) for _ in range(FEW)]
    layers = [layer for pair in pairs for layer in pair]
    for layer in layers:
        layer.bias = None
    model = framework.model = torch.nn.Sequential(*layers).to(torch.bfloat16)
    optimizer = framework.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    scales = [p for p in model.parameters() if p.ndim == 1]
    before = framework.norms(FEW), [p.detach().clone() for p in scales]
    model(torch.randn(8, 64, dtype=torch.bfloat16)).square().mean().backward()
    optimizer.step()
    changed = [not torch.equal(p, old) for p, old in zip(scales, before[1], strict=True)]
    return {"scales": any(changed), "norms": framework.norms(FEW) != before[0]}


def profile(cell):
    """Names of the real profiler's annotations, number of events that compute besides them, and the
    operators that compute nothing.
    """
    framework = measured(cell)
    framework.begin_profile()
    framework.run(Ticks(2))
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
