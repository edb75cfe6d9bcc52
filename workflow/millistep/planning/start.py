"""One start of Snakemake: plan the requested results, and print the runs to measure."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import signal
import sys
from collections.abc import Iterable
from contextlib import redirect_stderr
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

from millistep.planning import changes
from millistep.planning.config import check, or_one_line, results_folder
from millistep.planning.plan import WORKERS, Plan

ON_NODE = "MILLISTEP_ON_NODE"  # this Snakemake measures one workload and round for another one


class Start:
    """The plan and facts of one start that all rules share; made while Snakemake reads them.

    workflow: Snakemake's; config: the whole configuration; sources: the folder of this project. A
    plan that is impossible, or impossible here, ends the start with one line.
    """

    def __init__(self, workflow: Any, config: dict[str, Any], sources: Path):
        self.workflow, self.sources = workflow, sources
        deployment = workflow.deployment_settings
        self.use_conda = "conda" in {str(method) for method in deployment.deployment_method}
        self.conda_folder = Path(deployment.conda_prefix or ".snakemake/conda").expanduser()
        # This is the Snakemake that the user started.
        self.speaks = workflow.is_main_process and ON_NODE not in os.environ
        self._prepare()
        self.results = results_folder(or_one_line(check, config))
        # The file in results that came from a bundle: this machine only makes their report.
        came = Path(self.results, "elsewhere.json")
        self.elsewhere = came if came.is_file() else None
        # For nodes: the configuration as it was resolved here, and the list `asked_of_nodes`.
        self.planned = Path(self.results, ".planned.json")
        self.asked = Path(self.results, ".asked.json")
        # If another machine measures, the GPU and driver of this one do not matter.
        here = not (self.elsewhere or self.on_nodes or ON_NODE in os.environ)
        cores = workflow.resource_settings.cores  # unknown in a dry run
        room = cores + WORKERS if cores and not workflow.output_settings.dryrun else sys.maxsize
        self.plan = or_one_line(Plan, config, here, room, sources / "envs")
        # A Snakemake that runs a single job got its task from the main one.
        self.to_measure = changes.reasons(self.plan) if workflow.is_main_process else {}
        if not self.speaks:
            return
        for notice in self.plan.notices:
            tell(notice)
        for path, problem in changes.unreadable(self.to_measure):
            tell(f"{path} {problem}; it is renamed, and the run is measured again")
        if self.elsewhere:
            self.print_summary(self.to_measure)

    @cached_property
    def now(self) -> dict[str, Any]:
        """Records to be measured, and those that -R, -F or -f requests, with the reasons."""
        asked, controls = self.workflow.dag_settings, self.plan.controls
        names = {*asked.forcerun, *(asked.targets if asked.forcetargets else ())}
        rules = {path: run.column.rule for path, run in self.plan.timed.items()}
        rules |= {run.record: controls.AGAIN_RULE for run in controls.again}
        forced = (path for path, rule in rules.items() if asked.forceall or names & {path, rule})
        return {**dict.fromkeys(forced, changes.ASKED), **self.to_measure}

    @cached_property
    def measured(self) -> dict[str, int]:
        """Records that this start measures, with their places in its order: of those that have to
        be measured, Snakemake chooses by its targets and options before its first job.
        """
        needed = {str(path) for job in self.workflow.dag.needrun_jobs() for path in job.output}
        records = [run.record for group in self.plan.groups for run in group.runs]
        chosen = [path for path in records if path in needed and path in self.now]
        return {path: place for place, path in enumerate(chosen, 1)}

    @cached_property
    def work_done(self) -> dict[str, float]:
        """The share of this start's work that is done when a record's group is.

        A run of the first round, with its extras, counts twice: it takes about twice as long.
        """
        done = 0
        found: dict[str, int] = {}
        for group in self.plan.groups:
            records = [run.record for run in group.runs if run.record in self.measured]
            done += len(records) * (2 if group.number == 1 else 1)
            found |= dict.fromkeys(records, done)
        return {path: number / done for path, number in found.items()}

    @cached_property
    def asked_of_nodes(self) -> list[str]:
        """Records that -R or -F requests from nodes, which read them from a file."""
        if not self.workflow.is_main_process:
            return list(json.loads(self.asked.read_text()))
        named = {*self.workflow.dag_settings.forcerun, *self.workflow.dag_settings.targets}
        asked = (path for path, reason in self.now.items() if reason == changes.ASKED)
        return [path for path in asked if path not in named]

    @cached_property
    def on_nodes(self) -> bool:
        """True if jobs are sent to the nodes of a cluster."""
        # Only with --jobs may the executor be another than the local one, and it need not be.
        if self.workflow.remote_exec or self.workflow.resource_settings.nodes is None:
            return bool(self.workflow.remote_exec)
        from snakemake.cli import parse_args  # the workflow gets its executor only later

        with redirect_stderr(io.StringIO()):
            _, options = parse_args(sys.argv[1:])
        return options.executor not in (None, "local")

    def to_draw(self, paths: Iterable[str]) -> list[str]:
        """Return the files that there will be: all, or those that came from another machine."""
        return [path for path in paths if not self.elsewhere or os.path.exists(path)]

    def lost(self, made: Iterable[str]) -> list[str]:
        """Return missing records if all results exist, as Snakemake would not measure them then.
        Otherwise Snakemake finds them as inputs; naming each record costs time.
        """
        if self.elsewhere or self.on_nodes or not all(map(os.path.exists, made)):
            return []
        return [p for p in self.plan.records if self.to_measure.get(p) == changes.MISSING]

    def _prepare(self) -> None:
        """Set how this start ends; refuse a folder that Snakemake cannot work in."""
        if self.workflow.is_main_process:
            # At Ctrl-C while it makes environments, Snakemake would print a traceback.
            signal.signal(signal.SIGINT, _end_in_one_line)
            self._print_errors()
        if self.speaks and any(Path(".snakemake/locks").glob("*.lock")):
            tell(
                "another snakemake runs in this folder; this one continues unless both need the"
                " same files. If none runs, it was killed: remove its lock with snakemake --unlock"
                " (make ARGS=--unlock)"
            )
        if set("{}") & set(os.getcwd()):
            problem = "Snakemake cannot work in a folder with a brace in its path"
            sys.exit(f"millistep: {os.getcwd()}: {problem}")
        if self.use_conda and re.search(r"\s", where := str(self.conda_folder.absolute())):
            problem = "Snakemake makes no conda environments in a folder with a blank in its path"
            sys.exit(f"millistep: {where}: {problem}; name another folder with --conda-prefix")

    def _print_errors(self) -> None:
        """Have Snakemake print its own errors with ``--quiet all``, too, such as a missing rule."""
        from snakemake.logging import logger
        from snakemake.settings.enums import Quietness

        asked = self.workflow.output_settings
        if Quietness.ALL in (asked.quiet or ()) and not asked.dryrun:
            handler = logging.StreamHandler()
            handler.addFilter(_is_printed_nowhere_else)
            logger.addHandler(handler)

    def print_summary(self, reasons: dict[str, Any]) -> None:
        if summary := changes.summary(self.plan, reasons, self.elsewhere):
            print(summary, file=sys.stderr)


def _end_in_one_line(number: int, frame: FrameType | None) -> None:
    """End at the first Ctrl-C; later ones do nothing. A running scheduler ends its jobs instead."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(
        "millistep: interrupted; complete environments and runs are kept; "
        "run the same command again to continue"
    )


def _is_printed_nowhere_else(record: logging.LogRecord) -> bool:
    """Return whether an error is Snakemake's own. Programs print why their jobs failed, and a start
    prints that the folder is locked.
    """
    kind = getattr(record, "exception", None)
    ended = "At least one job did not complete" in record.getMessage()
    return kind not in (None, "RuleException", "LockException") and not ended


def tell(line: str) -> None:
    print(f"millistep: {line}", file=sys.stderr)
