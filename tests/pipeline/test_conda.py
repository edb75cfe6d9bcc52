"""The same pipeline through conda environments, where a conda is on the PATH."""

import json
import re
import shutil
import subprocess

import pytest

MINIMUM = (24, 7, 1)


def usable_conda():
    """Whether Snakemake would accept the conda on the PATH."""
    if not shutil.which("conda"):
        return False
    version = subprocess.run(["conda", "--version"], capture_output=True, text=True).stdout
    return tuple(map(int, re.findall(r"\d+", version)[:3])) >= MINIMUM


@pytest.mark.skipif(
    not usable_conda(), reason="no conda of 24.7.1 or later on the PATH: conda is not tried"
)
def test_conda_and_virtual_environments_never_mix_silently(fresh):
    # Two columns that share nothing; the others differ in their locks alone.
    config = (fresh.folder / "config/config.yaml").read_text()
    config = re.sub(r"columns: .*", "columns: [keras3-jax, pytorch-eager]", config)
    (fresh.folder / "config/config.yaml").write_text(config)
    done = fresh.snakemake("--quiet", "all", "--use-conda")
    assert done.returncode == 0, done.stderr
    records = [json.loads(content) for content in fresh.records().values()]
    assert len(records) == 4
    for record in records:
        assert record["status"] == "ok"
        assert record["environment"]["method"] == "conda"

    # Without the flag nothing is measured again, and what is measured says how.
    assert fresh.measured() == {}
    fresh.edit("config/config.yaml", "fit: default", "fit: 2")
    done = fresh.snakemake("--quiet", "all")
    assert done.returncode == 0, done.stderr
    methods = {
        record["cell"]["task"]: record["environment"]["method"]
        for record in map(json.loads, fresh.records().values())
        if record["cell"]["batch_size"] != 4
    }
    assert methods == {"fit": "venv", "predict": "conda"}
    caveats = json.loads((fresh.folder / "results/caveats.json").read_text())
    assert "conda" in json.dumps(caveats)
