"""Seconds of a package's import, whoever asks for it and however."""

import importlib.util
import sys
import time

import pytest

from measure.imports import timed

NAP_S = 0.05


@pytest.fixture
def package(tmp_path, monkeypatch):
    """One that takes its time, and another one that imports it."""
    (tmp_path / "takes_its_time.py").write_text(f"import time\ntime.sleep({NAP_S})\n")
    (tmp_path / "asks_for_it.py").write_text("import takes_its_time\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in ("takes_its_time", "asks_for_it"):
        sys.modules.pop(name, None)


def test_the_import_is_timed_where_another_package_asks_for_it(package):
    start = time.perf_counter()
    with timed("takes_its_time") as found:
        import asks_for_it  # noqa: F401
    assert NAP_S <= found.seconds <= time.perf_counter() - start


def test_whether_it_is_there_may_be_asked_before(package):
    with timed("takes_its_time") as found:
        assert importlib.util.find_spec("takes_its_time")
        assert found.seconds is None
        import takes_its_time  # noqa: F401
    assert found.seconds >= NAP_S


def test_what_nobody_imports_took_no_time_and_imports_are_as_before(package):
    before = [*sys.meta_path]
    with timed("takes_its_time") as found:
        pass
    assert found.seconds is None and sys.meta_path == before
