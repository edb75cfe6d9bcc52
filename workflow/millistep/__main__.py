"""The command line. A command's module is imported when the command is called.

Without an installation, ``python3 workflow`` is the same command as ``millistep``.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from millistep import __version__

FOR_USERS = {
    "check-model": ("planning.check_model:main", "run two steps of a model on each framework"),
    "answer": ("planning.answer:main", "measure whether a patch changes the time of a step"),
    "bisect": ("planning.bisect:main", "find the commit that changed the time of a step"),
    "compare": ("analysis.commands:compare", "compare two archives or folders of results"),
    "verify": ("analysis.commands:verify", "check an archive and render its results again"),
    "schema": ("contracts.published:main", "print the JSON schema of a kind of file"),
}
FOR_RULES = {
    "check": ("planning.files:check_files", "check configuration files"),
    "plan": ("planning.files:write_plan", "write the plan of a configuration"),
    "bundle": ("planning.files:pack_bundle", "write the bundle for a machine without Snakemake"),
    "deploy": ("deploy.environments:main", "install an environment"),
    "cell": ("supervise.cell:main", "measure one run of a cell"),
    "reference": ("supervise.controls:measure_reference", "measure the speed of the machine"),
    "known-steps": ("supervise.controls:measure_known_steps", "time steps of known duration"),
    "self-test": ("supervise.controls:write_self_test", "write the results of the self-test"),
    "alone": ("supervise.jobs:alone", "run a program while nothing is timed"),
    "render": ("analysis.commands:render", "write tables, figures and the report"),
    "archive": ("analysis.commands:archive", "write one zip that can be verified and cited"),
    "comment": ("analysis.commands:comment", "write the comment on a pull request"),
}


def main() -> None:
    """Run the command that the first argument names; exit with its status."""
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("-h", "--help"):
        print(usage())
        return
    if name == "--version":
        print(f"millistep {__version__}")
        return
    entry = {**FOR_USERS, **FOR_RULES}.get(name)
    if not entry:
        allowed = ", ".join(FOR_USERS)
        sys.exit(f"millistep: unknown command {name!r}; allowed are {allowed}")
    module, _, function = entry[0].partition(":")
    measures = name in FOR_USERS and module.startswith("planning.")
    if measures and not (Path(__file__).absolute().parents[2] / "envs").is_dir():
        sys.exit(f"millistep {name}: run it in a clone, which has envs/: python3 workflow {name}")
    sys.argv[:2] = [f"millistep {name}"]
    try:
        sys.exit(getattr(importlib.import_module(f"millistep.{module}"), function)())
    except KeyboardInterrupt:
        sys.exit(130)


def usage() -> str:
    """Return the help: all commands with a line each."""
    about = "Measure how many milliseconds one training or inference step takes."
    lines = ["usage: millistep COMMAND ...", "", about, ""]
    for title, commands in (("commands", FOR_USERS), ("called by the workflow", FOR_RULES)):
        each = (f"  {name:12} {about}" for name, (_, about) in commands.items())
        lines += [f"{title}:", *each, ""]
    return "\n".join([*lines, "millistep COMMAND --help describes the options of a command."])


if __name__ == "__main__":
    main()
