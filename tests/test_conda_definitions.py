"""What conda makes of the yaml files in envs/, without the network."""

import asyncio
import json
import tarfile

import pytest
import rattler
import yaml
from rattler.exceptions import SolverError
from rattler.index import index_fs

from tests.environment_definitions import ENVS, OLDER, YAMLS


@pytest.fixture(scope="module")
def local_channel(tmp_path_factory) -> str:
    """A conda channel of two empty packages: is a yaml solvable, without the network?"""
    folder = tmp_path_factory.mktemp("channel")
    for name, version, depends in (("python", "3.11.7", []), ("pip", "25.0", ["python >=3.9"])):
        index = {"name": name, "version": version, "build": "0", "build_number": 0}
        index |= {"depends": depends, "subdir": "noarch", "noarch": "generic"}
        info = folder / "info" / "index.json"
        info.parent.mkdir(exist_ok=True)
        info.write_text(json.dumps(index))
        (folder / "noarch").mkdir(exist_ok=True)
        with tarfile.open(folder / "noarch" / f"{name}-{version}-0.tar.bz2", "w:bz2") as archive:
            archive.add(info, "info/index.json")
    asyncio.run(index_fs(folder))
    return folder.as_uri()


def solve(channel: str, dependencies: list[str]) -> set[str]:
    platforms = ["linux-64", "noarch"]
    found = asyncio.run(rattler.solve([channel], dependencies, platforms=platforms))
    return {record.name.normalized for record in found}


@pytest.mark.parametrize("path", YAMLS + OLDER)
def test_yaml_is_solvable(local_channel, path):
    dependencies = yaml.safe_load((ENVS / path).read_text())["dependencies"]
    assert solve(local_channel, dependencies) == {"python", "pip"}


def test_an_unsolvable_list_is_noticed(local_channel):
    with pytest.raises(SolverError):
        solve(local_channel, ["python=3.10", "pip"])
