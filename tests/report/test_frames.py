import numpy as np
import pytest

from millistep.analysis.frames import CELL
from millistep.analysis.load import load
from tests.analysis_fixtures import files, write

pytestmark = pytest.mark.quick


def test_means_are_geometric_means_of_run_means(six):
    for key, group in six.runs.groupby(CELL):
        windows = six.windows.set_index([*CELL, "run"]).loc[[(*key, run) for run in group["run"]]]
        sums = windows.groupby("run")[["elapsed_ns", "steps"]].sum()
        expected = np.exp(np.log(sums["elapsed_ns"] / sums["steps"] / 1e6).mean())
        assert six.cells.set_index(CELL).loc[key, "ms"] == pytest.approx(expected)


def test_no_frame_holds_objects(six):
    for name in ("runs", "windows", "operations", "probes", "metadata", "cells", "ratios"):
        frame = getattr(six, name)
        for column in frame.columns[frame.dtypes.eq(object)]:
            assert not frame[column].map(type).isin([list, dict, tuple]).any(), (name, column)


def test_a_ratio_and_its_inverse_agree(six):
    swapped = six.ratios.rename(columns={"base": "configuration", "configuration": "base"})
    both = six.ratios.merge(swapped, on=[*CELL, "base"], suffixes=("", "_back"))
    assert len(both) == len(six.ratios) > 0
    assert both["ratio"].to_numpy() == pytest.approx(1 / both["ratio_back"])
    assert both["low"].to_numpy() == pytest.approx(1 / both["high_back"])


@pytest.mark.parametrize(("share", "status"), [(0.85, "ok"), (0.02, "invalid")])
def test_a_reference_next_to_other_work_judges_no_run(share, status, tmp_path):
    content = files("six_columns")
    for path, reference in content.items():
        if "/reference/" in path:
            reference["foreign_cpu_share"] = share
            for product in reference["matmul"]:
                product["flops_per_s"] = 1e6
    found = load(write(tmp_path, content)).runs
    assert set(found["status"]) == {status}
    assert found["best_flops_per_s"].isna().all() == (status == "ok")
