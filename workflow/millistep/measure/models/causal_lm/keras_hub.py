"""Causal language models of KerasNLP and KerasHub, under Keras 2 and Keras 3: the same calls."""

import inspect
from collections.abc import Callable
from typing import Any

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture, Loop, Tick
from millistep.measure.models.causal_lm.work import check_new_tokens, prompt_tokens, prompts


def sizes(a: Architecture) -> dict[str, Any]:
    """Return arguments of a backbone that every decoder takes."""
    return {
        "vocabulary_size": a["vocabulary_size"],
        "num_layers": a["layers"],
        "num_query_heads": a["heads"],
        "num_key_value_heads": a["key_value_heads"],
        "hidden_dim": a["hidden_size"],
        "dtype": a["dtype"],
    }


def never_stopping(model: Any) -> dict[str, Any]:
    """Return options of ``generate()`` with which no token ends an answer early."""
    if "stop_token_ids" in inspect.signature(model.generate).parameters:
        return {"stop_token_ids": None}
    model.preprocessor.tokenizer.end_token_id = -1  # read at each call; no token has it
    return {}


def generate_loop(to_numpy: Callable[[Any], Any]) -> Loop:
    """Return the task's loop; ``to_numpy`` brings one of the backend's tensors to the host."""

    def loop(model: Any, cell: Cell, batch_size: int, tick: Tick) -> dict[str, Any]:
        """Call ``generate()`` with strings for strings, never stopped early."""
        texts = prompts(batch_size, prompt_tokens(cell.architecture))
        options = {"max_length": cell.architecture["max_length"], **never_stopping(model)}
        facts: dict[str, Any] = {}
        while not tick():
            if facts:
                model.generate(texts, **options)
            else:
                new_tokens, facts = _first_call(model, texts, options, to_numpy)
                check_new_tokens(new_tokens, cell.architecture)
        return facts

    return loop


def _first_call(
    model: Any, texts: list[str], options: dict[str, Any], to_numpy: Callable[[Any], Any]
) -> tuple[float, dict[str, Any]]:
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
