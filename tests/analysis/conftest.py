import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workflow"))


@pytest.fixture
def project(tmp_path):
    from results_factory import Project

    return Project(tmp_path)
