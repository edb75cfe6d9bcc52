"""What shares of padding, and what they explain, are in words: for its caveat and its claim."""

from analysis.formats.text import count, percent, times
from analysis.statistics.intervals import Ratio
from analysis.topics.padding.compute import Share, explains, without_padding


def share_text(share: Share) -> str:
    """'4.1 % [3.2 %, 5 %] (3 runs)'; a share that noise makes negative is printed as 0."""
    runs = count(len(share.by_run), "run") if share.over_runs else "within one run"
    if share.interval is None:
        return f"{_clipped(share.value)} ({runs}, no interval)"
    return (
        f"{_clipped(share.value)} [{_clipped(share.interval.low)}, "
        f"{_clipped(share.interval.high)}] ({runs})"
    )


def _clipped(value: float) -> str:
    return percent(min(1.0, max(0.0, value)))


def explanation(ratio: Ratio, share: Share, limit: float) -> str:
    """Say whether padding is why a column takes so much longer, as far as the intervals show."""
    left = without_padding(ratio.interval, share) if ratio.interval else None
    if left is None:
        without = times(ratio.value * (1 - max(0.0, share.value)))
        return f"one run does not show whether padding explains it (without any, {without} by it)"
    low, high = times(max(0.0, left.low)), times(left.high)
    return {
        False: f"padding does not explain it, without any it would still be at least {low}",
        True: f"padding explains it, without it would be at most {high}",
        None: f"undecided whether padding explains it, without it would be {low} to {high}",
    }[explains(ratio.interval, share, limit)]
