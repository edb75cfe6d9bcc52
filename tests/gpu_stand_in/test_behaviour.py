"""The stand-in does what CUDA's documentation says: order, time, graphs, memory, errors, PTX."""

import re

import pytest

from . import build
from .conftest import WISHES, completed

CASE = re.compile(r"^    CASE\((\w+)\),$", re.M)
CASES = {
    case: name
    for name in ("streams", "graphs", "memory", "ptx", "records")
    for case in CASE.findall((build.PROGRAMS / f"{name}.c").read_text())
}
SAID = {
    "a_function_that_is_missing_says_its_name": "cufftPlan1d",
    "what_is_not_understood_is_refused": "vote.sync.all.pred \t%p1, %p2, -1",
}
SMALL = {"memory_mib": 64, "kernel_us": 1000, "copy_gb_s": 1, "clock": "stands"}
SMALL |= {"kernel_us_of": {"long": 10000}}
OTHER = {
    "waiting_takes_as_long_as_the_work": {"clock": "host"},
    "a_device_that_failed_stays_so": {"fault": "2 700"},
    "a_device_whose_clocks_fall_takes_longer": {"slow": "3 0.5"},
}
SANITIZERS = {
    "address": {"ASAN_OPTIONS": "detect_leaks=0"},  # what is kept on purpose is no leak
    "thread": {"TSAN_OPTIONS": "halt_on_error=1"},
}


@pytest.fixture(scope="module")
def programs(program):
    return {name: str(program(name)) for name in set(CASES.values())}


@pytest.mark.parametrize("case", CASES)
def test_as_documented(programs, machine, case):
    done = completed([programs[CASES[case]], case], machine(**SMALL | OTHER.get(case, {})))
    assert done.returncode == 0, done.stderr
    told = f"gpu stand-in: {SAID[case]} is not implemented\n" if case in SAID else ""
    assert done.stderr == told


@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_nothing_is_found_by_a_sanitizer(program, machine, sanitizer):
    option = f"-fsanitize={sanitizer}"
    libraries = build.built(WISHES, extra=(option,))
    programs = {name: program(name, libraries, option) for name in set(CASES.values())}
    for case, name in CASES.items():
        on = machine(**SMALL | OTHER.get(case, {}))
        variables = {"LD_LIBRARY_PATH": str(libraries), **SANITIZERS[sanitizer]}
        done = completed([str(programs[name]), case], on, **variables)
        assert "Sanitizer" not in done.stderr, f"{case}: {done.stderr}"
        assert done.returncode == 0, f"{case}: {done.stderr}"


def test_the_log_counts_launches_by_kernel_and_says_when_all_was_done(programs, machine):
    on = machine(**SMALL)
    case = "streams_run_side_by_side_and_events_order_them"
    done = completed([programs[CASES[case]], case], on)
    assert done.returncode == 0, done.stderr
    (process,) = on.processes()
    assert process.kernels == {"long": 22}
    assert [fence.launches for fence in process.fences] == [20, 22]
    assert process.fences[0].busy_ns == 20 * 10_000_000
