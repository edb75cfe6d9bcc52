"""Special tokens by role, in the order of their ids; the work of a step is that of all causal
language models.
"""

from millistep.measure.models.causal_lm.work import per_step

__all__ = ["SPECIAL", "per_step"]

SPECIAL = {
    "pad_token": "<pad>",
    "eos_token": "<eos>",
    "bos_token": "<bos>",
    "unk_token": "<unk>",
}
