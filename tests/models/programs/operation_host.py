"""An operation without a framework, in the cell's way, checked and timed."""

from column import framework_of

from measure.card import parity
from measure.operation import Operation
from measure.protocol import PROTOCOLS
from measure.timer import Timer


def checked(cell):
    """The record's operation, the card, and the number of programs compiled while it was timed."""
    framework = framework_of(cell)
    framework.build()
    timer = Timer(PROTOCOLS["smoke"], framework.fence, framework.compilations)
    framework.run(timer)
    operation = Operation(framework.models, cell, cell.model)
    found = operation.checked() | operation.timed(PROTOCOLS["smoke"])
    card = parity(framework, {"images_per_step": None})
    return {"operation": found, "card": card, "compiled": timer.compilations_during}
