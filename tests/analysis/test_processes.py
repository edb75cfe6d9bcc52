"""Parts of a command in processes beside each other: what they could not use is said once."""

import os
import signal
import time
from functools import partial

import pytest

from analysis.formats.errors import InputError
from analysis.formats.processes import in_processes


def fail(lines):
    raise InputError(lines)


def test_what_a_part_could_not_use_comes_line_by_line():
    with pytest.raises(InputError) as caught:
        in_processes([int, partial(fail, ["one", "two"])])
    assert caught.value.lines == ["one", "two"]


def test_a_file_that_cannot_be_used_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        in_processes([(tmp_path / "none").read_text])
    assert caught.value.filename == str(tmp_path / "none")


def test_a_part_that_was_killed_is_no_success():
    with pytest.raises(SystemExit, match="was killed"):
        in_processes([lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: None])


def test_after_a_failure_nothing_more_is_begun(tmp_path):
    def late(number):
        time.sleep(0.05)
        (tmp_path / str(number)).write_text("done")

    with pytest.raises(InputError):
        in_processes([partial(fail, "first"), *(partial(late, number) for number in range(50))])
    assert len(list(tmp_path.iterdir())) < 25
