"""Write the plan of a configuration, for the analysis and the progress line."""

import argparse
import json
import sys
from pathlib import Path

from deploy.environments import definition_sha256, write_atomically
from planning.config import ConfigError
from planning.plan import Plan


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="the whole configuration, as JSON")
    parser.add_argument("--envs", type=Path, required=True, help="definitions")
    parser.add_argument("--elsewhere", action="store_true", help="not measured on this machine")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    try:
        plan = Plan(
            json.loads(options.config), definition_sha256, options.envs, not options.elsewhere
        )
    except ConfigError as error:
        print(f"millistep: {error}", file=sys.stderr)
        return 1
    write_atomically(options.output, json.dumps(plan.document(), indent=1) + "\n")
    return 0
