import pytest

from tests.models.libraries import TASKS, Tasks


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """Results of the tasks of all files of tests that are collected."""
    home = tmp_path_factory.mktemp("home")
    return Tasks(TASKS, home, TORCHINDUCTOR_CACHE_DIR=str(home / "inductor"))
