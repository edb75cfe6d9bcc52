"""Plan, bundle or check a configuration, check a model, answer a pull request, or bisect commits.

python3 workflow/planning {plan,bundle,check,check-model,answer,bisect} ...
"""

import argparse
import json
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from deploy.environments import (  # noqa: E402 (the path above finds them)
    definition_sha256,
    write_atomically,
)
from planning import answer, bisect, bundle, check_model  # noqa: E402
from planning.config import or_one_line, read_configuration  # noqa: E402
from planning.identity import WORKFLOW  # noqa: E402
from planning.plan import Plan  # noqa: E402

ABOUT = __doc__.partition("\n")[0]


def planned() -> tuple[Plan, Path]:
    """Return the plan that a rule needs, and the file to be made of it."""
    parser = argparse.ArgumentParser(description=ABOUT)
    parser.add_argument("--config", required=True, help="the whole configuration, as JSON")
    parser.add_argument("--elsewhere", action="store_true", help="not measured on this machine")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    config, envs = json.loads(options.config), WORKFLOW.parent / "envs"
    plan = or_one_line(Plan, config, definition_sha256, envs, not options.elsewhere)
    return plan, options.output


def write_plan() -> None:
    """Write the plan, for the analysis and the progress line."""
    plan, output = planned()
    write_atomically(output, json.dumps(plan.document(), indent=1) + "\n")


def write_bundle() -> None:
    """Write the zip with which a machine without Snakemake, conda or a network measures a plan."""
    plan, output = planned()
    bundle.write(plan, output)
    size_kib = output.stat().st_size / 1024
    print(f"{output}: {len(plan.runs)} runs, {size_kib:.0f} KiB", file=sys.stderr)


def check() -> None:
    """Report errors in configuration files that Snakemake itself could not read.

    Snakemake reads the files of ``--configfile`` before the Snakefile. Its message names neither
    file nor line, and ``--quiet all`` suppresses the message.
    """
    parser = argparse.ArgumentParser(description=ABOUT, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", default=[])
    known, _ = parser.parse_known_args()  # the others are Snakemake's
    for path in known.configfile:
        or_one_line(read_configuration, path)


COMMANDS = {
    "plan": write_plan,
    "bundle": write_bundle,
    "check": check,
    "check-model": check_model.main,
    "answer": answer.main,
    "bisect": bisect.main,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=ABOUT)
    parser.add_argument("command", choices=COMMANDS)
    command = parser.parse_args(sys.argv[1:2]).command
    del sys.argv[1]
    try:
        sys.exit(COMMANDS[command]())
    except KeyboardInterrupt:
        sys.exit(130)
