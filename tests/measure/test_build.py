"""Extensions are built in the run's scratch folder, and their builds are reported."""

import ctypes

import pytest

from measure.native import build, lines

ADD = """\
/* Adds. */
#include "sums.h"

int add_three(int number) { return add(number, 3); }
"""
HEADER = """\
#pragma once
static inline int add(int one, int other) { return one + other; }

/* Longer,
   and of another operation. */
static inline int adding(int one) {
    return one + 1; // not this one
}

static inline int add_twice(int one,
                            int other) {

    return add(add(one, other), other);
}
"""


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A user's own binding with its header, beside the scratch folder."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sums.h").write_text(HEADER)
    path = tmp_path / "own" / "add_c.c"
    path.write_text(ADD)
    monkeypatch.setenv("MILLISTEP_SCRATCH", str(tmp_path))
    build.scratch.cache_clear()
    yield path
    build.scratch.cache_clear()


def test_a_source_of_ones_own_is_built_from_where_it_lies(source, tmp_path):
    built = build.library(source, "callback")
    assert ctypes.CDLL(str(built.path)).add_three(4) == 7
    assert built.path.parent.parent == tmp_path
    assert {*source.parent.iterdir()} == {source, source.parent / "sums.h"}
    assert built.build_s > 0 and build.found() == built


def test_lines_are_those_of_the_binding_and_of_the_operations_part_of_its_header(source):
    assert build.library(source, "callback").lines == 2 + 1 + 4
    assert lines.of_operation(HEADER, "adding") == 3


def test_the_flags_of_fast_arithmetic_never_reach_the_linker(source):
    tuned, naive = (build.library(source, way, ["-Wall"], ["-lc"]) for way in ("native", "naive"))
    assert tuned.compile_flags == ["-O3", "-march=native", "-ffast-math", "-fPIC", "-Wall"]
    assert naive.compile_flags == ["-O3", "-fPIC", "-Wall"]
    assert tuned.link_flags == naive.link_flags == ["-lc", "-lm"]
    assert tuned.path != naive.path


def test_what_the_compiler_refuses_is_named_by_its_first_error(source):
    source.write_text("int broken(void) { return missing; }\n")
    with pytest.raises(build.BuildFailed, match=r"add_c\.c:1:.*error: .*missing"):
        build.library(source, "callback")
