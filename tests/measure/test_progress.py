"""A run's line on the terminal: its time left, and its cost."""

import json
import os
import sys
import time

from millistep.supervise import cell

from ..shared import ROOT, put, succeed
from .conftest import ENVIRONMENT, cell_options, identity, wanted

# Prints each file of the results that the program opens.
PROGRAM = """
import runpy, sys
own = lambda event, found: event == "open" and "/results/" in str(found[0])
sys.addaudithook(lambda event, found: own(event, found) and print("opened", found[0]))
runpy.run_path(sys.argv.pop(1), run_name="__main__")
"""
OTHERS = 50


def opened(folder, place):
    """Return the files of the results that a run opens, and its line on the terminal."""
    results = folder / "results"
    marker = put(results / "environments/fake.json", json.dumps(ENVIRONMENT))
    options = {
        "identity": identity(changes={"extras": [], "probes": []}),
        "environment": wanted(marker),
        "log": results / "run1.log",
        "results": results,
        "record": results / "records/smoke/fake/fit-b4/fake/run1.json",
        "place": place,
    }
    command = [sys.executable, "-c", PROGRAM, ROOT / "workflow", "cell", *cell_options(**options)]
    own_lock = {**os.environ, "MILLISTEP_LOCKS": str(folder)}
    lines = succeed(command, env=own_lock).splitlines()
    return sorted(line for line in lines if line.startswith("opened ")), lines


def test_a_run_reads_no_record_of_another_run(tmp_path):
    alone, lines = opened(tmp_path, f"1/{OTHERS + 1}")
    assert any(line.startswith("[1/51] fake fit, batch 4, fake, run 1: ") for line in lines)
    (record,) = tmp_path.glob("results/records/**/run1.json")
    for number in range(2, OTHERS + 2):
        record.with_name(f"run{number}.json").write_bytes(record.read_bytes())
    assert opened(tmp_path, f"{OTHERS + 1}/{OTHERS + 1}")[0] == alone


def test_the_time_left_is_known_when_the_last_member_of_a_round_ends(tmp_path):
    """Members end within seconds, so the first one would make each run look six times as long."""
    records = [tmp_path / f"{name}.json" for name in "abc"]
    members = [str(record) for record in records]
    hour_ago = str(time.time_ns() - 3600 * 10**9)
    for record in records[:2]:
        record.touch()
    assert cell._left(0.5, hour_ago, members) == ""
    records[2].touch()
    assert cell._left(0.5, hour_ago, members) == "; about 60 min left"
    assert cell._left(1.0, hour_ago, members) == ""
    assert cell._left(0.5, "a3f09c11", members) == ""  # a bundle's start
    assert cell._left(0.5, None, members) == ""
    os.utime(records[0], ns=(0, 0))  # an earlier start wrote it
    assert cell._left(0.5, hour_ago, members) == ""
