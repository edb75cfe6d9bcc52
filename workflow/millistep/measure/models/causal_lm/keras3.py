"""Causal language models from KerasHub; their kind, in the architecture, names the classes."""

import importlib
import inspect
from typing import Any

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture, Tick, xla
from millistep.measure.models.causal_lm import work
from millistep.measure.models.keras_hub import library as keras_hub
from millistep.measure.models.keras_module import keras, to_numpy


def build(cell: Cell, preprocessor: Any = None) -> Any:
    """Return a compiled model of the task: with LoRA and AdamW, or for greedy generation.

    preprocessor: takes the place of the library's own.

    An empty list of metrics leaves none: without one Keras keeps those that KerasHub compiled the
    task with, and takes an accuracy over the whole vocabulary in each step.
    """
    a = cell.architecture
    task = getattr(keras_hub.models, f"{a['kind']}CausalLM")
    if cell.weights == "preset":
        options = {"preprocessor": preprocessor} if preprocessor else {}
        model = task.from_preset(f"{a['kind'].lower()}_7b_en", dtype=a["dtype"], **options)
    else:
        model = task(backbone=backbone(a), preprocessor=preprocessor or _preprocessor(cell))
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


def backbone(a: Architecture) -> Any:
    """Return the random decoder."""
    kind = getattr(keras_hub.models, f"{a['kind']}Backbone")
    sizes = {"sliding_window": a["sliding_window"]} if "sliding_window" in a else {}
    if "head_dim" in inspect.signature(kind.__init__).parameters:
        sizes["head_dim"] = a["head_size"]
    elif a["head_size"] * a["heads"] != a["hidden_size"]:
        raise ValueError(f"{kind.__name__} has heads of hidden_dim / num_query_heads alone")
    return kind(
        vocabulary_size=a["vocabulary_size"],
        num_layers=a["layers"],
        num_query_heads=a["heads"],
        num_key_value_heads=a["key_value_heads"],
        hidden_dim=a["hidden_size"],
        # KerasHub counts Gemma's gate and up together.
        intermediate_dim=(2 if a["kind"] == "Gemma" else 1) * a["intermediate_size"],
        dtype=a["dtype"],
        **sizes,
    )


def attention(model: Any) -> str:
    """Return the implementation that a layer really takes: Gemma's decides by itself, for others
    the library does.
    """
    layer = getattr(model.backbone.transformer_layers[0], "attention", None)
    if layer is not None:
        decides = getattr(layer, "_use_fused_attention_op", None)
    else:
        utils = importlib.import_module(f"{keras_hub.__name__}.src.utils.keras_utils")
        decides = getattr(utils, "fused_attention_op_available", None)
    return "keras.ops.dot_product_attention" if decides and decides() else "einsum"


def _preprocessor(cell: Cell) -> Any:
    """Return the library's own preprocessor, around a tokenizer with the architecture's vocabulary.

    None for fit, which gets ready-made batches.
    """
    if cell.task == "fit":
        return None
    a = cell.architecture
    tokenizer = getattr(keras_hub.models, f"{a['kind']}Tokenizer")(proto=_sentencepiece_model(a))
    preprocessor = getattr(keras_hub.models, f"{a['kind']}CausalLMPreprocessor")
    return preprocessor(tokenizer, sequence_length=a["max_length"])


def _sentencepiece_model(a: Architecture) -> bytes:
    """Return the bytes of a SentencePiece model that makes one token of each word."""
    from sentencepiece import sentencepiece_model_pb2 as protocol

    special = [*work.SPECIAL[a["kind"]].values()]
    model = protocol.ModelProto()
    model.trainer_spec.model_type = protocol.TrainerSpec.WORD
    model.trainer_spec.vocab_size = a["vocabulary_size"]
    model.trainer_spec.unk_id = special.index("<unk>")
    model.normalizer_spec.name = "identity"
    for piece in work.pieces(a):
        entry = model.pieces.add(piece=piece, score=0.0)
        if piece == "<unk>":
            entry.type = protocol.ModelProto.SentencePiece.UNKNOWN
        elif piece in special:
            entry.type = protocol.ModelProto.SentencePiece.CONTROL
    return bytes(model.SerializeToString())


def batch(cell: Cell, batch_size: int) -> Any:
    """Return ``(inputs, targets, weights)`` as the library's preprocessor would make them."""
    ids, mask, targets = work.tokens(cell, batch_size)
    return {"token_ids": ids, "padding_mask": mask}, targets, mask


def facts(model: Any, cell: Cell) -> dict[str, Any]:
    """Return the observed settings about the adapters or on the tokenizer."""
    if cell.task == "fit":
        found = {keras.backend.standardize_dtype(v.dtype) for v in model.trainable_variables}
        return {"adapter_dtype": ", ".join(sorted(found))}
    return {"tokenizer": work.tokenizer(model.preprocessor.tokenizer, cell)}


def never_stopping(model: Any) -> dict[str, Any]:
    """Return options of ``generate()`` with which no token ends an answer early."""
    if "stop_token_ids" in inspect.signature(model.generate).parameters:
        return {"stop_token_ids": None}
    model.preprocessor.tokenizer.end_token_id = -1  # read at each call; no token has it
    return {}


def generate(model: Any, cell: Cell, batch_size: int, tick: Tick) -> dict[str, Any]:
    """Call ``generate()`` with strings for strings, never stopped early."""
    texts = work.prompts(batch_size, work.prompt_tokens(cell.architecture))
    options = {"max_length": cell.architecture["max_length"], **never_stopping(model)}
    facts: dict[str, Any] = {}
    while not tick():
        if facts:
            model.generate(texts, **options)
        else:
            new_tokens, facts = _first_call(model, texts, options)
            work.check_new_tokens(new_tokens, cell.architecture)
    return facts


LOOPS = {"generate": generate}


def _first_call(model: Any, texts: list[str], options: Any) -> tuple[float, dict[str, Any]]:
    """Return the new tokens of each prompt, and facts about cache, prompts and outputs.

    The tokens are counted where the model hands them over to become strings.
    """
    preprocessor = model.preprocessor
    before = preprocessor.generate_preprocess(texts, sequence_length=options["max_length"])
    positions = int(before["token_ids"].shape[1])  # of a prompt, with its padding
    facts: dict[str, Any] = {"prompt_positions": positions}
    after: dict[str, Any] = {}
    make_cache, postprocess = model._build_cache, preprocessor.generate_postprocess

    def look_at_cache(*arguments: Any, **keywords: Any) -> Any:
        # A compiled call makes its cache only while it is traced, so one traced before shows none.
        made = make_cache(*arguments, **keywords)
        # (batch, layers, key and value, positions, heads, width)
        facts["cache"] = f"static, {int(made[1].shape[3])} positions"
        return made

    def look_at_tokens(tokens: Any) -> Any:
        after.update(tokens)
        return postprocess(tokens)

    model._build_cache, preprocessor.generate_postprocess = look_at_cache, look_at_tokens
    model.generate(texts, **options)
    model._build_cache, preprocessor.generate_postprocess = make_cache, postprocess
    mask_before, mask_after = (to_numpy(each["padding_mask"]) for each in (before, after))
    new_tokens = (int(mask_after.sum()) - int(mask_before.sum())) / len(mask_after)
    facts["outputs"] = to_numpy(after["token_ids"])
    return new_tokens, facts
