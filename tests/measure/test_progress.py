"""The line of progress that each run prints."""

import json

from supervise import progress

from .conftest import identity


def test_progress_counts_runs_as_planned_and_estimates_the_rest(tmp_path):
    runs = [{"record": f"run{n}.json", "identity": identity(number=n)} for n in range(4)]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"cells": [{"runs": runs[:2]}, {"runs": runs[2:]}]}))
    for n in (0, 1):
        content = {"identity": runs[n]["identity"], "total_s": 10.0 + n}
        (tmp_path / f"run{n}.json").write_text(json.dumps(content))
    (tmp_path / "run2.json").write_text(json.dumps({"identity": "older", "total_s": 1000}))
    line = progress.line(plan, identity(number=2), tmp_path)
    assert line == "[3/4] fake fit, batch 4, fake, run 1; about 21 s left"
    again = progress.line(plan, identity(changes={"again": True}), tmp_path)
    assert again == "fake fit, batch 4, fake, run 1, once more for the self-test"
