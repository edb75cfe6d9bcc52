import pytest
from factory import Project


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)
