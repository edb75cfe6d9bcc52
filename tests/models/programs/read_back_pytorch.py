"""Tasks that read the observed settings and a profile after a few steps of a cell."""

from column import allocated, framework_of, loop_done, measured, work_done

from millistep.measure.frameworks import optimizers
from millistep.measure.frameworks.torch_profile import computing, computing_nothing, recorded_events
from millistep.measure.observed import parity

__all__ = ["allocated", "loop_done", "work_done"]  # besides those below


def observed_settings(cell):
    return parity(measured(cell), {"images_per_step": cell.batch_size})


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
