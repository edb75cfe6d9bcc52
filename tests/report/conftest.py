import pytest

from millistep.analysis import load as loading
from tests.analysis_fixtures import files, write


@pytest.fixture(scope="session")
def six(tmp_path_factory):
    """Two workloads with six configurations and three rounds."""
    return loading.load(write(tmp_path_factory.mktemp("six"), files("six_columns")))


@pytest.fixture(scope="session")
def h100(tmp_path_factory):
    return loading.load(write(tmp_path_factory.mktemp("h100"), files("h100")))
