"""How a first attempt at a run ended, what it leaves, and what the second makes of it."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from bundle.session import Session

from bundle import commands
from supervise import sitting
from supervise.marks import Mark

from ..shared import gone, python, wait_for
from .block_kit import BUNDLE, FILE, block, record

pytestmark = pytest.mark.usefixtures("block_folder")


class Cell:
    """The program of one run; with hang it does not end, and writes its process ids into a file."""

    def __init__(self, hang: bool = False):
        trouble = {"trouble": "leaves_a_grandchild", "pids": "pids"} if hang else {}
        self.block = block(two=trouble)
        self.file = Path(self.block.runs[0].path)

    def command(self, attempt: int = 1) -> list[str]:
        settings = Session(BUNDLE, None, None)._settings
        return commands.cell(self.block.runs[0], self.block, settings, attempt)

    def start(self, attempt: int = 1, *options: str, **environ: str) -> subprocess.Popen:
        command, pipe = self.command(attempt), subprocess.PIPE
        environ = {**os.environ, **environ}
        return subprocess.Popen([*command, *options], env=environ, stderr=pipe, text=True)

    def run(self, attempt: int = 1, *options: str, **environ: str) -> tuple[int, str]:
        process = self.start(attempt, *options, **environ)
        _, said = process.communicate(timeout=60)
        return process.returncode, said

    def ended_by(self, how: int, **environ: str) -> int:
        """Exit status of the first attempt, ended with all its processes while it measures."""
        process = self.start(**environ)
        child, grandchild = map(int, wait_for(Path("pids")).split())
        Path("pids").unlink()
        process.send_signal(how)
        process.communicate(timeout=30)
        assert gone(child)
        if how == signal.SIGKILL:
            os.kill(grandchild, signal.SIGKILL)
        assert gone(grandchild) and not self.file.exists()
        return process.returncode


def test_a_supervisor_that_was_killed_says_so_in_its_second_attempt_and_no_sooner():
    assert Cell(hang=True).ended_by(signal.SIGKILL) == -signal.SIGKILL
    assert Cell().run(attempt=1)[0] == 0  # an attempt of another start, which measures
    assert record("two")["status"] == "ok"
    Cell().file.unlink()
    assert Cell(hang=True).ended_by(signal.SIGKILL) == -signal.SIGKILL
    assert Cell().run(attempt=2)[0] == 0
    assert record("two")["status"] == "killed"
    assert not list(FILE.parent.rglob(".*"))


ENDED_AT_ITS_END = """\
import os, runpy, signal, sys
sys.path.insert(0, {workflow!r})
from supervise.marks import Mark
end = Mark.end
def ended(mark, **how):
    end(mark, **how) if {how} == signal.SIGTERM else None
    os.kill(os.getpid(), {how})
Mark.end = ended
sys.argv = {arguments!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""


FAULTY = """\
import runpy, sys
sys.path.insert(0, {workflow!r})
from supervise import parent
def run(*_):
    raise ValueError("a fault of ours")
parent.run = run
sys.argv = {arguments!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def changed(program: str, cell: Cell, **words: int) -> subprocess.CompletedProcess[str]:
    """The program of one run, changed by another one that starts it."""
    command = cell.command()
    place = command.index(str(commands.PROGRAM))
    text = program.format(workflow=str(commands.PROGRAM.parent), arguments=command[place:], **words)
    return subprocess.run([*command[:place], "-c", text], capture_output=True, text=True)


def ended_at_its_end(cell: Cell, how: signal.Signals) -> subprocess.CompletedProcess[str]:
    """The program of one run, to which a signal comes when all is written."""
    return changed(ENDED_AT_ITS_END, cell, how=int(how))


def test_what_was_measured_before_its_supervisor_was_killed_stays():
    cell = Cell()
    killed = ended_at_its_end(cell, signal.SIGKILL)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    measured = cell.file.read_bytes()
    cell.file.unlink()  # as Snakemake does with what a job that failed has written
    status, said = cell.run(attempt=2)
    assert (status, cell.file.read_bytes()) == (0, measured), said
    assert record("two")["status"] == "ok" and not list(FILE.parent.rglob(".*"))


def test_what_ends_with_the_job_of_its_block_is_killed_in_the_second_one():
    second = sitting.share(slot=0, slots=1, attempt=2)
    assert Cell(hang=True).ended_by(signal.SIGTERM, **sitting.share(0, 1, 1)) == 143
    assert Cell().run(**second)[0] == 0
    found = record("two")
    assert (found["status"], found["session"]["attempt"]) == ("killed", 2)
    # A run that was not begun by then is measured.
    Cell().file.unlink()
    assert Cell().run(**second)[0] == 0
    assert record("two")["status"] == "ok"


def test_a_job_may_be_ended_in_any_order_of_its_processes():
    # The framework's first: the run is no record of the first attempt, which Snakemake may remove.
    process = Cell(hang=True).start(**sitting.share(0, 1, 1))
    child, _ = map(int, wait_for(Path("pids")).split())
    os.kill(child, signal.SIGTERM)
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    assert (process.wait(timeout=30), Cell().file.exists()) == (143, False)
    assert Cell().run(**sitting.share(0, 1, 2))[0] == 0
    assert record("two")["status"] == "killed"
    # At its very end: then it is measured.
    Cell().file.unlink()
    assert ended_at_its_end(Cell(), signal.SIGTERM).returncode == 0
    assert record("two")["status"] == "ok" and not list(FILE.parent.rglob(".*"))


def test_snakemake_does_not_go_on_with_a_job_of_which_a_run_was_ended_first():
    command = Cell(hang=True).command()
    goes_on = f"import pathlib, subprocess; subprocess.run({command!r}); pathlib.Path('on').touch()"
    snakemake = subprocess.Popen([sys.executable, "-c", goes_on])
    child, _ = map(int, wait_for(Path("pids")).split())
    os.kill(psutil.Process(child).ppid(), signal.SIGTERM)
    time.sleep(0.5)
    snakemake.terminate()
    assert snakemake.wait(timeout=30) == -signal.SIGTERM
    assert gone(child) and not Path("on").exists()


def test_what_is_interrupted_is_measured_by_the_next_start_as_if_nothing_had_been():
    cell = Cell(hang=True)
    assert cell.ended_by(signal.SIGINT) == 130
    assert not list(FILE.parent.rglob(".*"))
    assert Cell().run(**sitting.share(0, 1, 2))[0] == 0
    assert record("two")["status"] == "ok"


@pytest.mark.parametrize(("ignored", "said"), [(True, "goes on\n"), (False, "ends\n")])
def test_a_terminal_that_is_closed_ends_what_nohup_does_not_protect(ignored, said):
    handler = "SIG_IGN" if ignored else "SIG_DFL"  # these tests may be under nohup themselves
    assert python("-c", HUNG_UP.format(handler=handler)) == said


HUNG_UP = """\
import os, signal
from supervise.interrupts import end_by_interrupt
signal.signal(signal.SIGHUP, signal.{handler})
end_by_interrupt()
try:
    os.kill(os.getpid(), signal.SIGHUP)
    print("goes on")
except KeyboardInterrupt:
    print("ends")
"""


def test_a_run_that_was_refused_is_not_tried_again_nor_said_twice():
    changed = "--source=measure/child.py"
    status, said = Cell().run(1, changed)
    (line,) = said.splitlines()
    assert (status, "was changed since the plan; run snakemake again" in line) == (1, True)
    assert Cell().run(2, changed) == (1, "")
    assert not Cell().file.exists()
    # One that was killed before it began to measure has no record: the second attempt measures.
    assert Cell().run(2)[0] == 0 and record("two")["status"] == "ok"
    assert not list(FILE.parent.rglob(".*"))


def test_a_fault_of_ours_is_shown_once_and_is_no_kill():
    failed = changed(FAULTY, Cell())
    assert (failed.returncode, "a fault of ours" in failed.stderr) == (1, True)
    assert Cell().run(2) == (1, "")
    assert not Cell().file.exists()
    assert not list(FILE.parent.rglob(".*"))


def test_what_was_measured_stays_where_its_copy_has_no_room(monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    assert Cell().run()[0] == 0
    mark = Mark(Path("results"), Cell().file, "smoke/fake/fit-b4/round1")
    mark.begin()
    monkeypatch.setattr("supervise.marks.write_atomically", full)
    mark.keep()
    assert mark.restore(Cell().block.runs[0].identity)
