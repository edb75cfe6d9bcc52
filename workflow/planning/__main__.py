"""Plan, bundle or check a configuration, write tables of the documentation, answer a pull request.

python3 workflow/planning {plan,bundle,check,settings,rows,answer} ...
"""

import argparse
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from planning import (  # noqa: E402 (the path above finds them)
    answer,
    check_file,
    write_bundle,
    write_plan,
    write_rows,
    write_settings,
)

COMMANDS = {
    "plan": write_plan.main,
    "bundle": write_bundle.main,
    "check": check_file.main,
    "settings": write_settings.main,
    "rows": write_rows.main,
    "answer": answer.main,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=COMMANDS)
    command = parser.parse_args(sys.argv[1:2]).command
    del sys.argv[1]
    try:
        sys.exit(COMMANDS[command]())
    except KeyboardInterrupt:
        sys.exit(130)
