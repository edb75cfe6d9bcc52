"""Findings of a run's samples within the timed window."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from millistep.supervise import samples

S = 10**9


def sample(at_s, **readings):
    names = "joules", "counter", "load", "frequency_mhz", "throttle_events", "swapped_mib", "gpu"
    return {**dict.fromkeys(names), "at_ns": round(at_s * S), **readings}


def gpu_reading(**changes):
    ranges = dict.fromkeys(samples.RANGES, 1)
    memory = {"process_memory_mib": None, "free_memory_mib": None}
    return {**ranges, **memory, "throttle_reasons": [], "foreign_processes": 0, **changes}


def test_device_memory_of_the_process_is_that_of_the_window_and_what_was_free_that_of_the_end():
    held = (100.0, 700.0, None, 900.0, 50.0)
    seen = [
        sample(at_s, gpu=gpu_reading(process_memory_mib=mib, free_memory_mib=1000.0 - at_s))
        for at_s, mib in enumerate(held)
    ]
    gpu = samples.summary(seen, (1 * S, 3 * S), 1.0)["gpu"]
    assert gpu["process_memory_mib"] == {"min": 700.0, "median": 800.0, "max": 900.0}
    assert samples.last_free_mib(seen) == 996.0
    assert samples.last_free_mib([sample(1)]) is None
    unknown = [sample(1, gpu=gpu_reading())]
    assert samples.summary(unknown, (0, 2 * S), 1.0)["gpu"]["process_memory_mib"] is None


def test_only_samples_inside_the_timed_window_count():
    loads = [sample(at_s, load=float(at_s), frequency_mhz=1000.0 + at_s) for at_s in range(10)]
    seen = samples.summary(loads, (3 * S, 6 * S), 1.0)
    assert (seen["samples"], seen["load_max"]) == (4, 6.0)
    assert seen["frequency_mhz"] == {"min": 1003.0, "median": 1004.5, "max": 1006.0}
    assert (seen["throttled"], seen["swapped_mib"], seen["gpu"]) == (None, None, None)


def test_without_a_window_or_samples_there_is_no_monitor_and_no_energy():
    assert samples.summary([sample(1)], None, 1.0) is None
    assert samples.summary([], (1 * S, 2 * S), 1.0) is None
    counted = [sample(at_s, joules=at_s, counter="rapl") for at_s in range(10)]
    assert samples.energy(counted, None, 5) is None
    assert samples.energy(counted, (20 * S, 30 * S), 5) is None


def test_a_window_between_two_samples_has_what_others_did_before_and_after_it_and_no_clocks():
    readings = [
        gpu_reading(throttle_reasons=["sync boost"], foreign_processes=5),
        gpu_reading(throttle_reasons=["power cap"], foreign_processes=1),
        gpu_reading(throttle_reasons=["power brake"]),
        gpu_reading(throttle_reasons=["display clocks"]),
    ]
    taken = [sample(at_s, load=1.0, gpu=reading) for at_s, reading in enumerate(readings)]
    seen = samples.summary(taken, (round(1.2 * S), round(1.4 * S)), 1.0)
    assert (seen["samples"], seen["load_max"]) == (0, None)
    told = {"throttle_reasons": ["power brake", "power cap"], "foreign_processes": 1}
    assert seen["gpu"] == dict.fromkeys((*samples.RANGES, "process_memory_mib")) | told


def test_counters_grow_from_just_before_the_window_to_just_after_it():
    counts = [sample(at_s, throttle_events=7 * at_s, swapped_mib=1.5) for at_s in range(10)]
    seen = samples.summary(counts, (round(3.5 * S), round(6.5 * S)), 1.0)
    assert (seen["throttled"], seen["swapped_mib"]) == (7 * 4, 0.0)


@given(
    power_w=st.floats(1, 1000),
    interval_s=st.floats(0.01, 1.0),
    start_s=st.floats(1, 5),
    length_s=st.floats(3, 20),
    steps=st.integers(1, 1000),
)
def test_constant_power_gives_its_joules_at_any_time(power_w, interval_s, start_s, length_s, steps):
    times = [interval_s * number for number in range(int(30 / interval_s))]
    counted = [sample(at_s, joules=5 + power_w * at_s, counter="nvml") for at_s in times]
    window = (round(start_s * S), round((start_s + length_s) * S))
    found = samples.energy(counted, window, steps)
    assert found["joules_per_step"] == pytest.approx(power_w * length_s / steps, rel=1e-6)
    assert found["counter"] == "nvml"


def test_energy_is_that_of_the_window_and_not_of_the_compilation_before_it():
    # 10 W until second 10, then 110 W: the window begins between two samples.
    joules = [10 * at_s + 100 * max(0, at_s - 10) for at_s in range(40)]
    counted = [sample(at_s, joules=more, counter="rapl") for at_s, more in enumerate(joules)]
    found = samples.energy(counted, (round(10.5 * S), round(30.5 * S)), 20)
    assert found["joules_per_step"] == pytest.approx(110)


def test_energy_is_not_guessed_beyond_the_samples():
    counted = [sample(at_s, joules=at_s, counter="rapl") for at_s in (2, 3, 4)]
    assert samples.energy(counted, (1 * S, 4 * S), 5) is None
    assert samples.energy(counted, (2 * S, 5 * S), 5) is None
    assert samples.energy(counted, (2 * S, 4 * S), 5)["joules_per_step"] == pytest.approx(0.4)


def test_ranges_reasons_and_foreign_processes_of_the_gpu():
    readings = [
        gpu_reading(power_w=300.0, throttle_reasons=["power cap"]),
        gpu_reading(power_w=350.0, foreign_processes=2),
        gpu_reading(power_w=340.0, throttle_reasons=["power cap", "power brake"]),
    ]
    taken = [sample(number, gpu=reading) for number, reading in enumerate([*readings, None])]
    gpu = samples.summary(taken, (0, 9 * S), 1.0)["gpu"]
    assert gpu["power_w"] == {"min": 300.0, "median": 340.0, "max": 350.0}
    assert gpu["throttle_reasons"] == ["power brake", "power cap"]
    assert gpu["foreign_processes"] == 2


def test_what_no_reading_of_the_gpu_tells_is_not_known():
    untold = gpu_reading(throttle_reasons=None, foreign_processes=None)
    gpu = samples.summary([sample(1, gpu=untold)], (0, 9 * S), 1.0)["gpu"]
    assert gpu["throttle_reasons"] is None and gpu["foreign_processes"] is None
    told = [sample(1, gpu=untold), sample(2, gpu=gpu_reading(foreign_processes=1))]
    gpu = samples.summary(told, (0, 9 * S), 1.0)["gpu"]
    assert (gpu["throttle_reasons"], gpu["foreign_processes"]) == ([], 1)
