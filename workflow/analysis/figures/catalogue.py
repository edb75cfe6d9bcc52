"""Figures of the report: each a function from results to a Matplotlib figure; saving is in
__main__.
"""

from analysis.figures.blocks import blocks
from analysis.figures.break_even import break_even
from analysis.figures.memory import memory
from analysis.figures.methods import methods
from analysis.figures.probes import batch, padding
from analysis.figures.published import published
from analysis.figures.speedup import speedup_over_keras2, speedup_over_pytorch
from analysis.figures.step_times import step_times

FIGURES = {
    "speedup_over_keras2": speedup_over_keras2,
    "speedup_over_pytorch": speedup_over_pytorch,
    "step_times": step_times,
    "break_even": break_even,
    "blocks": blocks,
    "memory": memory,
    "padding": padding,
    "batch": batch,
    "published": published,
    "methods": methods,
}
