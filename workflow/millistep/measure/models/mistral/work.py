"""Special tokens by role, in the order of their ids; the work of a step is that of all causal
language models. No token is for padding.
"""

from millistep.measure.models.causal_lm.work import per_step

__all__ = ["SPECIAL", "per_step"]

SPECIAL = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
