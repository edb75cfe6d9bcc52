"""The monitor: starts and stops the sampler that runs beside a run.

A run is worth more than its monitor: whatever happens to the sampler, the run goes on and its
record says ``monitor: null``.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from supervise.processors import beside
from supervise.terminal import say
from supervise.variables import inherited

SAMPLER = Path(__file__).with_name("sampler.py")
STOP_S = 5.0  # a sampler's time to hand over what it saw


class Monitor:
    """Samples the machine while the ``with`` block runs; ``samples`` is there after :meth:`stop`.

    interpreter: one with psutil and, for a GPU, NVML's bindings; None: no monitor.
    processors: the run's; the sampler uses another one if there is one.
    gpu: as the run sees it, see :func:`supervise.device.word`; None: no GPU is sampled.
    variables: the configuration's environment variables.
    """

    def __init__(
        self,
        interpreter: str | None,
        processors: list[int],
        gpu: str | None,
        interval_s: float,
        variables: dict[str, str],
    ) -> None:
        self.interval_s = interval_s
        self.samples: list[dict] = []
        self._process = None
        if interpreter is None:
            return
        wanted = {
            "interval_s": interval_s,
            "processors": processors,
            "own": beside(processors),
            "gpu": gpu,
        }
        try:
            self._process = subprocess.Popen(
                [interpreter, "-I", str(SAMPLER), json.dumps(wanted)],
                stdin=subprocess.PIPE,  # closed when this process ends, however it ends
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**inherited(os.environ), **variables},
                start_new_session=True,  # so that an interrupt from the terminal does not reach it
            )
        except OSError as error:
            _report(str(error))

    def __enter__(self) -> "Monitor":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The process id of the sampler, None without one."""
        return self._process.pid if self._process else None

    def stop(self) -> None:
        """End the sampler and take its samples; none, if it does not answer."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            answer, complaints = process.communicate(timeout=STOP_S)
            trouble = complaints.decode(errors="replace").splitlines()
            self.samples = json.loads(answer)
            if trouble:
                _report(trouble[-1])
        except (subprocess.TimeoutExpired, OSError):
            _report("the sampler does not answer")
        except ValueError:
            _report(trouble[-1] if trouble else f"the sampler ended with {process.returncode}")
        finally:
            process.kill()
            process.wait()


def _report(reason: str) -> None:
    say(f"    monitor: {reason}")
