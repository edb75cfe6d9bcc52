"""Work of one step, as of every causal language model."""

from measure.models.causal_lm.work import per_step

__all__ = ["per_step"]
