"""Run in the environment without a framework: an operation in the cell's way, checked and timed.

python operation_host.py WORKFLOW CELL checked
"""

import json

from program import cell

from measure import frameworks
from measure.card import parity
from measure.operation import Operation
from measure.protocol import PROTOCOLS
from measure.timer import Timer

framework = frameworks.create(cell)
framework.load()
framework.build()
timer = Timer(PROTOCOLS["smoke"], framework.fence, framework.compilations)
framework.run(timer)
operation = Operation(framework.models, cell, cell.model)
found = operation.checked() | operation.timed(PROTOCOLS["smoke"])
card = parity(framework, {"images_per_step": None})
print(json.dumps({"operation": found, "card": card, "compiled": timer.compilations_during}))
