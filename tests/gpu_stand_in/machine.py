"""A simulated machine in a folder: its settings, its nvidia-smi, and the logs of its processes."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.shared import put

from . import log, nvidia_smi

DEFAULTS = {"devices": "a100-40gb", "kernel_us": "5"}


@dataclass(frozen=True)
class Machine:
    """A machine with GPUs that are not there.

    folder: of this machine. libraries: as :func:`build.built` has made them.
    """

    folder: Path
    libraries: Path

    def set(self, **settings: object) -> "Machine":
        """Write settings, by the words of ``src/settings.c``; the others are the machine's own."""
        self.logs.mkdir(parents=True, exist_ok=True)
        patterns = settings.pop("kernel_us_of", {})
        lines = {**DEFAULTS, "folder": self.logs, **settings}
        text = "".join(f"{name} {value}\n" for name, value in lines.items())
        text += "".join(f"kernel_us_of {name} {us}\n" for name, us in dict(patterns).items())
        self.settings.write_text(text)
        self._install_nvidia_smi()
        return self

    @property
    def settings(self) -> Path:
        return self.folder / "machine.conf"

    @property
    def logs(self) -> Path:
        return self.folder / "logs"

    @property
    def programs(self) -> Path:
        """The folder to put first on the PATH."""
        return self.folder / "bin"

    @property
    def variables(self) -> dict[str, str]:
        """Variables that a process must have in its environment to be on this machine."""
        libraries = str(self.libraries)
        return {
            "LD_LIBRARY_PATH": libraries,
            "GPU_STAND_IN": str(self.settings),
            "TRITON_LIBCUDA_PATH": libraries,
            "XLA_FLAGS": "--xla_gpu_generate_line_info=true",  # code has its text: src/ptx_text.c
        }

    def environ(self, **more: str) -> dict[str, str]:
        """The caller's environment, changed so that a process is on this machine."""
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        kept = {k: v for k, v in os.environ.items() if not k.startswith("CUDA_")}
        return {**kept, "PATH": path, **self.variables, **more}

    def processes(self) -> list[log.Process]:
        return log.processes(self.logs)

    def _install_nvidia_smi(self) -> None:
        program = f'"{sys.executable}" -I "{nvidia_smi.__file__}" "{self.libraries}" "$@"'
        script = f'#!/bin/sh\nGPU_STAND_IN="{self.settings}" exec {program}\n'
        put(self.programs / "nvidia-smi", script, program=True)
