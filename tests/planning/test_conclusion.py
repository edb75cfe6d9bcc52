"""The last lines on the terminal, with the command that would show more."""

import json
import os
import shlex
import shutil

import pytest

from planning.conclusion import Call, lines
from planning.config import on_the_command_line

from ..shared import put, succeed

ROWS = "{default: 3, bert: {fit: {8: 5}}}"


def test_sentences_then_the_command_and_nothing_where_there_is_no_file(tmp_path):
    path = tmp_path / "conclusion.json"
    assert lines(path, Call()) == []
    more = {"runs": "3", "text": "measures 2 more rounds"}
    path.write_text(json.dumps({"sentences": ["Nothing is shown."], "more_rounds": more}))
    assert lines(path, Call(by_make=True)) == [
        "Nothing is shown.",
        "`make ARGS='--config runs=3'` measures 2 more rounds.",
    ]
    assert lines(path, Call(overrides=("scale=paper",), on_nodes=True))[1] == (
        "The same command with `--config scale=paper runs=3` measures 2 more rounds."
    )
    assert lines(path, None) == ["Nothing is shown."]
    path.write_text(json.dumps({"sentences": ["All is shown."], "more_rounds": None}))
    assert lines(path, Call()) == ["All is shown."]


OVERRIDDEN = Call(use_conda=True, overrides=("scale=smoke", "runs=2"), configfiles=("own.yaml",))
STUDY = Call(by_make=True, study="patch", configfiles=("config/studies/patch.yaml",))
OTHER = Call(by_make=True, study="patch", configfiles=("mine/patch.yaml",))
COMMANDS = [
    (Call(), "3", "snakemake --cores 1 --config runs=3"),
    (
        OVERRIDDEN,
        *("3", "snakemake --cores 1 --use-conda --configfile own.yaml --config scale=smoke runs=3"),
    ),
    (Call(), ROWS, f"snakemake --cores 1 --config 'runs={ROWS}'"),
    (Call(by_make=True), ROWS, f"make ARGS=\"--config 'runs={ROWS}'\""),
    (
        Call(configfiles=("config/config.yaml", "own.yaml"), slots=2),
        *("3", "snakemake --cores 2 --configfile config/config.yaml own.yaml --config runs=3"),
    ),
    (Call(by_make=True, slots=2), "3", "make ARGS='--cores 2 --config runs=3'"),
    (STUDY, "7", "make study NAME=patch ARGS='--config runs=7'"),
    (OTHER, "7", "make ARGS='--configfile mine/patch.yaml --config runs=7'"),
]


@pytest.mark.parametrize(("call", "runs", "expected"), COMMANDS)
def test_the_command_is_the_users_own_with_other_runs(call, runs, expected):
    assert call.with_runs(runs) == expected


@pytest.mark.parametrize("by_make", [False, True])
def test_what_is_asked_for_arrives_through_make_shell_and_the_command_line(tmp_path, by_make):
    """The user's own overrides may hold anything."""
    hostile = "folders=[\"a 'b' $HOME `c` !d\"]"
    command = Call(by_make=by_make, overrides=(hostile,)).with_runs(ROWS)
    (tmp_path / "Makefile").write_text("run:\n\t@snakemake $(ARGS)\n")
    put(tmp_path / "snakemake", '#!/bin/sh\nprintf "%s\\n" "$@"\n', program=True)
    path = f"{tmp_path}:{os.path.dirname(shutil.which('make'))}:/usr/bin:/bin"
    words = succeed(["bash", "-c", command], cwd=tmp_path, env={"PATH": path}).splitlines()
    found = on_the_command_line(words[words.index("--config") + 1 :])
    assert found["runs"] == {"default": 3, "bert": {"fit": {8: 5}}}
    assert found["folders"] == ["a 'b' $HOME `c` !d"], shlex.split(command)
