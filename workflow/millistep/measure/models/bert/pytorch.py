"""BERT from HuggingFace Transformers."""

from typing import Any

import numpy as np
import torch
import transformers

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture
from millistep.measure.models.bert.work import labels, tokens

BY_TRAINER = True  # the published script times Transformers' Trainer
# The activation that Keras' libraries give to BERT; by default Transformers computes the exact one.
ACTIVATION = "gelu_pytorch_tanh"


def library() -> str:
    return f"transformers {transformers.__version__}"


def build(cell: Cell) -> Any:
    """Return ``BertForSequenceClassification``; its forward pass computes the loss."""
    a, classifier = cell.architecture, transformers.BertForSequenceClassification
    if cell.weights == "preset":
        preset = "google-bert/bert-base-cased"
        return classifier.from_pretrained(preset, num_labels=a["classes"], hidden_act=ACTIVATION)
    return classifier(_config(a))


def optimizer(model: Any) -> Any:
    """AdamW with the constants that Keras' AdamW has by default."""
    return torch.optim.AdamW(model.parameters(), lr=1e-3, eps=1e-7, weight_decay=4e-3)


def batch(cell: Cell, batch_size: int) -> Any:
    """Return keyword arguments of the forward pass, as NumPy arrays."""
    ids, segments, mask = tokens(cell, batch_size)
    inputs = {"input_ids": ids, "token_type_ids": segments, "attention_mask": mask}
    if cell.task == "fit":
        inputs["labels"] = labels(cell, batch_size)
    # Torch's embeddings and losses take 64-bit indices.
    return {name: array.astype(np.int64) for name, array in inputs.items()}


def attention(model: Any) -> Any:
    return model.config._attn_implementation


def _config(a: Architecture) -> Any:
    return transformers.BertConfig(
        vocab_size=a["vocabulary_size"],
        num_hidden_layers=a["layers"],
        num_attention_heads=a["heads"],
        hidden_size=a["hidden_size"],
        intermediate_size=a["intermediate_size"],
        hidden_act=ACTIVATION,
        max_position_embeddings=a["max_positions"],
        hidden_dropout_prob=a["dropout"],
        attention_probs_dropout_prob=a["dropout"],
        num_labels=a["classes"],
    )
