"""Native PyTorch through ``torch.compile``, in the mode of its column.

A CUDA graph is recorded when its program runs the second time. It is recorded again when anything
differs from the recording: addresses of its parameters or of a cache, for example. Such a step
takes as long as a compilation, so its time is not the cost of a step.
"""

import contextlib
import logging
import os
from collections.abc import Callable
from typing import Any

from millistep.measure.frameworks import pytorch_eager
from millistep.measure.frameworks.products import Product
from millistep.measure.models import Tick

SKIPPED = "skipping cudagraph"  # how inductor's messages begin


class Framework(pytorch_eager.Framework):
    probeable = False  # another batch size costs a compilation, longer than the run itself

    def load(self) -> None:
        super().load()
        self.declared.add("image_data_format")
        self.skipped: list[str] = []  # why programs ran without CUDA graphs, each reason once
        if self.cell.accelerator != "cpu":
            self.watch_log()

    def watch_log(self) -> None:
        """Collect from inductor's log why programs run without CUDA graphs."""
        # Releases without that log report no reasons.
        with contextlib.suppress(ImportError):
            from torch._inductor.cudagraph_utils import cudagraphs_log

            cudagraphs_log.addFilter(self._note)

    def _note(self, record: logging.LogRecord) -> bool:
        message = record.getMessage().partition(". Found from")[0]
        reason = message.rpartition(f"{SKIPPED}s due to ")[2]
        if message.startswith(SKIPPED) and reason not in self.skipped:
            self.skipped.append(reason)
        return True

    def _loop(self, batch_size: int) -> Callable[[Tick], dict[str, Any] | None]:
        loop = super()._loop(batch_size)

        def compiling(tick: Tick) -> dict[str, Any] | None:
            if self.cell.accelerator == "cpu":
                self._know_instruction_sets()
            return loop(tick)

        return compiling

    def _know_instruction_sets(self) -> None:
        """Let inductor test the compiler's instruction sets within the first step, as every user's
        first compilation does: half a dozen probes, 15 s. It keeps the answers in its default cache
        folder, since in a run's private folder it would compile the probes in every run.
        """
        private = os.environ.pop("TORCHINDUCTOR_CACHE_DIR", None)
        # Another torch may name it otherwise; then it compiles the probes in the private folder.
        with contextlib.suppress(ImportError):
            from torch._inductor.cpu_vec_isa import pick_vec_isa

            pick_vec_isa()
        if private:
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = private

    def compile(self, model: Any) -> Any:
        # A builder may compile a part of the model instead of the whole model.
        own = getattr(self.models, "compile", None)
        if own:
            return own(model, self.cell, self.cell.mode)
        return self.torch.compile(model, mode=self.cell.mode)

    def products(self) -> list[Product]:
        if hasattr(self.models, "compile"):  # parts of the model itself may be compiled
            raise ValueError("code that a builder compiles itself is not inspected")
        return super().products()

    def compilations(self) -> int | None:
        # Each call of generate() makes its own static cache, at addresses that may be new. Graphs
        # that are recorded again for it are a cost of every call, not a compilation.
        graphs = 0 if self.cell.task == "generate" else recorded_graphs(self.torch)
        return self.graphs() + graphs

    def _image_data_format(self) -> str:
        """Return the model's format; inductor may choose another inside its programs, silently."""
        return f"{super()._image_data_format()}, within programs inductor's choice"

    def execution(self) -> dict[str, Any]:
        return {
            **self.compiled_execution(),
            "cuda_graphs": bool(recorded_graphs(self.torch)) and not self.skipped,
            "cuda_graphs_skipped": "; ".join(self.skipped) or None,
        }


def recorded_graphs(torch: Any) -> int:
    """Return graphs recorded so far on the current device, those recorded once more included."""
    if not torch.cuda.is_available():
        return 0
    from torch._inductor import cudagraph_trees

    device = torch.cuda.current_device()
    trees = cudagraph_trees.get_manager(device, create_if_none_exists=False)
    return sum(1 + root.num_descendants() for root in trees.get_roots()) if trees else 0
