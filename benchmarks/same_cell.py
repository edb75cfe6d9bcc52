"""A/A: the same real cell measured under two names, again and again; how often are they told apart?

Each experiment measures one cell ``--runs`` times under each name, the two names in a random order
in each round, as the pipeline does, and asks for the verdict. At smoke scale a step is short and
noisy, which is the hard case. With ten rounds and more it also prints what fewer of them would have
shown.
"""

import argparse
import json
import random
import tempfile
from pathlib import Path

from cells import environment_of, ms_per_step, planned, title


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scale", default="smoke")
    parser.add_argument("--models", nargs="*", default=["bert"])
    parser.add_argument("--columns", nargs="*", help="all, unless told")
    options = parser.parse_args()
    plan, runs = planned(options.scale, options.models, options.columns)
    rng = random.Random(1)
    verdicts, outside = [], 0
    print(f"{'cell':44}{'B / A':>8}  95 % interval     verdict    in one best set", flush=True)
    for number in range(options.experiments):
        run = runs[number % len(runs)]
        names = experiment(plan, run, options.runs, rng)
        ratio, together = compared(names)
        verdicts.append(str(ratio.verdict))
        low, high = ratio.interval.low, ratio.interval.high
        outside += not low <= 1 <= high
        interval = f"[{low:.4f}, {high:.4f}]"
        print(
            f"{title(run):44}{ratio.value:8.4f}  {interval:18}{ratio.verdict:11}"
            f"{'yes' if together else 'no'}",
            flush=True,
        )
        of_fewer(names, rng)
    told_apart = sum(verdict in ("FASTER", "SLOWER") for verdict in verdicts)
    print(
        f"{len(verdicts)} pairs: {told_apart} called different; the interval misses 1 in {outside}"
    )


def of_fewer(names, rng, tries=2000):
    """Print the verdicts that fewer of the same rounds would have given, by numbers of rounds."""
    for rounds in (3, 5, 10):
        if rounds < len(names["A"]):
            apart = missed = 0
            for _ in range(tries):
                chosen = rng.sample(sorted(names["A"]), rounds)
                ratio, _ = compared({n: {k: runs[k] for k in chosen} for n, runs in names.items()})
                apart += str(ratio.verdict) in ("FASTER", "SLOWER")
                missed += not ratio.interval.low <= 1 <= ratio.interval.high
            print(
                f"  of {rounds} of these rounds, chosen anew {tries:,} times: called different in "
                f"{100 * apart / tries:.1f} %, 1 missed in {100 * missed / tries:.1f} %"
            )


def experiment(plan, run, rounds, rng):
    """``{name: {round: ms/step}}`` of the same cell under names A and B."""
    from supervise import machine, parent

    environment = environment_of(plan, run)
    identity = {**json.loads(run.identity), "extras": [], "probes": []}
    limits = (plan.time_limit_s, machine.memory_limit_mib(plan.memory_gib))
    names = {"A": {}, "B": {}}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1, rounds + 1):
            for name in rng.sample(sorted(names), 2):
                text = json.dumps({**identity, "run": number}, sort_keys=True)
                job = parent.Job(text, environment, Path(folder, "run.log"), *limits)
                record = parent.run(job, Path(folder, "run.json"))
                names[name][number] = ms_per_step(run, record)
    return names


def compared(names):
    """The ratio of B to A; True if both are in the best set."""
    from analysis.statistics.best_set import best_set
    from analysis.statistics.intervals import paired_ratio

    return paired_ratio(names["B"], names["A"]), len(best_set(names)) == 2


if __name__ == "__main__":
    main()
