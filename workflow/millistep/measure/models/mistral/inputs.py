"""Mistral's special tokens by role, in the order of their ids; it has none for padding."""

SPECIAL = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
