"""The pipeline in conda environments: by the conda on the PATH, or else by a stand-in."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..shared import put
from .conftest import TABLE

MINIMUM = (24, 7, 1)
# The commands of conda that Snakemake calls, on virtual environments, for machines without one.
CONDA = """\
#!{python}
import json, subprocess, sys
from pathlib import Path

words = sys.argv[1:]
if words == ["--version"]:
    print("conda 26.7.1")
elif words[0] == "info":
    print(json.dumps({{"conda_prefix": "{root}", "platform": "linux-64", "env_vars": {{}}}}))
elif words[0] == "config":
    print(json.dumps({{"get": {{"channel_priority": "strict"}}}}))
elif words[:2] == ["env", "create"]:
    prefix = Path(words[words.index("--prefix") + 1])
    subprocess.run([sys.executable, "-m", "venv", str(prefix)], check=True)
    (prefix / "conda-meta").mkdir()
"""
ACTIVATE = 'export CONDA_PREFIX="$1" PATH="$1/bin:$PATH"\n'


def stand_in(root: Path) -> Path:
    """The folder with the stand-in, for the PATH."""
    text = CONDA.format(python=sys.executable, root=root)
    folder = put(root / "bin/conda", text, program=True).parent
    return put(folder / "activate", ACTIVATE).parent


def usable_conda():
    """True if Snakemake would accept the conda on the PATH."""
    if not shutil.which("conda"):
        return False
    version = subprocess.run(["conda", "--version"], capture_output=True, text=True).stdout
    return tuple(map(int, re.findall(r"\d+", version)[:3])) >= MINIMUM


@pytest.fixture
def path(tmp_path):
    """A PATH with a conda."""
    own = os.environ["PATH"]
    return own if usable_conda() else f"{stand_in(tmp_path / 'conda')}{os.pathsep}{own}"


def test_conda_and_virtual_environments_never_mix_silently(fresh, path):
    # Two columns that share nothing; the others differ in their locks alone.
    fresh.configure(columns=["keras3-jax", "pytorch-eager"])
    wanted = ("--quiet", "all", "--use-conda", "--", "environments", TABLE)
    done = fresh.snakemake(*wanted, PATH=path)
    assert done.returncode == 0, done.stderr
    assert len(fresh.found()) == 4
    for record in fresh.found():
        assert record["status"] == "ok"
        assert record["environment"]["method"] == "conda"
    # Frameworks are installed as they are needed: the first number waits for its own alone.
    said = done.stderr
    assert said.index(" ms/step") < said.rindex(": being deployed")

    # A framework that cannot be installed costs no finished record, nor the start.
    before = fresh.records()
    lock = fresh.folder / "envs/2026-11/cpu/pytorch.post-deploy.sh"
    locked = lock.read_bytes()
    lock.write_text(re.sub(r"(?m)^accelerate==\S+", "accelerate==99.9", lock.read_text()))
    fresh.configure(models={"bert": {"fit": "default", "predict": 2}})
    done = fresh.snakemake(*wanted, PATH=path)
    assert done.returncode != 0
    after = fresh.records()
    assert {name: after[name] for name in before} == before
    new = {name.split("/")[-2]: json.loads(after[name]) for name in {*after} - {*before}}
    assert new["keras3-jax"]["status"] == "ok"
    assert "does not have accelerate==99.9" in new["pytorch-eager"]["reason"]
    assert "accelerate==99.9" in (fresh.folder / TABLE).read_text()
    lock.write_bytes(locked)
    assert fresh.measured() == {"pytorch-eager": 1}

    # Without the flag nothing is measured again, and records say how they were.
    fresh.made("results/caveats.json")
    methods = {
        (record["cell"]["column"], record["cell"]["task"]): record["environment"]["method"]
        for record in fresh.found()
        if record["cell"]["batch_size"] in (2, 4)
    }
    assert methods["keras3-jax", "predict"] == methods["pytorch-eager", "fit"] == "conda"
    assert methods["pytorch-eager", "predict"] == "venv"
    caveats = json.loads((fresh.folder / "results/caveats.json").read_text())
    assert "conda" in json.dumps(caveats)
