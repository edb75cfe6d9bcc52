"""What several rules show signs of: a reader meets it as one caveat, with one thing to do."""

from __future__ import annotations

import numpy as np

from analysis.caveats.core import Cause, Changes
from analysis.data import Data
from analysis.formats.text import count, percent

ONE_OF_TEN = 0.1


def smallest_difference(data: Data) -> tuple[str, str]:
    """Return what differences mean nothing on this machine, and how that was found: they lie within
    the 95 % interval of the ratio in nine of ten pairs of columns.
    """
    ends = data.ratios.dropna(subset=["ci95_low", "ci95_high"])
    ends = ends[ends["faster"] < ends["slower"]]  # each pair once
    if ends.empty:
        return "single runs show no difference", (
            "How large a difference has to be is not known: no two columns share two rounds."
        )
    reach = np.sqrt((ends["ci95_high"] / ends["ci95_low"]).astype(float)) - 1
    found = percent(reach.quantile(ONE_OF_TEN))
    return f"differences under {found} mean nothing", (
        f"The 95 % interval of the ratio of two columns reaches farther than {found} to either "
        f"side in nine of ten of {count(len(ends), 'pair')}; of a larger difference the interval "
        "says whether it means anything."
    )


NOISE = Cause(
    "noise",
    "This machine was not quiet: {}",
    "Other work, clocks or heat changed its speed between and within runs.",
    Changes.ORDER,
    "Close other programs, fix the clocks, remove these records and start again; or add rounds.",
    smallest_difference,
)
REACH = Cause(
    "reach",
    "Other machines and sizes may rank the columns differently",
    "This table is about its own models, batch sizes and devices.",
    Changes.ORDER,
    "Set scale: paper and, if you decide about a GPU, accelerator: cuda.",
)
SETTINGS = Cause(
    "settings",
    "Columns of a row did not run with the same settings",
    "Part of a difference may come from that instead of from the framework.",
    Changes.ORDER,
    "Add a column with the setting of the other one, and compare these two.",
)
OVERHEAD = Cause(
    "overhead",
    "Overhead decides these times more than arithmetic",
    "A larger batch or model may rank the columns differently.",
    Changes.ELSEWHERE,
    "Measure a larger batch size or model; a compiled column shows what Python costs.",
)
CLOCKS = Cause(
    "clocks",
    "Timed in another way, these steps take another time",
    "How a step is timed is part of its number.",
    Changes.ELSEWHERE,
    "Compare these times only with others that were taken from fence to fence.",
)
UNTESTED = Cause(
    "untested",
    "Not everything could be checked",
    "Nothing is known to be wrong there, and nothing is known to be right.",
    Changes.UNTESTED,
    "Install psutil (nvidia-ml-py for a GPU) and start again: what is missing is measured.",
)
