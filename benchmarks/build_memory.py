"""Memory and seconds of building a model over the model's own size: no second copy may be held.

    python3 benchmarks/build_memory.py --scale paper --models gemma mistral --tasks generate

builds each in a fresh process and prints the largest resident memory (and that of the device), less
what the imports took, over the size of the weights.
"""

import resource
import sys
import time

from cells import asked, framework_of, last_line_inside, parser, planned, title


def main():
    options = asked(parser(__doc__, "paper"), inside)
    plan, runs = planned(options.scale, options.models, options.columns, options.tasks)
    print(f"{'cell':44}weights (MiB)  host ratio  device ratio  seconds", flush=True)
    seen = set()
    for run in runs:
        once = (run.row.model, run.row.task, run.column.name)
        if once in seen:
            continue  # another batch size is the same model
        seen.add(once)
        print(f"{title(run):44}{last_line_inside(plan, run, __file__)}", flush=True)


def inside(identity):
    """Build the model in this process, which runs in the framework's environment."""
    framework = framework_of(identity)
    framework.load()
    before_mib = peak_rss_mib()
    start = time.perf_counter()
    framework.build()
    seconds = time.perf_counter() - start
    bytes_each = 2 if identity["architecture"].get("dtype") == "bfloat16" else 4
    weights_mib = framework.work()["parameters"] * bytes_each / 2**20
    host = (peak_rss_mib() - before_mib) / weights_mib
    device_mib = framework.peak_device_mib()
    device = f"{device_mib / weights_mib:14.2f}" if device_mib else f"{'none':>14}"
    return f"{weights_mib:13.0f}{host:12.2f}{device}{seconds:9.0f}"


def peak_rss_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        2**10 if sys.platform == "linux" else 2**20
    )


if __name__ == "__main__":
    main()
