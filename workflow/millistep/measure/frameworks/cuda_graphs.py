"""CUDA graphs that ``torch.compile`` records and skips, as the library itself reports.

A compiled program is recorded when it runs the second time. It is recorded again when anything
differs from the recording: addresses of its parameters or of a cache, for example. Such a step
takes as long as a compilation, so its time is not the cost of a step.
"""

import contextlib
import logging
from typing import Any

SKIPPED = "skipping cudagraph"  # how inductor's messages begin


def recorded(torch: Any) -> int:
    """Return graphs recorded so far on the current device, those recorded once more included."""
    if not torch.cuda.is_available():
        return 0
    from torch._inductor import cudagraph_trees

    device = torch.cuda.current_device()
    trees = cudagraph_trees.get_manager(device, create_if_none_exists=False)
    return sum(1 + root.num_descendants() for root in trees.get_roots()) if trees else 0


class Skips(logging.Handler):
    """Collects why programs ran without graphs, as inductor logs it, each reason once."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.reasons: list[str] = []

    def listen(self) -> None:
        """Start collecting; releases without that log report no reasons."""
        with contextlib.suppress(ImportError):
            from torch._inductor.cudagraph_utils import cudagraphs_log

            cudagraphs_log.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage().partition(". Found from")[0]
        reason = message.rpartition(f"{SKIPPED}s due to ")[2]
        if message.startswith(SKIPPED) and reason not in self.reasons:
            self.reasons.append(reason)
