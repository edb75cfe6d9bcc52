"""Work of one step, shared by all causal language models."""

from millistep.measure.models.causal_lm.work import per_step

__all__ = ["per_step"]
