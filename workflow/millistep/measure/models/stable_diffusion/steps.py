"""Separates diffusion steps inside a library's own sampling loop.

The library is given a UNet that calls :meth:`Steps.evaluation` before each
evaluation. A step begins with the first evaluation at a new timestep, so
guidance and scheduler arithmetic belong to it, however often a library
evaluates its UNet.
"""

from collections.abc import Callable
from typing import Any

from millistep.measure.models import Tick
from millistep.measure.timer import Finished

LENGTH = 500  # steps of the sampling schedule; a run needs about 130


class Steps:
    """Ticks at each step and counts what the UNet really does in it."""

    def __init__(self, tick: Tick) -> None:
        self._tick = tick
        self._timestep = None
        self._steps = self._calls = self._images = 0
        self.outputs: Any = None

    def evaluation(self, timestep: Any, images: int) -> None:
        """Called before the UNet sees ``images`` latents at ``timestep``, an object per step."""
        if timestep is not self._timestep:
            if self._tick():
                raise Finished
            self._timestep = timestep
            self._steps += 1
        self._calls += 1
        self._images += images

    def keep(self, outputs: Any) -> None:
        """Keep what an evaluation returned, until the next one."""
        self.outputs = outputs

    def run(self, sample: Callable[[], object], results: str) -> dict[str, Any]:
        """Call the library's ``sample`` until the tick returns True; return observed settings.

        results: the use of the UNet's outputs, of :mod:`measure.frameworks.results`.
        """
        try:
            sample()
        except Finished:
            return {
                "scheduler": "DDIM",
                "step_results": results,
                "unet_calls_per_step": self._per_step(self._calls),
                "unet_images_per_step": self._per_step(self._images),
                "outputs": self.outputs,
            }
        raise RuntimeError(f"the sampling schedule of {LENGTH} steps ended before the run did")

    def _per_step(self, count: int) -> float:
        mean = count / max(1, self._steps)
        return int(mean) if mean.is_integer() else mean
