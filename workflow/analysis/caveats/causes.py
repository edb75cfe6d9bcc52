"""What a cause is told with, from the measurements."""

import numpy as np

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


NUMBERS = {"noise": smallest_difference}  # what stands in the braces of a cause's title
