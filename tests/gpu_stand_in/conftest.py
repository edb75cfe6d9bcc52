"""Simulated machines for tests: libraries and environments are made once and kept in the cache."""

import os
import platform
import subprocess
import sys

import pytest

from millistep.deploy.virtual_environments import EnvironmentProblem

from . import build, harness
from .machine import Machine

ASKED = "MILLISTEP_GPU_STAND_IN"  # if set, all tests of this folder run
IS_ASKED = bool(os.environ.get(ASKED))
CELL = "test_columns.py::test_a_step_takes_what_its_device_did"
# The libraries' own tests in C without sanitizers, and one cell each of PyTorch and JAX.
ALWAYS = ("test_behaviour.py::test_as", f"{CELL}[pytorch-eager]", f"{CELL}[keras3-jax]")
WISHES = {"cufftPlan1d": "libcufft.so.12"}  # which nobody has written
FORGED = "a downloaded file is not the one that was locked"  # which no skip may hide


def pytest_collection_modifyitems(items):
    """Skip most tests of the simulator unless the environment variable requests them."""
    for item in items:
        _, here, test = item.nodeid.partition("gpu_stand_in/")
        if here and not IS_ASKED and not test.startswith(ALWAYS):
            item.add_marker(pytest.mark.skip(reason=f"runs if {ASKED} is set"))


@pytest.fixture(scope="session")
def libraries():
    """Libraries with the functions in ``src``, and one that is missing."""
    try:
        return build.built(WISHES)
    except build.CannotBuild as problem:
        pytest.skip(str(problem))


@pytest.fixture
def machine(tmp_path, libraries):
    """``machine(driver=..., ...)``: one with these settings, and libraries for no framework."""
    return lambda **settings: Machine(tmp_path, libraries).set(**settings)


@pytest.fixture(scope="session")
def environment_of(libraries):
    """``environment_of(column)``: the libraries of a column, whose environment for CUDA is there.

    Where they cannot be made (no network, no room) a test is skipped with the reason.
    """
    reasons = {}

    def of(column):
        if (sys.platform, platform.machine()) != ("linux", "x86_64"):
            pytest.skip("there are wheels for CUDA for Linux on x86-64 alone")
        if column not in reasons:
            try:
                return harness.environment_of(column)[1]
            except EnvironmentProblem as problem:
                if FORGED in problem.reason:
                    raise
                reasons[column] = problem.reason
        pytest.skip(reasons[column])

    return of


@pytest.fixture(scope="session")
def pytorch(environment_of):
    return environment_of("pytorch-eager")


@pytest.fixture(scope="session")
def program(libraries, tmp_path_factory):
    """``program("behaviour")``: a program compiled against the headers and the libraries."""

    def compiled(name, libraries=libraries, *options):
        target = tmp_path_factory.mktemp("programs") / name
        build.compile_program(build.PROGRAMS / f"{name}.c", target, libraries, *options)
        return target

    return compiled


def completed(command, machine, timeout=120, **more):
    """Run a command on a machine to its end, with what it has said."""
    environ = machine.environ(**more)
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=timeout)
