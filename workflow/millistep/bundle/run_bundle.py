"""Measure the runs of this bundle with the given interpreters; see README.txt."""

import argparse
import hashlib
import json
import os
import secrets
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from millistep.deploy.environments import marker, users_interpreter
from millistep.deploy.virtual_environments import EnvironmentProblem, read_json, write_atomically
from millistep.supervise.console import end_by_interrupt
from millistep.supervise.machine import residents

ROOT = Path(__file__).resolve().parent  # of the unpacked bundle, which holds the package, too
MILLISTEP = [sys.executable, "-s", "-m", "millistep"]


def main() -> int:
    """Measure what is missing, and pack all results; return the exit status."""
    end_by_interrupt()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--interpreter", action="append", required=True, metavar="NAME=PATH")
    given = dict(text.partition("=")[::2] for text in parser.parse_args().interpreter)
    for name, path in given.items():
        if "/" in path:  # as it is meant where the program was started
            given[name] = os.path.abspath(os.path.expanduser(path))
    os.chdir(ROOT)
    bundle, start = json.loads(Path("bundle.json").read_text()), secrets.token_hex(8)
    try:
        columns = markers(bundle["columns"], given)
        try:
            for step in bundle["steps"]:
                measure(step, columns, start)
        finally:
            print(f"records.zip: {pack(bundle)} files", file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted; run the same command again to continue", file=sys.stderr)
        return 130
    except EnvironmentProblem as problem:
        print(f"millistep: --interpreter: {problem}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"millistep: {error.filename or 'records.zip'}: {error.strerror}", file=sys.stderr)
        return 1
    runs = [job for step in bundle["steps"] for job in step if "at_once" in job]
    jobs = [job for job in runs if measured_by(job, columns)]
    if lost := sum(not os.path.exists(job["output"]) for job in jobs):
        print(f"millistep: {lost} of {len(jobs)} runs left no record; see logs/", file=sys.stderr)
    return 1 if lost else 0


def measured_by(job: dict[str, Any], columns: set[str]) -> dict[str, Any] | None:
    """Return the first part of a job that one of these columns can measure."""
    return next((by for by in job["by"] if by["column"] in columns), None)


def markers(columns: dict[str, Any], given: dict[str, str]) -> set[str]:
    """Write what the interpreters hold; return the columns that have one."""
    names = {name for about in columns.values() for name in about["names"]}
    if unknown := given.keys() - names:
        raise EnvironmentProblem(
            f"unknown name {min(unknown)}; allowed are {', '.join(sorted(names))}"
        )
    found = set()
    for column, about in columns.items():
        if name := next((name for name in about["names"] if name in given), None):
            path = users_interpreter(given[name])
            holds = marker(about["names"][-1], Path(about["definition"]), "interpreter", path)
            write_atomically(Path(about["marker"]), json.dumps(holds, indent=1) + "\n")
            found.add(column)
    return found


def measure(jobs: list[dict[str, Any]], columns: set[str], start: str) -> None:
    """Measure the missing jobs of a workload and round; its runs take turns."""
    by_column = [(job, measured_by(job, columns)) for job in jobs]
    missing = [(job, by) for job, by in by_column if by and not is_done(job, by)]
    runs = [(job, by) for job, by in missing if "at_once" in job]
    if runs or "at_once" not in jobs[-1]:
        for job, by in missing:
            if "at_once" not in job:
                run([(job, by)], start)
    size = min((residents(*job["at_once"]) for job, _ in runs), default=1)
    parts = -(-len(runs) // size)
    for part in range(parts):  # as even as possible
        run(runs[part * len(runs) // parts : (part + 1) * len(runs) // parts], start)


def is_done(job: dict[str, Any], by: dict[str, Any]) -> bool:
    """Return True if a job's file is as planned; a new round measures its reference again, and
    each start tries again what could not begin.
    """
    found = read_json(Path(job["output"]))
    refused = found.get("refused") or found.get("status") == "refused"
    refused = refused or "not_deployed" in (found.get("not_tried") or {})
    return bool(found.get("identity") == by["identity"] and not refused)


def run(jobs: list[tuple[dict[str, Any], dict[str, Any]]], start: str) -> None:
    """Run the programs of jobs at once; after an interrupt, end them in order."""
    members = json.dumps([job["output"] for job, _ in jobs])
    processes = []
    for job, by in jobs:
        log = Path("logs", job["output"]).with_suffix(".log")
        command = [*MILLISTEP, *job["command"], *by["options"], f"--log={log}", f"--start={start}"]
        if "at_once" in job:
            command += [f"--members={members}"]
        processes.append(subprocess.Popen(command, start_new_session=True))
    try:
        for process in processes:
            process.wait()
    except KeyboardInterrupt:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            process.wait()
        raise


def pack(bundle: dict[str, Any]) -> int:
    """Write records.zip and return the number of files in it."""
    results, test = Path(bundle["results"]), bundle["self_test"]
    if os.path.exists(test["known_steps"]):
        pairs = [pair for pair in test["pairs"] if all(map(os.path.exists, pair))]
        command = [*MILLISTEP, "self-test", "--first", *(first for first, _ in pairs), "--second"]
        command += [*(second for _, second in pairs), "--known-steps", test["known_steps"]]
        subprocess.run([*command, "--output", test["output"]])
    found = [
        path
        for path in sorted(results.rglob("*.json"))
        if path.name[0] != "." and path.relative_to(results).parts[0] != "caches"
    ]
    sums = {path.as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}
    about = {"schema": "millistep.elsewhere/1", "scale": bundle["scale"], "sha256": sums}
    partial = ".records.zip.partial"
    # Some machines have no clock, so their files are older than any date that a zip can hold.
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as zipped:
        for path in found:
            zipped.write(path)
        zipped.writestr(f"{results}/elsewhere.json", json.dumps(about, indent=1) + "\n")
    os.replace(partial, "records.zip")
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
