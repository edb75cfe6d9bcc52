"""Width of the interval of padding's share of a `generate()` call, and how often it covers it.

Simulated runs of a call that takes a + b n + c n L for n new tokens at length L, 10 % of it c n L
at the row's own 44 tokens and length 50 and a fifth of it a. Each run times its own call 20 times
and those of the probes 8 times, in blocks of two. Calls scatter by 1.5 %. The calls of one kind
have a level of their own in each run (the machine drifts between them), which no scatter within
the run shows. Lines: the probes of the pipeline (equally many new tokens at each length), and
probes whose new tokens grow with the length; of these, how often the slope of ms per new token,
which leaves out that a call costs something by itself, says less than the truth.

Widths are in points of a share: 10 % and 1.4 % are 8.6 to 11.4 %.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))

from analysis.statistics.call_time import fit
from analysis.statistics.intervals import mean_interval

OWN = (44, 50)
GROWING = "growing with the length"
DESIGNS = {
    "as many new tokens": ((14, 20), (44, 100), (44, 200)),
    GROWING: ((14, 20), (94, 100), (194, 200)),
}
SHARE, PER_CALL = 0.10, 0.20
SCATTER, LEVELS = 0.015, (0.003, 0.01, 0.02)  # of single calls; of the kinds' levels in a run
OWN_BLOCKS, PROBE_BLOCKS, CALLS = 10, 4, 2
RUNS, EXPERIMENTS = (1, 2, 3, 5), 1000


def call_ms(new_tokens: int, length: int) -> float:
    """Expected time of a call, 100 ms at the row's own tokens and length."""
    tokens = (1 - SHARE - PER_CALL) * new_tokens / OWN[0]
    return 100 * (PER_CALL + tokens + SHARE * new_tokens * length / (OWN[0] * OWN[1]))


Call = tuple[int, int, float, int]  # new tokens, length, mean ms, and number of calls


def run(probes: tuple, level: float, generator: np.random.Generator) -> list[Call]:
    """The timed calls of one run."""
    found = []
    for kind in (OWN, *probes):
        blocks = OWN_BLOCKS if kind == OWN else PROBE_BLOCKS
        mean_ms = call_ms(*kind) * generator.normal(1, level)
        times = mean_ms * generator.normal(1, SCATTER / CALLS**0.5, blocks)
        found += [(*kind, float(ms), CALLS) for ms in times]
    return found


def slope_estimate(calls: list[Call]) -> float:
    """The slope of ms per new token over the probed lengths, at the row's own length."""
    times: dict[int, list[float]] = {}
    for tokens, length, ms, _ in calls:
        times.setdefault(length, []).append(ms / tokens)
    del times[OWN[1]]
    means = {length: float(np.mean(of_length)) for length, of_length in times.items()}
    short, long = min(means), max(means)
    slope = (means[long] - means[short]) / (long - short)
    return min(1.0, max(0.0, slope * OWN[1] / (means[short] + slope * (OWN[1] - short))))


def line(design: str, level: float, runs: int) -> list[str]:
    """One line of the table."""
    generator = np.random.default_rng(1)
    growing, widths, covered, too_low = design == GROWING, [], 0, 0
    for _ in range(EXPERIMENTS):
        each = [run(DESIGNS[design], level, generator) for _ in range(runs)]
        fits = [fit(*zip(*calls, strict=True)) for calls in each]
        interval = mean_interval([found.share for found in fits]) or fits[0].interval
        widths.append((interval.high - interval.low) / 2)
        covered += interval.low <= SHARE <= interval.high
        too_low += growing and slope_estimate(each[0]) < SHARE
    numbers = [np.median(widths), covered / EXPERIMENTS]
    numbers += [too_low / EXPERIMENTS] if growing else []
    shown = [f"{100 * number:.1f} %" for number in numbers] + [""] * (not growing)
    return [design, f"{100 * level:g} %", str(runs) if runs > 1 else "1 (within)", *shown]


def main() -> None:
    """Print the table."""
    head = ("probes", "level", "runs", "median half-width", "covers", "slope too low")
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for design in DESIGNS:
        for level in LEVELS:
            for runs in RUNS:
                print(f"| {' | '.join(line(design, level, runs))} |", flush=True)


if __name__ == "__main__":
    main()
