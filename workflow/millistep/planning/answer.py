"""Answer a pull request: measure base and patch in turns until all is decided or time is over.

The comment is printed. Status 0: nothing is slower; 1: a row is slower; 2: there is no answer, for
the reason that is printed; 3: undecided. Snakemake does all the work: each look at the results is a
run of it with more rounds, which leaves every finished run as it is.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import yaml

from millistep.planning.catalog import frameworks
from millistep.planning.columns import overlays
from millistep.planning.config import Problem, check, read_configuration, results_folder
from millistep.planning.plan import WORKERS
from millistep.supervise.console import end_by_interrupt

FRAMEWORK = "keras3-jax"
STUDY = "config/studies/pull_request.yaml"
FAILED = 1  # status: a workload is slower, does other work or does not run
FOLDER = Path(".snakemake/millistep/answer")  # holds our configuration file, and links to the trees
MOST_OF_NAME = 40  # letters of a study's name
LOOKS, MOST_ROUNDS = (4, 8, 16, 32, 64), 100  # numbers of rounds; each look makes intervals wider
MOST_MINUTES = 30 * 24 * 60
MOST_BESIDE_S = 20  # seconds per look in addition to its rounds: Snakemake's start, analysis
LEAST_ROUNDS = 4  # rows are left out until the others get so many: fewer decide next to nothing


def schedule(seconds: dict[str, float], left_s: float) -> tuple[list[str], list[int]]:
    """Return the rows that fit into `left_s` seconds after a first round, and the numbers of rounds
    after which results are looked at; raises :class:`Problem` if none fit.

    seconds: what a round of each row takes; rows that do not fit are left out from the end.
    """
    rows = list(seconds)
    while len(rows) > 1 and (LEAST_ROUNDS - 1) * sum(seconds[row] for row in rows) > left_s:
        rows.pop()
    cost = sum(seconds[row] for row in rows)
    most = min(MOST_ROUNDS, 1 + int(left_s / max(cost, 1e-9)))
    if most < 2:
        raise Problem(
            f"--minutes: a round of {rows[0]} takes {cost:.0f} s, and {max(left_s, 0):.0f} s are"
            " left after the first; two rounds are needed: raise --minutes"
        )
    return rows, [*(look for look in LOOKS if look * 1.5 <= most), most]


def main() -> int:
    return or_no_answer(_answer)


def _answer() -> int:
    options = _options().parse_args()
    with only_one():
        found = Asked(options).answered()
    sys.stdout.buffer.write(Path(found["comment"]).read_bytes() + b"\n")
    return int(found["status"])


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Refuse a second answer in this folder: its configuration and links are those of one."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Problem(
                f"{FOLDER}: another answer is being measured in this folder; wait, or use another"
                " clone"
            ) from None
        yield


def or_no_answer(program: Callable[[], int]) -> int:
    """Return the status of a program; 2 after a problem, which is printed."""
    end_by_interrupt()
    try:
        return program()
    except Problem as problem:
        print(f"millistep: {problem}", file=sys.stderr)
    except OSError as error:
        print(f"millistep: {error.filename or 'millistep'}: {error.strerror}", file=sys.stderr)
    except Exception:  # Python would end with status 1, which is an answer
        traceback.print_exc()
    return 2


class Options(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise :class:`Problem`: one line, without the usage."""
        raise Problem(message)


def _options() -> argparse.ArgumentParser:
    parser = Options("millistep answer", description=__doc__.partition("\n")[0])
    tree = "source tree, wheel, or CLONE@REVISION"
    parser.add_argument("--patch", required=True, action="append", help=f"{tree}; may be repeated")
    parser.add_argument("--base", help=f"{tree}; default: the locked release")
    parser.add_argument("--report", default="", help="address at which the report will be")
    add_measurement(parser)
    return parser


def add_measurement(parser: argparse.ArgumentParser) -> None:
    """Add the options of a measurement: frameworks, study, time, threshold."""
    parser.add_argument(
        "--framework", action="append", help="framework that uses the package; may be repeated"
    )
    parser.add_argument("--minutes", type=float, default=15, help="time to measure; default: 15")
    parser.add_argument(
        "--threshold", type=float, default=0.02, help="slower by more is status 1; default: 0.02"
    )
    parser.add_argument("--study", default=STUDY, help=f"workloads; default: {STUDY}")
    parser.add_argument("--use-conda", action="store_true", help="install with conda")


class Asked:
    """One pull request to be measured; options: those of the command line."""

    def __init__(self, options: argparse.Namespace):
        if not 0 < options.threshold < 1:
            raise Problem(
                f"--threshold: {options.threshold}: allowed is above 0 and below 1 (0.05 is 5 %)"
            )
        if not 0 < options.minutes <= MOST_MINUTES:
            raise Problem(
                f"--minutes: {options.minutes}: allowed are minutes greater than 0, at most"
                f" {MOST_MINUTES}"
            )
        self._options = options
        self._config = read_configuration(options.study)
        if not self._config.get("study"):  # its results would take the place of others
            raise Problem(f"--study: {options.study}: the key study is missing; name the study")
        chosen = options.framework or [FRAMEWORK]
        known = frameworks(check(self._config | {"columns": chosen}).folders)
        for name in chosen:
            if name not in known:
                raise Problem(f"--framework: {name}: allowed are {', '.join(known)}")
        given = [("base", options.base)] if options.base else []
        given += [(f"patch{n}" if n > 1 else "patch", p) for n, p in enumerate(options.patch, 1)]
        packages = [_package(*part) for part in given]
        settings: list[dict[str, Any]] = [{"overlay": [str(path)]} for path, _ in packages]
        base = settings.pop(0) if options.base else {}
        self._config["columns"] = [
            {"framework": name, **own}
            for name in chosen
            for own in (base, base | {"again": True}, *settings)
        ]
        # Base and patch are compared only if one start measures both, so other trees start again.
        content = json.dumps([digest for _, digest in packages])
        suffix = f"_{hashlib.sha256(content.encode()).hexdigest()[:8]}"
        study = self._config["study"]
        study["name"] = study["name"][: MOST_OF_NAME - len(suffix)] + suffix
        # From the start: without this key, runs would also measure other sizes.
        asked = {"threshold": options.threshold, "report": options.report}
        self._config["answer"] = {**asked, "looks": 1, "last": False, "left_out": {}}
        self._folder = Path(results_folder(check(self._config)))

    def answered(self) -> dict[str, Any]:
        """Measure; return the exit status, whether a workload is slower, and the comment's file."""
        self._snakemake("environments")
        self._began = time.monotonic()
        found = self._look(1)
        if not found["decided"]:  # a patch that does not run decides it at once
            try:
                found = self._looked(found)
            except Problem:  # too little time: a failure is known after one round
                if found["status"] != FAILED:
                    raise
        self._snakemake("all")
        slower = any(row["verdict"] == "slower" for row in found["rows"])
        comment = self._folder / "answer.md"
        return {"status": found["status"], "slower": slower, "comment": comment}

    @property
    def _left_s(self) -> float:
        return float(60 * self._options.minutes - (time.monotonic() - self._began))

    def _looked(self, first: dict[str, Any]) -> dict[str, Any]:
        """Look as often as planned after the first round, until all is decided or time is over."""
        seconds: dict[str, float] = first["seconds_of_a_round"]
        # The self-test is measured once, with the first round.
        spent_s = time.monotonic() - self._began - sum(seconds.values())
        beside_s = min(max(spent_s, 0.0), MOST_BESIDE_S)
        rows, looks = schedule(seconds, self._left_s - beside_s)
        failed = [row for row in reversed(first["rows"]) if row["failure"]]
        failures = {_row(row): row["failure"] for row in failed}  # the first one of a workload
        left_out = {row: failures.get(row, "") for row in seconds if row not in rows}
        self._config["answer"] |= {"looks": len(looks), "left_out": left_out}
        self._config["models"] = _models(rows)
        cost_s, done = sum(seconds[row] for row in rows), 1
        for look in looks:
            left_s = self._left_s
            fit = max(done + int((left_s - beside_s) / max(cost_s, 1e-9)), 2)
            # The last look waits until the time is over: rounds may cost less than the first one.
            rounds = min(fit, MOST_ROUNDS if look == looks[-1] else look)
            if rounds <= done:
                break
            last = look == looks[-1] or rounds < look
            self._config["answer"]["last"] = last
            found = self._look(rounds)
            # From now on a round costs what rounds did, all else included.
            # Rounds that an earlier command measured cost nothing; those to come do.
            took_s = sum(found["seconds_of_a_round"][row] for row in rows)
            cost_s, beside_s = max((left_s - self._left_s) / (rounds - done), took_s), 0.0
            done = rounds
            if found["decided"] or last:
                break
        return found

    def _look(self, rounds: int) -> dict[str, Any]:
        """Measure up to a number of rounds; return what they answer."""
        self._config["runs"] = rounds
        self._snakemake("answer")
        return dict(json.loads((self._folder / "answer.json").read_text(encoding="utf-8")))

    def _snakemake(self, target: str) -> None:
        """Run Snakemake; raise :class:`Problem` if it fails. Snakemake prints the reason."""
        path = FOLDER / "config.yaml"
        path.write_text(yaml.safe_dump(self._config, sort_keys=False), encoding="utf-8")
        cores = str(max(1, len(self._config["columns"]) - WORKERS))  # for all to take turns
        command = [sys.executable, "-m", "snakemake", target, "--cores", cores, "--quiet", "all"]
        conda = ["--use-conda"] if self._options.use_conda else []
        command += ["--configfile", str(path), *conda]
        if status := run(command):
            raise Problem(f"snakemake {target} ended with status {status}; see the lines above")


def _package(part: str, given: str) -> tuple[Path, str | None]:
    """Return the path of a package and the digest of its content.

    A tree is linked under its part's name, so that the name of its own folder does not matter. A
    revision of a clone is written to a folder first.
    """
    option, path = f"--{part.rstrip('0123456789')}", Path(os.path.expanduser(given)).absolute()
    clone, at, revision = given.rpartition("@")
    if at and not path.exists():
        path = _tree(option, Path(os.path.expanduser(clone)).absolute(), revision)
    if not path.exists():
        raise Problem(f"{option}: {given}: no such file or folder")
    # Report errors here: Snakemake would name the link.
    (package,) = overlays([given if Path(given).exists() else str(path)], option)
    if path.is_dir():
        link = FOLDER.absolute() / part
        link.unlink(missing_ok=True)
        link.symlink_to(path)
        path = link
    return path, package.sha256


def _tree(option: str, clone: Path, revision: str) -> Path:
    """Return a folder with the files of a revision; the clone is only read."""
    wanted = ("--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    try:
        folder = FOLDER.absolute() / "trees" / git(option, clone, "rev-parse", *wanted)
    except Problem:
        raise Problem(f"{option}: {clone}: not a git clone with the revision {revision}") from None
    if not folder.exists():
        partial, archive = folder.with_suffix(".partial"), folder.with_suffix(".tar")
        folder.parent.mkdir(parents=True, exist_ok=True)
        git(option, clone, "archive", f"--output={archive}", folder.name)
        try:
            with tarfile.open(archive) as packed:
                packed.extraction_filter = getattr(tarfile, "data_filter", None)  # from 3.11.4 on
                packed.extractall(partial)
        except tarfile.TarError as error:
            raise Problem(f"{option}: {clone}@{revision}: {error}") from None
        archive.unlink()
        partial.rename(folder)
    return folder


def git(option: str, clone: Path, *command: str) -> str:
    """Return what git prints about a clone; raises :class:`Problem` if it fails."""
    asked = ["git", "-C", str(clone), *command]
    done = subprocess.run(asked, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Problem(f"{option}: {clone}: {done.stderr.strip().partition(chr(10))[0]}")
    return done.stdout.strip()


def run(command: Sequence[str]) -> int:
    """Run a command that prints on stderr; return its status.

    A signal to this process ends it and all that it has started before this returns.
    """
    with subprocess.Popen(command, stdout=sys.stderr, start_new_session=True) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
            process.wait()
            raise


def _row(found: dict[str, Any]) -> str:
    return f"{found['model']}/{found['task']}/{found['batch_size']}"


def _models(rows: Sequence[str]) -> dict[str, dict[str, list[int]]]:
    found: dict[str, dict[str, list[int]]] = {}
    for model, task, batch_size in (row.split("/") for row in rows):
        found.setdefault(model, {}).setdefault(task, []).append(int(batch_size))
    return found
