"""Crop and flip in Cython."""

from pathlib import Path

import numpy as np

from measure.native import cython_build
from measure.native.host_ways import Way


def way() -> Way:
    """Build the extension beside this file."""
    extension = cython_build.extension(Path(__file__).with_name("augment.pyx"))

    def augmented(
        pictures: np.ndarray, corners: np.ndarray, flips: np.ndarray, padding: int
    ) -> np.ndarray:
        """Pictures with black around them, cropped to their size, some flipped."""
        found = np.zeros_like(pictures)
        extension.augment(pictures, corners, flips.view(np.uint8), padding, found)
        return found

    return Way(augmented, (augmented,), "cython")
