"""Kills Snakemake, the supervisor of a run and the process that measures (-9), in turn and at
random moments: what was measured by then has to stay as it is, to the byte.

``.venv-test/bin/python3 benchmarks/kills.py 20`` kills so often, in a copy of the project that
measures the fake framework of the tests, which takes a few seconds each time. Ends with 1 where a
finished record was lost, or one is not whole.
"""

import collections
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from tests.fake_project import fake_project

from millistep.supervise import record

SEED = 30
LEFT = 4  # runs still to be measured when something is killed
SNAKEMAKE = (sys.executable, "-m", "snakemake", "--cores", "1", "--quiet")
RECORDS = [
    f"results/records/smoke/fake/fit-b{batch}/fake/run{run}.json"
    for batch in (1, 2, 3, 4)
    for run in (1, 2, 3)
]
SAID = "said.txt"  # the output of Snakemake since the last start
AT_MOST_S = 2.5  # from the first process of its kind to the kill
# Kinds of processes to kill, with a text in their command lines.
KINDS = {"Snakemake": "", "supervisor": "workflow cell ", "child": "millistep.measure.child {"}


def main() -> None:
    kills = int(sys.argv[1]) if sys.argv[1:] else 20
    rng, lost = random.Random(SEED), 0
    with tempfile.TemporaryDirectory() as folder:
        project = fake_project(Path(folder, "project"), "step_ms: 20.0")
        project.edit("config/config.yaml", "{fit: default}", "{fit: [1, 2, 3, 4]}")
        project.edit("config/config.yaml", "threads: 1", "threads: 1\nruns: 3")
        go_on(project.folder)
        for number in range(kills):
            kind = sys.argv[2] if sys.argv[2:] else list(KINDS)[number % len(KINDS)]
            lost += killed(project, kind, rng)
    sys.exit(f"{lost} finished records were lost or changed" if lost else 0)


def killed(project, kind: str, rng: random.Random) -> int:
    """Kill once: return the number of lost records, and print what became of all."""
    good = {
        path for path, content in whole(project).items() if json.loads(content)["status"] == "ok"
    }
    for path in {*project.records()} - good | {*rng.sample(sorted(good), LEFT)}:
        (project.folder / path).unlink()
    process = start(project.folder)
    pid = a_process(process, kind, rng)
    finished = whole(project)
    os.kill(pid, signal.SIGKILL)
    ended = process.wait(300)
    after = whole(project)
    lost = [path for path in finished if after.get(path) != finished[path]]
    left = len(project.records()) - len(after)
    new = collections.Counter(json.loads(after[path])["status"] for path in {*after} - {*finished})
    if lost or left:
        print((project.folder / SAID).read_text())
    print(
        f"{kind:10} {len(finished):2} of 12 finished, {len(lost)} lost, {left} not whole;"
        f" exit {ended}, {len(after):2} records, new ones {dict(new)}",
        end="",
        flush=True,
    )
    print(f"; the next start: {go_on(project.folder)}" if ended else "", flush=True)
    return len(lost) + left


def start(folder: Path) -> subprocess.Popen:
    command = [*SNAKEMAKE, "--", *RECORDS]
    with (folder / SAID).open("w") as said:
        return subprocess.Popen(command, cwd=folder, stdout=said, stderr=said)


def a_process(process: subprocess.Popen, kind: str, rng: random.Random) -> int:
    """Return the id of a process of a kind, at a random moment after the first run has begun."""
    wait_for(process, KINDS["supervisor"])
    time.sleep(rng.uniform(0, AT_MOST_S))
    return process.pid if kind == "Snakemake" else wait_for(process, KINDS[kind])


def wait_for(process: subprocess.Popen, words: str) -> int:
    while process.poll() is None:
        for each in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):  # it has ended
                if words in " ".join(each.cmdline()):
                    return each.pid
        time.sleep(0.002)
    sys.exit(f"Snakemake ended before there was a process with {words!r} to kill")


def whole(project) -> dict[str, bytes]:
    """Return records that can be read."""
    found = {}
    for path, content in project.records().items():
        try:
            record.parse(content)
        except record.Unreadable:
            continue
        found[path] = content
    return found


def go_on(folder: Path) -> str:
    """Measure what is missing; how that ended. Nothing that was killed is in its way."""
    deadline = time.monotonic() + 60
    while is_at_work(folder) and time.monotonic() < deadline:
        time.sleep(0.05)
    subprocess.run([*SNAKEMAKE, "--unlock"], cwd=folder, capture_output=True, check=True)
    process = start(folder)
    return "nothing is missing" if process.wait(300) == 0 else f"exit {process.returncode}"


def is_at_work(folder: Path) -> bool:
    """Return True if a process works in a folder."""
    return any(str(folder) in (each.info["cwd"] or "") for each in psutil.process_iter(["cwd"]))


if __name__ == "__main__":
    main()
