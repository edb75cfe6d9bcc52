"""Measure the runs of this bundle with the given interpreters; see README.txt."""

import argparse
import fnmatch
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "workflow"))

from deploy.environments import marker, users_interpreter  # noqa: E402 (the path above finds it)
from deploy.virtual_environments import EnvironmentProblem, write_atomically  # noqa: E402

PACKING_S = 20.0  # seconds of --stop-after-s for ending and packing


class TimeOver(Exception):
    """The time of --stop-after-s is over."""


def main() -> int:
    """Measure what is missing, and pack all results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--interpreter", action="append", required=True, metavar="NAME=PATH")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="such as 'bert/*'")
    parser.add_argument("--stop-after-s", type=float, default=float("inf"))
    options = parser.parse_args()
    deadline = time.monotonic() + options.stop_after_s - PACKING_S
    os.chdir(ROOT)
    bundle = json.loads(Path("bundle.json").read_text())
    try:
        columns = markers(bundle["columns"], options.interpreter)
        try:
            for step in bundle["steps"]:
                measure([job for job in step if wanted(job, options.only)], columns, deadline)
        finally:
            print(f"records.zip: {pack(bundle)} files", file=sys.stderr)
    except TimeOver:
        print("the time is over; the same command goes on from here", file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    except EnvironmentProblem as problem:
        print(f"millistep: --interpreter: {problem}", file=sys.stderr)
        return 1
    return 0


def markers(columns: dict, given: list[str]) -> set[str]:
    """Write what the interpreters hold; return the columns that have one."""
    paths = dict(text.partition("=")[::2] for text in given)
    if unknown := {*paths} - {name for about in columns.values() for name in about["names"]}:
        raise EnvironmentProblem(f"unknown name {min(unknown)}")
    found = set()
    for column, about in columns.items():
        name = next((name for name in about["names"] if name in paths), None)
        if name is not None:
            path = users_interpreter(paths[name])
            holds = marker(about["names"][-1], Path(about["definition"]), "interpreter", path)
            write_atomically(Path(about["marker"]), json.dumps(holds, indent=1) + "\n")
            found.add(column)
    return found


def wanted(job: dict, patterns: list[str] | None) -> bool:
    """Return True if a run's name, such as ``bert/fit-b8/keras3-jax/run1``, matches a pattern."""
    name = "/".join(job["output"].removesuffix(".json").split("/")[-4:])
    is_run = job["command"][0] == "cell"
    return not (is_run and patterns) or any(fnmatch.fnmatchcase(name, each) for each in patterns)


def measure(jobs: list[dict], columns: set[str], deadline: float) -> None:
    """Measure the missing jobs of a workload and round; its runs take turns."""
    possible = [(job, by) for job in jobs for by in job["by"] if by["column"] in columns]
    first = {job["output"]: (job, by) for job, by in reversed(possible)}
    missing = [first[job["output"]] for job in jobs if job["output"] in first]
    missing = [(job, by) for job, by in missing if not is_done(job, by)]
    runs = [(job, by) for job, by in missing if job["command"][0] == "cell"]
    if not runs and any(job["command"][0] == "cell" for job in jobs):
        return
    for job, by in missing:
        if job["command"][0] != "cell":
            wait([start(job, by, [])], deadline)
    size = min((job["resident"] for job, _ in runs), default=1)
    for begin in range(0, len(runs), size):
        chunk = runs[begin : begin + size]
        members = [job["output"] for job, _ in chunk]
        wait([start(job, by, members) for job, by in chunk], deadline)


def is_done(job: dict, by: dict) -> bool:
    """Return True if a job's file is as planned."""
    try:
        found = json.loads(Path(job["output"]).read_text())
    except (OSError, ValueError):
        return False
    return by["identity"] in (found.get("identity"), found.get("fingerprint"))


def start(job: dict, by: dict, members: list[str]) -> subprocess.Popen:
    """Start a job's program."""
    command = [sys.executable, "-s", "workflow/supervise", *job["command"], *by["options"]]
    command.append(f"--identity={by['identity']}")
    log = Path("logs", job["output"]).with_suffix(".log")
    log.parent.mkdir(parents=True, exist_ok=True)
    command += [f"--log={log}"]
    if members:
        command += [f"--members={json.dumps(members)}", f"--resident={len(members)}"]
    return subprocess.Popen(command, start_new_session=True)


def wait(processes: list[subprocess.Popen], deadline: float) -> None:
    """Wait for programs; end them in order if the time is over or at an interrupt."""
    try:
        for process in processes:
            left_s = deadline - time.monotonic()
            process.wait(None if left_s == float("inf") else max(0.0, left_s))
    except BaseException as end:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            process.wait()
        if isinstance(end, subprocess.TimeoutExpired):
            raise TimeOver from None
        raise


def pack(bundle: dict) -> int:
    """Write records.zip and return the number of files in it."""
    results, test = Path(bundle["results"]), bundle["self_test"]
    pairs = [pair for pair in test["pairs"] if all(map(os.path.exists, pair))]
    if os.path.exists(test["known_steps"]):
        command = [sys.executable, "-s", "workflow/supervise", "self_test", "--first"]
        command += [*(first for first, _ in pairs), "--second", *(second for _, second in pairs)]
        command += ["--known-steps", test["known_steps"], "--output", test["output"]]
        subprocess.run(command)
    found = [path for path in sorted(results.rglob("*.json")) if path.name[0] != "."]
    sums = {path.as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}
    about = {"schema": "millistep.elsewhere/1", "scale": bundle["scale"], "sha256": sums}
    partial = Path(".records.zip.partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in found:
            zipped.write(path)
        zipped.writestr(f"{results}/elsewhere.json", json.dumps(about, indent=1) + "\n")
    os.replace(partial, "records.zip")
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
