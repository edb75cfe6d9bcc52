"""Finds modules of a compiled column that run eagerly all the same, by watching a step.

``torch.compile`` compiles what it is given. A part that a builder leaves out, or that a library
calls by itself (the pass of ``generate()`` over the prompt), runs eagerly, breaks no graph and
shows in no counter. Python's profile hook sees all calls, of modules and of compiled programs.
"""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any


@dataclass
class _Call:
    """A call of a module; if a compiled program ran in it, and which modules in it had none."""

    kind: str
    compiled: bool = False
    eager: list[str] = field(default_factory=list)


class _Watch:
    """A profile function that keeps the open calls and counts the finished ones."""

    def __init__(self, torch: Any) -> None:
        from torch._dynamo import eval_frame

        self._module = torch.nn.Module._wrapped_call_impl.__code__
        self._program = (eval_frame.__file__, "compile_wrapper")
        self._step = _Call("")
        self._open = [self._step]
        self._programs = 0  # compiled programs that are running
        self.calls: Counter[str] = Counter()  # of each outermost module, compiled or not

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        begins, ends, code = event == "call", event == "return", frame.f_code
        if code is self._module:
            if begins:
                self._begin(type(frame.f_locals["self"]).__name__)
            elif ends and not self._programs:
                self._end(whole=argument is not None)
        elif (begins or ends) and (code.co_filename, code.co_name) == self._program:
            self._programs += 1 if begins else -1
            for call in self._open:
                call.compiled = True

    def _begin(self, kind: str) -> None:
        if len(self._open) == 1:
            self.calls[kind] += 1
        if not self._programs:
            self._open.append(_Call(kind))

    def _end(self, whole: bool) -> None:
        """whole: it returned something. Leaving a loop raises, in a call that is no step's."""
        call = self._open.pop()
        if whole:
            self._open[-1].eager += call.eager if call.compiled else [call.kind]
        elif len(self._open) == 1:
            self.calls[call.kind] -= 1

    @property
    def eager(self) -> Counter[str] | None:
        """How often each module ran without a program in it; None if no program was seen."""
        return Counter(self._step.eager) if self._step.compiled else None


def parts(torch: Any, step: Callable[[], object]) -> list[str] | None:
    """Names of the outermost modules that ran in a step outside of all compiled programs, such as
    ``PromptEncoder`` or ``GemmaForCausalLM (1 of 14 calls)``; None if no program was seen to run,
    so that nothing can be said.
    """
    watch, before = _Watch(torch), sys.getprofile()
    sys.setprofile(watch)
    try:
        step()
    finally:
        sys.setprofile(before)
    eager = watch.eager
    if eager is None:
        return None
    return [
        name if count >= watch.calls[name] else f"{name} ({count} of {watch.calls[name]} calls)"
        for name, count in eager.items()
    ]
