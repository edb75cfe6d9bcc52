"""The blocks of one cell as a small picture: every timed block of every run, in order."""

from __future__ import annotations

from analysis.formats.text import html_text, ms
from analysis.results.cells import Cell
from analysis.results.runs import Run

WIDTH, HEIGHT = 640, 120
LEFT, RIGHT, TOP, BOTTOM = 64, 4, 10, 22  # room for the axis
LEAST_RANGE = 0.02  # of the mean; a quiet cell is not blown up to look noisy


def block_plot(cell: Cell) -> str:
    """An svg element: runs from left to right, each with a line at its mean."""
    times = [block.step_ms for run in cell.ok_runs for block in run.record.timing.blocks]
    middle = cell.step_ms
    reach = max(LEAST_RANGE / 2 * middle, *(abs(time - middle) for time in times)) * 1.08
    scale = Scale(middle - reach, middle + reach, len(cell.ok_runs))
    label = f"Blocks of {len(cell.ok_runs)} runs, {ms(min(times))} to {ms(max(times))} ms/step"
    return (
        f'<svg class="blocks" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{html_text(label)}">'
        + _axis(scale, (min(times), middle, max(times)))
        + "".join(_run(scale, place, run) for place, run in enumerate(cell.ok_runs))
        + "</svg>"
    )


class Scale:
    """From ms/step and the place of a run to the picture."""

    def __init__(self, low: float, high: float, runs: int):
        self.low, self.high, self.runs = low, high, runs

    @property
    def slot(self) -> float:
        """Width of a run."""
        return (WIDTH - LEFT - RIGHT) / self.runs

    def x(self, place: float) -> float:
        """`place` 1.5 is the middle of the second run."""
        return LEFT + place * self.slot

    def y(self, value: float) -> float:
        inner = HEIGHT - TOP - BOTTOM
        return TOP + inner * (self.high - value) / (self.high - self.low)


def _axis(scale: Scale, values: tuple[float, ...]) -> str:
    """The lowest and the highest block and the mean, as far as their labels do not overlap."""
    low, middle, high = values
    apart = [value for value in (low, high) if abs(scale.y(value) - scale.y(middle)) > 13]
    return "".join(
        f'<text x="{LEFT - 6}" y="{scale.y(value) + 4:.1f}" text-anchor="end">{ms(value)}</text>'
        for value in (middle, *apart)
    ) + _line("mean", LEFT, scale.y(middle), WIDTH - RIGHT)


def _run(scale: Scale, place: int, run: Run) -> str:
    times = [block.step_ms for block in run.record.timing.blocks]
    step = 0.84 / len(times)
    dots = "".join(
        f"M{scale.x(place + 0.08 + (index + 0.5) * step):.1f} {scale.y(time):.1f}h0"
        for index, time in enumerate(times)
    )
    left, right = scale.x(place + 0.06), scale.x(place + 0.94)
    name = f'<text x="{scale.x(place + 0.5):.1f}" y="{HEIGHT - 6}" text-anchor="middle">'
    return (
        f'<path class="dots" d="{dots}"/>'
        + _line("run", left, scale.y(run.step_ms), right)
        + f"{name}run {run.number}</text>"
    )


def _line(kind: str, left: float, y: float, right: float) -> str:
    return f'<path class="{kind}" d="M{left:.1f} {y:.1f}H{right:.1f}"/>'
