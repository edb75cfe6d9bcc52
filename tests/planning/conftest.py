"""Fixtures that the tests of planning share."""

import json

import pytest

from planning import identity
from supervise import sources

from ..shared import ROOT
from .test_config import plan


@pytest.fixture
def remeasured(monkeypatch):
    """``remeasured(file, **config)``: the (model, column) of runs that a changed line in a file of
    workflow/measure, or beside it, measures again; ("", "known steps") if it measures these again.
    """

    def digests(config):
        identity._sources.cache_clear()
        made = plan(**config)
        found = {(r.row.model, r.column.name): json.loads(r.identity)["sources"] for r in made.runs}
        found["", "known steps"] = made.controls.known_steps.identity
        identity._sources.cache_clear()
        return found

    def of(file, **config):
        before, content, changed = digests(config), sources._content, ROOT / "workflow" / file
        assert changed.is_file()
        with monkeypatch.context() as patched:
            patched.setattr(sources, "_content", lambda f: content(f) + b"#" * (f == changed))
            after = digests(config)
        return {cell for cell in before if before[cell] != after[cell]}

    return of
