"""Run a program of the rules that measure: time something, or put together what was timed.

python3 workflow/supervise {cell,reference,alone,known_steps,self_test} ...
"""

import argparse
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from supervise import (  # noqa: E402 (the path above finds them)
    alone,
    cell,
    known_steps,
    reference,
    self_test,
)

COMMANDS = {
    "cell": cell.main,
    "reference": reference.main,
    "alone": alone.main,
    "known_steps": known_steps.main,
    "self_test": self_test.main,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=COMMANDS)
    command = parser.parse_args(sys.argv[1:2]).command
    del sys.argv[1]
    sys.exit(COMMANDS[command]())
