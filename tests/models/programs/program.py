"""The command line of every program here: ``WORKFLOW CELL COMMAND [EXCHANGE]``.

Import it first: it puts the folder WORKFLOW on the path, where `measure` lies.
"""

import json
import sys
from pathlib import Path

workflow, _cell, command, *exchange = sys.argv[1:]
sys.path.insert(0, workflow)

from measure.frameworks import Cell  # noqa: E402 (the path above is how it is found)

cell = Cell(**json.loads(_cell))
exchange = [Path(folder) for folder in exchange]
