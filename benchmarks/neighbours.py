"""Times a cell beside busy neighbours: alone in its slot, and with all others busy.

Each slot has its own processors and GPU, as in a table with ``slots``; memory, caches and clocks
are shared. The neighbours measure the same cell, again and again, each in a slot of its own.
"""

import contextlib
import json
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from cells import environment_of, parser, planned, reported_ms, title


def main():
    options = parser(__doc__.partition("\n")[0], "smoke")
    options.add_argument("--pairs", type=int, default=5)
    options.add_argument("--slots", type=int, default=2)
    options = options.parse_args()
    if options.inside:
        inside(json.loads(options.inside))
        return
    wanted = (options.models or ["bert"], options.columns, options.tasks or ["predict"])
    plan, runs = planned(options.scale, *wanted, slots=options.slots)
    print(f"{'cell':44}{'alone':>10}{'beside':>10}  difference, 95 % interval", flush=True)
    for run in runs:
        alone, beside = compared(plan, run, options.pairs)
        print(f"{title(run):44}{mean(alone):8.2f}ms{mean(beside):8.2f}ms  {words(alone, beside)}")


def compared(plan, run, pairs):
    """``{pair: ms/step}`` of a cell alone and beside neighbours, in a random order in each pair."""
    identity = {**json.loads(run.identity), "extras": [], "probes": []}
    wanted = {
        "identity": json.dumps(identity, sort_keys=True),
        "environment": environment_of(plan, run),
        "slots": plan.slots,
        "time_limit_s": plan.time_limit_s,
    }
    found, rng = {"alone": {}, "beside": {}}, random.Random(1)
    for pair in range(pairs):
        for how in rng.sample(sorted(found), 2):
            others = range(1, plan.slots) if how == "beside" else ()
            with contextlib.ExitStack() as stack:
                for slot in others:
                    stack.enter_context(busy({**wanted, "slot": slot, "again": True}))
                with started({**wanted, "slot": 0, "again": False}) as process:
                    found[how][pair] = float(process.stdout.readline())
    return found["alone"], found["beside"]


@contextlib.contextmanager
def busy(wanted):
    """Run a neighbour that has measured once and goes on."""
    with started(wanted) as process:
        process.stdout.readline()
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)


def started(wanted):
    command = [sys.executable, "-s", __file__, "--inside", json.dumps(wanted)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def inside(wanted):
    """Print ms/step of the cell in a slot, once or until an interrupt."""
    from supervise import machine, parent
    from supervise.interrupts import end_by_interrupt
    from supervise.slots import keep_to

    end_by_interrupt()
    keep_to(wanted["slot"], wanted["slots"])
    with contextlib.suppress(KeyboardInterrupt), tempfile.TemporaryDirectory() as folder:
        limits = (wanted["time_limit_s"], machine.memory_limit_mib("auto") / wanted["slots"])
        log = Path(folder, "run.log")
        job = parent.Job(wanted["identity"], wanted["environment"], log, *limits)
        while True:
            record = parent.run(job, Path(folder, "run.json"))
            if record["status"] != "ok":
                sys.exit(f"{record['status']}: {record['reason']}")
            print(reported_ms(record), flush=True)
            if not wanted["again"]:
                return


def mean(times):
    return sum(times.values()) / len(times)


def words(alone, beside):
    """The ratio and its interval in words, for example ``+2.1 % [+1.5, +2.7]``."""
    from analysis.statistics.intervals import paired_ratio

    ratio = paired_ratio(beside, alone)
    low, high = (100 * (end - 1) for end in (ratio.interval.low, ratio.interval.high))
    return f"{100 * (ratio.value - 1):+.1f} % [{low:+.1f}, {high:+.1f}]"


if __name__ == "__main__":
    main()
