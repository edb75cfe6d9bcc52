"""Gemma's special tokens by role, in the order of their ids."""

SPECIAL = {
    "pad_token": "<pad>",
    "eos_token": "<eos>",
    "bos_token": "<bos>",
    "unk_token": "<unk>",
}
