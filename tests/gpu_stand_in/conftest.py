"""Simulated machines for tests: libraries and environments are made once and kept in the cache."""

import os
import subprocess

import pytest

from . import build, environment
from .machine import Machine

ASKED = "MILLISTEP_GPU_STAND_IN"  # set: frameworks for CUDA are deployed and run, too


@pytest.fixture(scope="session")
def cache():
    return build.default_cache()


@pytest.fixture(scope="session")
def libraries(cache):
    """What is written down, without the wishes of any wheel but one that nobody has written."""
    return build.built(cache, wishes={"cufftPlan1d": "libcufft.so.12"})


@pytest.fixture
def machine(tmp_path, libraries):
    """``machine(driver=..., ...)``: one with these settings; libraries without any framework's."""
    return lambda **settings: Machine(tmp_path, libraries).set(**settings)


@pytest.fixture(scope="session")
def frameworks():
    """What runs a framework for CUDA does so where that is asked for: it deploys gigabytes."""
    if not os.environ.get(ASKED):
        pytest.skip(f"deploys and runs frameworks for CUDA, 9 GB, where {ASKED} is set")


@pytest.fixture(scope="session")
def pytorch(cache, frameworks):
    """The interpreter and the libraries of an environment with PyTorch for CUDA."""
    marker = environment.deployed("pytorch", cache)
    return marker["interpreter"], build.built_for(marker["prefix"], cache)


@pytest.fixture(scope="session")
def program(libraries, cache, tmp_path_factory):
    """``program("behaviour")``: compiled against the headers and the libraries."""

    def compiled(name, libraries=libraries, *options):
        target = tmp_path_factory.mktemp("programs") / name
        build.compile_program(build.PROGRAMS / f"{name}.c", target, libraries, cache, *options)
        return target

    return compiled


def completed(command, machine, timeout=120, **more):
    """A command on a machine, with what it has said."""
    environ = machine.environ(**more)
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=timeout)
