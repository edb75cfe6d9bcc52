"""Collects Python's warnings in a run: each text once, and only as many as somebody would read."""

import warnings
from typing import Any

MOST = 200
LENGTH = 1000  # characters of one warning


class Caught:
    """Collects warnings from now on; they are still printed to the log."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}
        self._left_out = 0
        self._show = warnings.showwarning
        warnings.showwarning = self._remember  # type: ignore[assignment]  # takes the rest as it is

    def texts(self) -> list[str]:
        """Return the texts in order of first appearance; the last may count those left
        out.
        """
        more = [f"{self._left_out} more warnings are in the log"] if self._left_out else []
        return [*self._texts, *more]

    def _remember(self, message: Warning | str, category: type[Warning], *rest: Any) -> None:
        text = f"{category.__name__}: {message}"[:LENGTH]
        if len(self._texts) < MOST:
            self._texts[text] = None
        elif text not in self._texts:
            self._left_out += 1
        self._show(message, category, *rest)
