"""Figures of the report: each a function from results to a Matplotlib figure; saving is in
__main__.
"""

from analysis.figures.blocks import blocks
from analysis.figures.methods import methods
from analysis.figures.speedup import speedup_over_keras2, speedup_over_pytorch

FIGURES = {
    "speedup_over_keras2": speedup_over_keras2,
    "speedup_over_pytorch": speedup_over_pytorch,
    "blocks": blocks,
    "methods": methods,
}
