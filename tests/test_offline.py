"""docs/offline.md: the files carried to a machine without a network are enough there."""

import os
import re
import subprocess

import pytest

from locks.definitions import definitions
from locks.pins import parse
from tests.shared import ROOT, put

PAGE = (ROOT / "docs/offline.md").read_text()


@pytest.fixture
def fetched(tmp_path):
    """``fetched(lock)``: arguments with which the page's first command calls pip for one lock."""
    said = '#!/bin/sh\necho "$@" > words\n[ -s lock.txt ]\n'
    pip = put(tmp_path / "bin/python3", said, program=True)
    command = re.search(r"^\$ (for lock in .*?done)$", PAGE, re.M | re.S)[1]
    environ = {"PATH": f"{pip.parent}{os.pathsep}{os.environ['PATH']}"}

    def of_lock(path):
        one = re.sub(r"for lock in [^;]*;", f"for lock in {path};", command)
        subprocess.run(["sh", "-c", one], cwd=tmp_path, env=environ, check=True)
        assert (tmp_path / "words").read_text().split()[2:] == (
            ["download", "--no-deps", "--require-hashes", "-r", "lock.txt", "-d", "wheels"]
        )
        return (tmp_path / "lock.txt").read_text()

    return of_lock


def test_the_page_fetches_what_each_lock_holds_and_nothing_else(fetched):
    for definition in definitions():
        text = fetched(definition.path)
        assert parse(text) == definition.pins()
        logical = text.replace("\\\n", "").splitlines()
        assert all(re.match(r"--|[a-z0-9-]+==", line) for line in logical), definition
