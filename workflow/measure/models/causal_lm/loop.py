"""Keras' ``generate()``, the same call in KerasNLP and KerasHub."""

from collections.abc import Callable
from typing import Any

from measure.frameworks import Cell
from measure.libraries.causal_lm import never_stopping
from measure.models import Loop, Tick
from measure.models.causal_lm.inputs import check_new_tokens, prompt_tokens, prompts


def generate_loop(to_numpy: Callable[[Any], Any]) -> Loop:
    """The task's loop; ``to_numpy`` brings one of the backend's tensors to the host."""

    def loop(model: Any, cell: Cell, batch_size: int, tick: Tick) -> None:
        """Strings in, strings out; never stopped early, and the first call's tokens counted."""
        texts = prompts(batch_size, prompt_tokens(cell.architecture))
        max_length = cell.architecture["max_length"]
        options, counted = never_stopping(model), False
        while not tick():
            count = None if counted else _Count(model.preprocessor, texts, max_length)
            model.generate(texts, max_length=max_length, **options)
            if count:
                check_new_tokens(count.end(to_numpy), cell.architecture)
                counted = True

    return loop


class _Count:
    """Looks at the tokens of one call, where the model hands them over to become strings."""

    def __init__(self, preprocessor: Any, texts: list[str], max_length: int) -> None:
        self._preprocessor, self._postprocess = preprocessor, preprocessor.generate_postprocess
        self._before = preprocessor.generate_preprocess(texts, sequence_length=max_length)
        preprocessor.generate_postprocess = self._look

    def _look(self, tokens: Any) -> Any:
        self._after = tokens
        return self._postprocess(tokens)

    def end(self, to_numpy: Callable[[Any], Any]) -> float:
        """New tokens of each prompt."""
        del self._preprocessor.generate_postprocess
        before, after = (to_numpy(x["padding_mask"]) for x in (self._before, self._after))
        return (int(after.sum()) - int(before.sum())) / len(after)
