"""Causal language models from KerasHub, up to the classes of one model."""

from typing import Any

import keras

from millistep.measure.frameworks import Cell
from millistep.measure.models import xla
from millistep.measure.models.causal_lm.keras_hub import generate_loop
from millistep.measure.models.causal_lm.work import pieces, tokenizer, tokens
from millistep.measure.models.keras_hub import library as keras_hub

LOOPS = {"generate": generate_loop(keras.ops.convert_to_numpy)}


def build(cell: Cell, kind: str, preset: str, backbone: Any, special: dict[str, str]) -> Any:
    """Return a compiled model of the task: with LoRA and AdamW, or for greedy generation.

    kind: ``Gemma`` or ``Mistral``, whose classes are used; preset: name of the pretrained one;
    backbone: makes the random one; special: its special tokens by role.

    An empty list of metrics leaves none: without one Keras keeps those that KerasHub compiled the
    task with, and takes an accuracy over the whole vocabulary in each step.
    """
    a, task = cell.architecture, getattr(keras_hub.models, f"{kind}CausalLM")
    if cell.weights == "preset":
        model = task.from_preset(preset, dtype=a["dtype"])
    else:
        preprocessing = preprocessor(cell, kind, [*special.values()])
        model = task(backbone=backbone(a), preprocessor=preprocessing)
    if cell.task == "generate":
        model.compile(sampler="greedy", **xla.options(cell, keras))
        return model
    model.backbone.enable_lora(a["lora_rank"])
    model.compile(
        optimizer=keras.optimizers.AdamW(),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        weighted_metrics=[],
        **xla.options(cell, keras),
    )
    return model


def preprocessor(cell: Cell, kind: str, special: list[str]) -> Any:
    """Return the library's own preprocessor, around a tokenizer with the architecture's vocabulary.

    None for fit, which gets ready-made batches.
    """
    if cell.task == "fit":
        return None
    a = cell.architecture
    tokenizer = getattr(keras_hub.models, f"{kind}Tokenizer")
    return getattr(keras_hub.models, f"{kind}CausalLMPreprocessor")(
        tokenizer(proto=sentencepiece_model(special, a["vocabulary_size"])),
        sequence_length=a["max_length"],
    )


def batch(cell: Cell, batch_size: int) -> Any:
    """Return ``(inputs, targets, weights)`` as the library's preprocessor would make them."""
    ids, mask, targets = tokens(cell, batch_size)
    return {"token_ids": ids, "padding_mask": mask}, targets, mask


def facts(model: Any, cell: Cell) -> dict[str, Any]:
    """Return the observed settings about the adapters or on the tokenizer."""
    if cell.task == "fit":
        found = {keras.backend.standardize_dtype(v.dtype) for v in model.trainable_variables}
        return {"adapter_dtype": ", ".join(sorted(found))}
    return {"tokenizer": tokenizer(model.preprocessor.tokenizer, cell)}


def sentencepiece_model(special: list[str], vocabulary_size: int) -> bytes:
    """Return the bytes of a SentencePiece model that makes one token of each word."""
    from sentencepiece import sentencepiece_model_pb2 as protocol

    model = protocol.ModelProto()
    model.trainer_spec.model_type = protocol.TrainerSpec.WORD
    model.trainer_spec.vocab_size = vocabulary_size
    model.trainer_spec.unk_id = special.index("<unk>")
    model.normalizer_spec.name = "identity"
    for piece in pieces(special, vocabulary_size):
        entry = model.pieces.add(piece=piece, score=0.0)
        if piece == "<unk>":
            entry.type = protocol.ModelProto.SentencePiece.UNKNOWN
        elif piece in special:
            entry.type = protocol.ModelProto.SentencePiece.CONTROL
    return bytes(model.SerializeToString())
