"""What the threads of XLA's pools compute on a processor, by the tasks that are in a trace."""

import json
from pathlib import Path

from millistep.measure.frameworks.xplane import Event, computing
from millistep.measure.operations import attributed

REAL = json.loads(Path(__file__).with_name("real_trace.json").read_text())
HOST = "/host:CPU"
POOL = "tf_XLAPjRtCpuClient/1"
POOLS = [f"tf_XLAEigen/{number}" for number in (1, 2)]
EVENTS_OF_POOLS = "ThreadpoolListener::"


def call(line, name, start, end, number, **facts):
    return Event(HOST, line, name, start, end - start, {"hlo_op": name, "_p": number, **facts})


def said_done(line, name, at, number):
    return Event(HOST, line, f"end: {name}", at, 1, {"_c": number})


def handed_on(line, at, *tasks):
    return [Event(HOST, line, EVENTS_OF_POOLS + "Record", at, 0, {"_p": task}) for task in tasks]


def task(line, start, end, number):
    """The task starts, and what its thread is at stops: two events."""
    return [
        Event(HOST, line, EVENTS_OF_POOLS + "StartRegion", start, 0, {"_c": number}),
        Event(HOST, line, EVENTS_OF_POOLS + "StopRegion", end, 0, {}),
    ]


def test_parts_of_an_operation_compute_until_they_call_what_comes_next_and_count_as_one():
    """The product's call returns at 10, its last part is done at 60, and the end is told at 160:
    the thread of the last part has run all that waited for the product before.
    """
    events = [
        call(POOL, "dot.1", 0, 10, 70),
        *handed_on(POOL, 2, 1),
        *task(POOLS[0], 20, 50, 1),
        *handed_on(POOLS[0], 21, 2),
        *task(POOLS[1], 25, 161, 2),
        call(POOLS[1], "fusion.2", 60, 90, 71),
        said_done(POOLS[1], "fusion.2", 90, 71),
        *handed_on(POOLS[1], 95, 3),
        *task(POOLS[0], 100, 110, 3),
        call(POOLS[1], "fusion.2", 120, 150, 72),
        said_done(POOLS[1], "dot.1", 160, 70),
    ]
    spans = computing(events, True)
    assert sorted(spans) == [
        (0, 10, "dot", (HOST, POOL), False),
        (20, 50, "dot", (HOST, POOLS[0]), True),
        (25, 60, "dot", (HOST, POOLS[1]), True),
        (60, 90, "fusion", (HOST, POOLS[1]), False),
        (120, 150, "fusion", (HOST, POOLS[1]), False),
    ]
    found = attributed(spans)
    assert {name: (of.ns, of.count, of.launched) for name, of in found.items()} == {
        "dot": (10 + 40, 1, 1),
        "fusion": (60, 2, 2),
    }


def test_a_task_computes_nothing_of_an_operation_that_is_done():
    """YNNPACK's threads take the work of any call; its own calls return when they are done."""
    events = [
        call(POOL, "ynn_fusion.1", 0, 40, 70),
        *handed_on(POOL, 1, 1, 2),
        *task(POOLS[0], 30, 90, 1),
        said_done(POOL, "ynn_fusion.1", 41, 70),
        call(POOL, "ynn_fusion.2", 42, 95, 71),
        *task(POOLS[1], 50, 80, 2),
    ]
    assert sorted(computing(events, True)) == [
        (0, 40, "ynn_fusion", (HOST, POOL), False),
        (30, 41, "ynn_fusion", (HOST, POOLS[0]), True),
        (42, 95, "ynn_fusion", (HOST, POOL), False),
    ]


def test_what_an_operation_hands_on_belongs_to_the_innermost_and_loops_and_others_have_no_parts():
    events = [
        call(POOL, "while.1", 0, 90, 70),
        *handed_on(POOL, 5, 1),
        *task(POOLS[0], 6, 9, 1),
        call(POOL, "call.2", 10, 80, 71),
        call(POOL, "dot.3", 20, 30, 72),
        *handed_on(POOL, 25, 2),
        *task(POOLS[0], 40, 50, 2),
        *handed_on(POOL, 60, 3),
        *task(POOLS[0], 61, 65, 3),
        Event(HOST, "python", "PjitFunction(<lambda>)", 0, 400, {}),
        *handed_on("python", 1, 4),
        *task(POOLS[1], 3, 8, 4),
        *task(POOLS[1], 10, 20, 5),  # it was handed on before the profile
    ]
    assert sorted(computing(events, True)) == [
        (10, 80, "call", (HOST, POOL), False),
        (20, 30, "dot", (HOST, POOL), False),
        (40, 50, "dot", (HOST, POOLS[0]), True),
        (61, 65, "call", (HOST, POOLS[0]), True),
    ]


def real_events():
    """Events of a step of JAX on two processors: three layers of 1,024 values, to which each adds
    what a layer of 4,096 makes of them, for 512 rows, with gradients.
    """
    for start, duration, line, name, number in REAL["events"]:
        event = REAL["names"][name]
        ends = event.endswith("StartRegion") or event.startswith("end: ")
        facts = {"_c" if ends else "_p": number}
        if ": " not in event and "::" not in event:
            facts |= {"hlo_op": event, "program_id": 1}
        yield Event(HOST, REAL["lines"][line], event, start, duration, facts)


def test_products_of_a_real_step_take_no_less_than_one_takes_alone():
    found = attributed(computing(list(real_events()), True))["dot"]
    assert found.count == 6
    # ms of the fastest of many calls of a program of one product, and the time of waiting threads
    assert 34.6 < found.ns / found.count / 1e6 < 1.5 * 34.6
