# SPDX-License-Identifier: Apache-2.0
"""Take half a processor at random times, like another virtual machine on the same host.

For about 10 seconds it computes 5 of every 10 milliseconds, then it sleeps for about 20 seconds,
until it is interrupted:

    python benchmarks/neighbor.py &
    make
    kill %1
"""

import random
import time

ON_S, OFF_S, SLICE_S = (5.0, 15.0), (10.0, 30.0), 0.005


def main() -> None:
    """Alternate between both states; each takes a random time within its limits."""
    while True:
        ends_s = time.monotonic() + random.uniform(*ON_S)
        while time.monotonic() < ends_s:
            rests_s = time.perf_counter() + SLICE_S
            while time.perf_counter() < rests_s:
                pass
            time.sleep(SLICE_S)
        time.sleep(random.uniform(*OFF_S))


if __name__ == "__main__":
    main()
