"""Compares the best matrix products of libraries with what this processor's multiply-add units can
do, in float32 and with the threads of the runs: by so much a run may be faster than a product.
"""

import ctypes
import json
import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from cells import asked, last_line_inside, parser, planned

LIBRARIES = {"pytorch-eager": "torch", "keras3-jax": "jax"}  # by column
SIZES = (512, 768, 1024, 2048)
ROUNDS = 5
PART_S = 0.3
TURNS = 10_000_000
CHAINS, LANES = 12, 16  # enough that no addition waits for the one before
LOOP = f"""
typedef float vector __attribute__((vector_size(4 * {LANES})));
float turns(long n) {{
  vector sums[{CHAINS}], factor, one;
  for (int i = 0; i < {LANES}; i++) factor[i] = 0.999f, one[i] = 1.0f;
  for (int j = 0; j < {CHAINS}; j++) sums[j] = one * (float)j;
  for (long turn = 0; turn < n; turn++)
#pragma GCC unroll {CHAINS}
    for (int j = 0; j < {CHAINS}; j++) sums[j] = sums[j] * factor + one;
  float all = 0;
  for (int j = 0; j < {CHAINS}; j++) all += sums[j][0];
  return all;
}}
"""


def main():
    options = asked(parser(__doc__, "laptop"), products)
    plan, runs = planned(options.scale, models=["bert"], tasks=["fit"], columns=LIBRARIES)
    threads = json.loads(runs[0].identity)["threads"]
    peak = multiply_adds(threads)
    print(f"multiply-adds alone, {threads} threads: {peak:.0f} GFLOP/s")
    for run in runs:
        found = json.loads(last_line_inside(plan, run, __file__))
        best = max(found.values())
        listed = ", ".join(f"{value:.0f} at {size}" for size, value in found.items())
        print(f"{run.column.name}, products: {listed}; {100 * best / peak:.0f} % at best")


def multiply_adds(threads):
    """Return GFLOP/s of multiply-adds, the best of a few rounds, without memory and without a
    library.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, built = Path(folder, "loop.c"), Path(folder, "loop.so")
        source.write_text(LOOP)
        compiler = os.environ.get("CC", "gcc")
        flags = ["-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, str(source), "-o", str(built)], check=True)
        turns = ctypes.CDLL(str(built)).turns
        turns.argtypes, turns.restype = [ctypes.c_long], ctypes.c_float
        return max(together(turns, threads) for _ in range(ROUNDS))


def together(turns, threads):
    """Return GFLOP/s of the loop in several threads at once; ctypes releases Python's lock."""
    workers = [threading.Thread(target=turns, args=(TURNS,)) for _ in range(threads)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return 2 * LANES * CHAINS * TURNS * threads / (time.perf_counter() - start) / 1e9


def products(identity):
    """Return GFLOP/s of products by size, the best of rounds in which all sizes take turns."""
    from millistep.measure.controls.matmul import library
    from millistep.measure.controls.reference import repeated
    from millistep.supervise.processors import pinned

    os.sched_setaffinity(0, pinned(identity["threads"]))
    library_name = LIBRARIES[identity["column"]]
    device = library({**identity, "library": library_name, "accelerator": "cpu"})
    works = {size: device.product("float32", size) for size in SIZES}
    best = dict.fromkeys(SIZES, 0.0)
    for _ in range(ROUNDS):
        for size, work in works.items():
            seconds = min(repeated(work, device.fence, 1, PART_S))
            best[size] = max(best[size], 2 * size**3 / seconds / 1e9)
    return json.dumps(best)


if __name__ == "__main__":
    main()
