"""Measure the runs of this bundle, in the planned order; see README.txt.

    python3 run_bundle.py --interpreter keras3-jax=PATH --interpreter pytorch=PATH

Started again, it goes on where it stopped.
"""

import os
import sys

if sys.version_info < (3, 11):
    sys.exit("millistep: Python 3.11 or later is needed, this is " + sys.version.split()[0])

ROOT = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(ROOT, "workflow"))

from bundle.command import main  # noqa: E402 (the path above is how it is found)

if __name__ == "__main__":
    sys.exit(main(ROOT))
