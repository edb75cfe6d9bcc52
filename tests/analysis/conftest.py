import pytest
from results_factory import Project


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)
