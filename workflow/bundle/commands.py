"""The commands that call the pipeline's own programs to measure."""

import sys
from pathlib import Path

from bundle.steps import Block, File, Settings, Timed

PROGRAM = Path(__file__).parents[1] / "supervise"


def cell(run: File, block: Block, settings: Settings, attempt: int) -> list[str]:
    """The command that measures one run."""
    command = _command("cell", run, settings, attempt, Path(run.path))
    command += ["--record", run.path, "--plan", str(settings.plan)]
    command += ["--time-limit-s", str(settings.time_limit_s)]
    command += _seat(block, settings) + _monitor(settings)
    return command + [f"--folder={folder}" for folder in settings.folders]


def canary(
    accelerator: str, block: Block, settings: Settings, attempt: int, when: str
) -> list[str]:
    """The command that measures one canary."""
    output = block.path.with_suffix("") / f"{when}-{accelerator}.json"
    command = _command("canary", block.canaries[accelerator], settings, attempt, output)
    command += ["--output", str(output), "--block", block.name, "--when", when]
    command += _seat(block, settings) + _monitor(settings)
    return [*command, "--accelerators", *settings.accelerators]


def known_steps(steps: File, settings: Settings, attempt: int) -> list[str]:
    """The command that measures the known steps."""
    command = _command("known_steps", steps, settings, attempt, Path(steps.path))
    return [*command, *_monitor(settings), "--output", steps.path]


def log_of(file: Path, results: Path) -> Path:
    """The log of a file: ``logs/<scale>/...`` of a record, ``logs/self_test/...`` of others."""
    inside = file.relative_to(results)
    parts = inside.parts[1:] if inside.parts[0] == "records" else inside.parts
    return results.joinpath("logs", *parts).with_suffix(".log")


def _seat(block: Block, settings: Settings) -> list[str]:
    about = ["--results", str(settings.results), "--around", block.around]
    return [*about, "--device", str(settings.device)]


def _monitor(settings: Settings) -> list[str]:
    asked = settings.monitor_interpreter
    return ["--monitor-interpreter", asked] if asked else []


def _command(program: str, timed: Timed, settings: Settings, attempt: int, file: Path) -> list[str]:
    command = [sys.executable, "-s", str(PROGRAM), program, "--identity", timed.identity]
    command += ["--deployment", "interpreter", "--definition", timed.column.definition]
    command += ["--environment", timed.column.marker]
    command += ["--memory-gib", settings.memory_gib, "--attempt", str(attempt)]
    return [*command, "--log", str(log_of(file, settings.results))]
