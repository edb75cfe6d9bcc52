"""Lines of blocks that run beside each other come to one place, whole, and once."""

import io
import subprocess
import sys
from pathlib import Path

from supervise import running

WORKFLOW = Path(running.__file__).parents[1]
BLOCK = """\
import subprocess, sys
from pathlib import Path
sys.path.insert(0, {workflow!r})
from supervise import running
with running.told(Path(sys.argv[1]), "bert-fit-b4-round1", sys.argv[2]):
    print("[1/4] bert fit", file=sys.stderr)
    subprocess.run([sys.executable, "-c", "import sys; print('12.34\\\\x1b[2J', file=sys.stderr)"])
    if sys.argv[3:]:
        import os
        os._exit(9)
print("own again", file=sys.stderr)
"""


def block(folder, place, *more):
    command = [sys.executable, "-c", BLOCK.format(workflow=str(WORKFLOW)), str(folder), place]
    return subprocess.run([*command, *more], capture_output=True, text=True)


def test_lines_are_shown_with_their_place_when_they_are_whole_and_the_rest_at_the_end(tmp_path):
    stream = io.StringIO()
    shown = running.Shown(tmp_path, stream)
    file = tmp_path / "a@slot 2.txt"
    file.write_text("first\nsec")
    shown.look()
    assert stream.getvalue() == "slot 2: first\n"
    with file.open("a") as more:
        more.write("ond\nthi")
    file.rename(file.with_suffix(".ended"))
    shown.look()
    of_slot = "slot 2: first\nslot 2: second\nslot 2: thi\n"
    assert stream.getvalue() == of_slot
    done = block(tmp_path, "n1")
    assert (done.returncode, done.stderr) == (0, "own again\n")
    shown.look()
    shown.look()
    assert stream.getvalue() == f"{of_slot}n1: [1/4] bert fit\nn1: 12.34 [2J\n"
    assert list(tmp_path.iterdir()) == []


def test_a_killed_block_counts_until_its_next_attempt_and_not_in_the_next_start(tmp_path):
    block(tmp_path, "n1", "killed")
    assert running.at_once(tmp_path) == 1
    block(tmp_path, "n2", "killed")
    assert [path.name for path in tmp_path.iterdir()] == ["bert-fit-b4-round1@n2.txt"]
    stream = io.StringIO()
    shown = running.Shown(tmp_path, stream)
    shown.start()
    block(tmp_path, "n3")
    shown.stop()
    assert "n2" not in stream.getvalue() and "n3: [1/4] bert fit\n" in stream.getvalue()
    assert running.at_once(tmp_path) == 0
