"""Run in the environment of a framework: does tasks one after the other.

python main.py WORKFLOW FOLDER < TASKS

The last line of what is printed has each task's result: ``value``, or ``failed`` with the reason.
"""

import json
import sys
import traceback
from importlib import import_module
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from millistep.measure import models  # found by that path
from millistep.measure.frameworks import Cell

models.__path__.append(f"{sys.argv[2]}/models")


def done(program, does, cell, folder):
    own = [Path(folder)] if folder else []
    for each in own:
        each.mkdir(exist_ok=True)
    try:
        return {"value": getattr(import_module(program), does)(Cell(**cell), *own)}
    except Exception:
        return {"failed": traceback.format_exc()[-3000:]}


print("\n" + json.dumps([done(**task) for task in json.load(sys.stdin)]))
