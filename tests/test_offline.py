"""docs/offline.md: the files carried to a machine without a network are enough there."""

import os
import re
import subprocess

from locks.definitions import definitions
from locks.pins import parse
from tests.shared import ROOT, put

PAGE = (ROOT / "docs/offline.md").read_text()


def test_the_page_fetches_what_each_lock_holds_and_nothing_else(tmp_path):
    """The page's first command is run with one lock and a stand-in for pip."""
    said = '#!/bin/sh\necho "$@" > words\n[ -s lock.txt ]\n'
    pip = put(tmp_path / "bin/python3", said, program=True)
    environ = {"PATH": f"{pip.parent}{os.pathsep}{os.environ['PATH']}"}
    command = re.search(r"^\$ (for lock in .*?done)$", PAGE, re.M | re.S)[1]
    for definition in definitions():
        one = re.sub(r"for lock in [^;]*;", f"for lock in {definition.path};", command)
        subprocess.run(["sh", "-c", one], cwd=tmp_path, env=environ, check=True)
        words = (tmp_path / "words").read_text().partition("download")[1:]
        assert "".join(words) == "download --no-deps --require-hashes -r lock.txt -d wheels\n"
        text = (tmp_path / "lock.txt").read_text()
        assert parse(text) == definition.pins()
        logical = text.replace("\\\n", "").splitlines()
        assert all(re.match(r"--|[a-z0-9-]+==", line) for line in logical), definition
