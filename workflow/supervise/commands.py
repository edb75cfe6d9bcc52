"""The commands of the programs that a block starts."""

import json
import sys
from pathlib import Path

from supervise import caches
from supervise.planned import Run, Settings, Timed
from supervise.slots import FOLDER

PROGRAM = Path(__file__).parent


def cell(run: Run, settings: Settings, attempt: int, session: str) -> list[str]:
    """Of one run. session: what its record says of it, as JSON."""
    command = _command("cell", run, settings, attempt, log_of(Path(run.record), settings))
    command += ["--record", run.record, "--plan", str(settings.plan), "--session", session]
    command += ["--slots", str(settings.results / FOLDER)]
    command += ["--caches", str(_beside(Path(run.record), settings, caches.FOLDER).parent)]
    command += ["--time-limit-s", str(settings.time_limit_s)]
    command += _monitor(settings)
    return command + [f"--folder={folder}" for folder in settings.folders]


def canary(
    possible: tuple[Timed, ...], settings: Settings, attempt: int, log: Path, output: Path
) -> list[str]:
    """Of one canary. possible: in which environments, the first that can be deployed."""
    first, *others = possible
    command = _command("canary", first, settings, attempt, log)
    command += [f"--instead={json.dumps(options(other))}" for other in others]
    return [*command, "--output", str(output)]


def known_steps(steps: Timed, settings: Settings, attempt: int, output: Path) -> list[str]:
    """Of the known steps."""
    command = _command("known_steps", steps, settings, attempt, log_of(output, settings))
    return [*command, *_monitor(settings), "--output", str(output)]


def log_of(file: Path, settings: Settings) -> Path:
    """``results/logs/<scale>/...`` of a record, ``results/logs/self_test/...`` of the others."""
    return _beside(file, settings, "logs").with_suffix(".log")


def options(timed: Timed) -> dict[str, object]:
    """What :func:`supervise.jobs.in_what_can_be_deployed` takes in the place of others."""
    return {
        "identity": timed.identity,
        "deployment": timed.environment.deployment,
        "definition": timed.environment.definition,
        "environment": timed.environment.marker,
        "overlay": list(timed.environment.overlay),
    }


def _beside(file: Path, settings: Settings, folder: str) -> Path:
    inside = file.relative_to(settings.results)
    parts = inside.parts[1:] if inside.parts[0] == "records" else inside.parts
    return settings.results.joinpath(folder, *parts)


def _monitor(settings: Settings) -> list[str]:
    asked = settings.monitor_interpreter
    return ["--monitor-interpreter", asked] if asked else []


def _command(program: str, timed: Timed, settings: Settings, attempt: int, log: Path) -> list[str]:
    command = [sys.executable, "-s", str(PROGRAM), program, "--identity", timed.identity]
    command += ["--deployment", timed.environment.deployment]
    command += ["--definition", timed.environment.definition]
    command += ["--environment", timed.environment.marker]
    command += [f"--overlay={overlay}" for overlay in timed.environment.overlay]
    command += ["--memory-gib", settings.memory_gib]
    return [*command, "--attempt", str(attempt), "--log", str(log)]
