"""What padding costs is an upper bound with an interval, and explains what the interval allows."""

import math
import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quiet_table import JAX, TORCH, found, one_run_only
from record_changes import takes
from time_changes import LENGTHS, generating, padded, scale

from analysis.caveats import collect
from analysis.caveats.groups import grouped
from analysis.data import Data
from analysis.report.methods_text import methods_text
from analysis.statistics.call_time import fit
from analysis.statistics.intervals import Interval, mean_interval
from analysis.topics.padding.compute import (
    PADDING_FAMILIES,
    Share,
    explains,
    shares,
    without_padding,
)
from planning.identity import PADS

OWN = (44, 50)


def call_ms(new_tokens, length, a=30.0, b=2.0, c=0.01):
    """At 44 new tokens and length 50: 30 + 88 + 22 = 140 ms, of which 22 go with the length."""
    return a + b * new_tokens + c * new_tokens * length


def timed(ms=call_ms, noise=None, kinds=LENGTHS, blocks=5, drift=1.0):
    """New tokens, length, ms and number of calls: blocks of two of each kind; `drift` between the
    row's own calls and the probes.
    """
    scatter = (lambda: noise.gauss(1, 0.01)) if noise else (lambda: 1.0)
    own = [(*OWN, ms(*OWN) * scatter(), 2) for _ in range(2 * blocks)]
    each = [kind for kind in kinds for _ in range(blocks)]
    return own + [(*kind, ms(*kind) * drift * scatter(), 2) for kind in each]


def fit_of(calls):
    return fit(*zip(*calls, strict=True))


@pytest.mark.parametrize(
    ("kinds", "ms", "share"),
    [
        (LENGTHS, call_ms, 22 / 140),
        # 60.8 / 14 = 4.34 ms a token at length 20, 806 / 194 = 4.15 at 200: no slope over lengths
        (((14, 20), (94, 100), (194, 200)), call_ms, 22 / 140),
        # reading a longer prompt, 20 ms at length 50, is counted as padding
        (LENGTHS, lambda n, length: call_ms(n, length) + 0.4 * length, (22 + 20) / 160),
    ],
)
def test_the_share_by_hand(kinds, ms, share):
    found = fit_of(timed(ms, kinds=kinds))
    assert found.share == pytest.approx(share)
    assert found.standard_error == pytest.approx(0, abs=1e-6)
    assert found.degrees_of_freedom == 25 - 3


@pytest.mark.parametrize("kinds", [(), ((44, 200),), ((14, 20),)])
def test_lengths_that_cannot_separate_the_terms_give_no_share(kinds):
    assert fit_of(timed(kinds=kinds)) is None


def test_fewer_tokens_than_inputs_are_no_answers_and_have_no_share(quiet):
    """As a model of one's own may count them in a row that generates nothing."""
    quiet.plan["models"]["bert"]["architecture"]["max_length"] = 50
    quiet.change(lambda r: r["work"].update(tokens_per_step=r["cell"]["batch_size"] - 1))
    results = quiet.load()
    assert shares(Data(results)) == {}


def test_as_many_times_as_terms_have_no_interval():
    found = fit_of([(*kind, call_ms(*kind), 2) for kind in (OWN, *LENGTHS[:2])])
    assert found.share == pytest.approx(22 / 140) and found.interval is None


def test_the_interval_within_a_run_covers_the_truth():
    noise = random.Random(1)
    fits = [fit_of(timed(noise=noise)) for _ in range(1000)]
    ends = [found.interval for found in fits]
    covered = sum(interval.low <= 22 / 140 <= interval.high for interval in ends)
    assert 930 <= covered <= 970
    assert fmean(found.share for found in fits) == pytest.approx(22 / 140, abs=0.0005)


def test_the_interval_over_runs_covers_the_truth_where_each_run_drifts():
    """3 % between a run's own calls and its probes, which no scatter within the run shows."""
    noise = random.Random(2)
    over = within = 0
    for _ in range(1000):
        fits = [fit_of(timed(noise=noise, drift=noise.gauss(1, 0.03))) for _ in range(3)]
        intervals = mean_interval([found.share for found in fits]), fits[0].interval
        hits = [interval.low <= 22 / 140 <= interval.high for interval in intervals]
        over, within = over + hits[0], within + hits[1]
    assert 930 <= over <= 970
    assert within < 800


def test_the_interval_over_runs_by_hand():
    # mean 0.12, deviation 0.02, Student's factor of two degrees of freedom 4.3027
    interval = mean_interval([0.10, 0.12, 0.14])
    half = 4.3027 * 0.02 / 3**0.5
    assert (interval.low, interval.high) == pytest.approx((0.12 - half, 0.12 + half), rel=1e-4)
    assert mean_interval([0.1]) is None


def share(low, high, runs=3):
    value = (low + high) / 2
    return Share(value, Interval(low, high), dict.fromkeys(range(1, runs + 1), value), unused=0.45)


def test_what_is_left_of_a_ratio_by_hand():
    left = without_padding(Interval(7.0, 8.0), share(0.1, 0.2), fast_share=0.0)
    # all positions at most: 7 x 0.8; the empty ones at least: 8 x (1 - 0.45 x 0.1)
    assert (left.low, left.high) == pytest.approx((5.6, 7.64))
    # where a quarter of the faster one's time is padding, too, the ratio may be 4/3 of that
    both = without_padding(Interval(7.0, 8.0), share(0.1, 0.2), fast_share=0.25)
    assert (both.low, both.high) == pytest.approx((5.6, 7.64 * 4 / 3))
    assert without_padding(Interval(7.0, 8.0), share(0.1, 0.2), fast_share=1.0).high == math.inf
    one_run = share(0.1, 0.4, runs=1)
    assert without_padding(Interval(7.0, 8.0), one_run, fast_share=0.0) is None


SLOW = Interval(2.1, 2.2)


@pytest.mark.parametrize(
    ("ratio", "of", "fast_share", "expected"),
    [
        (Interval(7.0, 8.0), share(0.1, 0.2), 0.0, False),
        (Interval(7.0, 8.0), share(0.1, 0.2), 1.0, False),
        (SLOW, share(0.4, 0.5), 0.0, True),
        (SLOW, share(0.4, 0.5), 0.05, True),
        (SLOW, share(0.4, 0.5), 0.5, None),  # both pad alike
        (SLOW, share(0.4, 0.5), 1.0, None),
        (SLOW, share(0.1, 0.2), 0.0, None),
        (SLOW, share(0.4, 0.5, runs=1), 0.0, None),
        (Interval(1.9, 2.2), share(0.4, 0.5), 0.0, None),
        (None, share(0.4, 0.5), 0.0, None),
        (SLOW, None, 0.0, None),
    ],
)
def test_padding_explains_what_the_intervals_allow(ratio, of, fast_share, expected):
    assert explains(ratio, of, fast_share, 2.0) is expected


@given(
    low=st.floats(1.0, 9),
    width=st.floats(0, 3),
    middle=st.floats(-0.2, 0.9),
    half=st.floats(0, 0.3),
    more=st.floats(0, 0.5),
    fast_share=st.floats(0, 1),
)
def test_wider_intervals_never_decide_more(low, width, middle, half, more, fast_share):
    ratio = Interval(low, low + width)
    wider = Interval(low / (1 + more), (low + width) * (1 + more))
    wide = share(middle - half - more, middle + half + more)
    decided = explains(wider, wide, min(1, fast_share + more), 2.0)
    if decided is not None:
        assert explains(ratio, share(middle - half, middle + half), fast_share, 2.0) is decided


@pytest.fixture
def project(quiet):
    """Keras 3 on PyTorch pads."""
    padded(quiet)
    return quiet


def caveat_of(project):
    (caveat,) = found(project, "static_padding")
    return caveat.sentence.replace("\u00a0", " "), caveat


def test_the_caveat_says_share_interval_scope_and_no_more_and_methods_what_was_fitted(project):
    sentence, caveat = caveat_of(project)
    assert sentence.startswith(
        "BERT fit at paper scale with preset weights on Example CPU, 2 cores"
    )
    assert "29 % [29 %, 29 %] (3 runs) in Keras 3 (PyTorch)" in sentence  # 8.8 of 30.4 ms
    assert "max_length 20, 50, 100 and 200. All 50 positions are taken as padding" in sentence
    assert "static padding costs at most the upper end" in sentence
    (evidence,) = caveat.evidence.values()
    assert evidence["padding_share"] == pytest.approx(8.8 / 30.4)
    assert [c["max_length"] for c in evidence["calls"]] == [20, 50, 100, 200]
    (text,) = (text for text in methods_text(project.load()) if "generate()" in text)
    assert "max_length: 14 at 20, 44 at 50, 44 at 100 and 44 at 200" in text
    assert "Student's t over the runs' own shares" in text


def test_runs_that_differ_in_speed_bend_no_means_by_length(project):
    def slower_at_the_shortest_and_longest_alone(r):
        scale(r, 1.1)
        r["probes"] = [probe for probe in r["probes"] if probe["max_length"] != 100]

    for run in (2, 3):
        project.change(slower_at_the_shortest_and_longest_alone, TORCH, run=run)
    sentence, caveat = caveat_of(project)
    (evidence,) = caveat.evidence.values()
    means = {(call["new_tokens"], call["max_length"]): call["ms"] for call in evidence["calls"]}
    assert means == pytest.approx(
        {(n, length): 4 + 0.4 * n + 0.004 * n * length for n, length in means}
    )
    assert "max_length 20, 50, 100 and 200" in sentence and "(3 runs)" in sentence
    assert "200 (100 not in every run). All 50" in sentence and evidence["calls_of_runs"] == [1]
    (text,) = (text for text in methods_text(project.load()) if "generate()" in text)
    assert "44 at 200 (max_length 100 not in every run); longer" in text


def test_padding_that_cannot_explain_a_slow_column_is_reported_with_its_bound(project):
    project.change(lambda r: generating(r, lambda n, length: 0.1 * n), JAX)
    sentence, _ = caveat_of(project)
    # 30.4 of 4.4 ms are 6.91, of which 1 - 8.8 / 30.4 is left
    assert "takes 6.91× [6.91×, 6.91×] the time of Keras 3 (JAX)" in sentence
    assert "padding does not explain it, without any it would still be at least 4.91×" in sentence
    results = project.load()
    (group,) = (g for g in grouped(collect(results), results) if g.cause.name == "static_padding")
    assert group.summary.endswith(
        " Padding is not why Keras 3 (PyTorch) is slow in 1 of 1 row: without it the time would "
        "still be at least 4.91× that of the fastest."
    )
    # twice the fastest is worth explaining, less is not
    for ms, said in ((15.1, True), (15.3, False)):
        project.change(lambda r, ms=ms: takes(r, ms), JAX)
        sentence, _ = caveat_of(project)
        assert ("takes 2.01× [2.01×, 2.01×] the time of Keras 3 (JAX)" in sentence) is said
        assert sentence.endswith(" of each interval.") is not said


def test_of_a_padded_column_without_a_share_the_reason_is_told(project):
    project.change(lambda r: r["parity"].update(cache="static, 50 positions"), JAX)
    assert "The cache of Keras 3 (JAX) is static as well" in caveat_of(project)[0]
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.3), JAX)
    sentence, _ = caveat_of(project)
    assert sentence.endswith("Nothing is said of Keras 3 (JAX), which cannot be compared.")
    assert "static as well" not in sentence


def test_one_run_bounds_itself_alone_and_explains_nothing(project):
    one_run_only(project)
    project.change(lambda r: generating(r, lambda n, length: 0.1 * n), JAX)
    sentence, _ = caveat_of(project)
    assert "(within one run)" in sentence and "in that run; another may differ" in sentence
    assert "at most" not in sentence and "one run cannot tell whether padding explains" in sentence


def test_a_column_that_pads_nothing_has_no_share(project):
    for column in project.plan["columns"]:
        column["family"] = "pytorch"
    assert shares(project.data()) == {}


def test_lengths_are_timed_again_of_the_families_that_are_judged():
    assert PADS == PADDING_FAMILIES


def test_the_blocks_of_a_probe_are_its_scatter(project):
    def blocks(r):
        for probe in r["probes"]:
            half = probe["elapsed_ns"] // 2
            times = (half - half // 50, half + half // 50)
            probe["blocks"] = [{"steps": 1, "elapsed_ns": ns} for ns in times]

    def width():
        found = shares(project.data())
        return next(share.interval for key, share in found.items() if key[-1] == TORCH)

    one_run_only(project)
    without = width()
    project.change(blocks, TORCH)
    assert width().high - width().low > 2 * (without.high - without.low)


def test_a_negative_share_is_clipped_in_the_sentence_alone(project):
    project.change(lambda r: generating(r, lambda n, length: 5 * n - 0.001 * n * length), TORCH)
    sentence, caveat = caveat_of(project)
    assert "0 % [0 %, 0 %] (3 runs) in Keras 3 (PyTorch)" in sentence
    assert next(iter(caveat.evidence.values()))["padding_share"] == pytest.approx(-0.05 / 4.95)
