"""The salt of a folder of results: one for all jobs, whichever of them draws it or is killed."""

import os
from pathlib import Path

import pytest

from supervise import whereabouts
from supervise.whereabouts import SALT, node


def test_a_job_that_is_killed_while_it_draws_the_salt_spoils_it_for_no_other(tmp_path, monkeypatch):
    def killed(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(whereabouts.secrets, "token_hex", killed)
        node(tmp_path)
    assert node(tmp_path) == node(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [SALT]


def test_the_salt_is_that_of_the_job_that_was_first(tmp_path, monkeypatch):
    link = os.link

    def late(source, target):
        Path(target).write_text("another\n")
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    node(tmp_path)
    assert (tmp_path / SALT).read_text() == "another\n"


def test_a_file_system_without_hard_links_keeps_a_salt_as_well(tmp_path, monkeypatch):
    def refused(source, target):
        raise PermissionError(1, "Operation not permitted", source)

    monkeypatch.setattr(os, "link", refused)
    assert node(tmp_path) == node(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [SALT]
