"""snakemake archive, on what was really measured, and its verification."""

import os
import re
import subprocess
import sys
import zipfile

ZIP = "results/millistep-smoke-cpu.zip"


def test_the_archive_of_a_real_run_verifies(project):
    done = project.snakemake("--quiet", "all", "--", "archive")
    assert done.returncode == 0, done.stderr
    assert "@software{millistep," in done.stdout and ZIP in done.stdout
    assert project.planned("archive") == {}
    verified = verify(project, ZIP)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert re.search(r"drawn anew (\d+) results, \1 identical", verified.stdout)
    # One command drew what is in it, and the rules, one by one, the same.
    with zipfile.ZipFile(project.folder / ZIP) as archive:
        drawn = [n for n in archive.namelist() if re.match(r"results/(figures/)?[^/]+$", n)]
        assert len(drawn) > 60
        for name in drawn:
            assert archive.read(name) == (project.folder / name).read_bytes(), name

    project.edit("CITATION.cff", "version: 0.1.0", "version: 0.1.1")
    assert project.planned("archive") == {"archive": 1}


def verify(project, path):
    command = [sys.executable, "-m", "analysis.archive.verify", path]
    env = {**os.environ, "PYTHONPATH": "workflow"}
    return subprocess.run(command, cwd=project.folder, env=env, capture_output=True, text=True)
