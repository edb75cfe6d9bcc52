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
        """Call ``generate()`` with strings for strings, never stopped early; count the first call's
        tokens, and look at its cache and at how long its prompts are made.
        """
        texts = prompts(batch_size, prompt_tokens(cell.architecture))
        max_length = cell.architecture["max_length"]
        options, counted = never_stopping(model), False
        cache, facts = _Cache(model), dict[str, Any]()
        while not tick():
            count = None if counted else _Count(model.preprocessor, texts, max_length)
            model.generate(texts, max_length=max_length, **options)
            if count:
                new_tokens, outputs = count.end(to_numpy)
                check_new_tokens(new_tokens, cell.architecture)
                cache.end()
                observed = {**cache.facts, "prompt_positions": count.positions}
                facts, counted = {**observed, "outputs": outputs}, True
        return facts

    return loop


class _Cache:
    """Looks at the cache that a call makes; a compiled call makes it only while it is traced."""

    AXIS = 3  # of positions in (batch, layers, key and value, positions, heads, width)

    def __init__(self, model: Any) -> None:
        self._model, self._make = model, model._build_cache
        self.facts: dict[str, Any] = {}  # observed settings; none of a call traced before
        model._build_cache = self._look

    def _look(self, *arguments: Any, **options: Any) -> Any:
        made = self._make(*arguments, **options)
        self.facts["cache"] = f"static, {int(made[1].shape[self.AXIS])} positions"
        return made

    def end(self) -> None:
        """Let the model make its caches unseen again."""
        self._model._build_cache = self._make


class _Count:
    """Counts the new tokens of one call where the model hands them over to become strings."""

    def __init__(self, preprocessor: Any, texts: list[str], max_length: int) -> None:
        self._preprocessor, self._postprocess = preprocessor, preprocessor.generate_postprocess
        self._before = preprocessor.generate_preprocess(texts, sequence_length=max_length)
        self.positions = int(self._before["token_ids"].shape[1])  # of a prompt, with its padding
        preprocessor.generate_postprocess = self._look

    def _look(self, tokens: Any) -> Any:
        self._after = tokens
        return self._postprocess(tokens)

    def end(self, to_numpy: Callable[[Any], Any]) -> tuple[float, Any]:
        """Stop looking; return the number of new tokens of each prompt, and all tokens."""
        del self._preprocessor.generate_postprocess
        before, after = (to_numpy(x["padding_mask"]) for x in (self._before, self._after))
        count = (int(after.sum()) - int(before.sum())) / len(after)
        return count, to_numpy(self._after["token_ids"])
