# What all rules share: the plan, and which interpreter a rule without an environment uses.
import json
import os
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))

from environments import definition_sha256
from planning import changes
from planning.config import Problem, check_yaml
from planning.plan import Plan
from planning.resolve import put_first_on_path
from planning.sources import content_digest

# Rules without an environment of their own run on the interpreter that runs Snakemake.
put_first_on_path(Path(sys.executable).parent)

CONFIG = "config/config.yaml"


def or_one_line(function, *arguments):
    """What the function returns, or the end with the one line that the user needs."""
    try:
        return function(*arguments)
    except Problem as problem:
        sys.exit(f"millistep: {problem}")


or_one_line(check_yaml, CONFIG)


configfile: CONFIG


PLAN = or_one_line(Plan, config, definition_sha256, Path("envs"))
TO_MEASURE = or_one_line(changes.reasons, PLAN, Path())
if TO_MEASURE:
    print(changes.summary(PLAN, TO_MEASURE), file=sys.stderr)

# Snakemake finds a changed identity in its own history, which a clone does not have. A
# file newer than any record, an input of the stale ones alone, needs no history.
STALE_RECORDS = changes.stale_records(TO_MEASURE)
NEWER = "results/.newer-than-stale-records"
if STALE_RECORDS:
    Path(NEWER).touch()

USE_CONDA = "conda" in {str(m) for m in workflow.deployment_settings.deployment_method}

# The analysis is redone when its own code, texts or environment change.
ANALYSIS = "-".join(
    (
        content_digest("workflow/analysis", "workflow/schemas", "reference", "report"),
        definition_sha256(Path("envs/analysis.yaml")),
    )
)
MACHINE_CARD = content_digest("workflow/machine_card")
TABLE_FORMS = ["md", "csv", "tex"]
RECORD = "results/records/{scale}/{model}/{task}-b{batch}/{framework}/run{run}.json"


def identity_of_run(wildcards, framework):
    """All that defines the run's number: the only reason to measure it again."""
    return planned_run(wildcards, framework).identity


def newer_than_stale(wildcards, framework):
    """An input that makes Snakemake see a stale record as such."""
    return NEWER if planned_run(wildcards, framework).record in STALE_RECORDS else []


def priority_of_run(wildcards, framework):
    """Runs are measured in the plan's randomised order."""
    return len(PLAN.runs) - planned_run(wildcards, framework).position


def planned_run(wildcards, framework):
    path = RECORD.format(framework=framework, **wildcards)
    try:
        return PLAN.by_record[path]
    except KeyError:
        raise WorkflowError(
            f"{path} is not in the plan of this configuration"
        ) from None


def show_results():
    """Print the table as far as it was made."""
    if os.path.exists("results/report.html"):
        shell("cat results/table.md && echo && echo Report: results/report.html")
