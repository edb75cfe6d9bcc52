"""Definitions for conda that hold Python alone, so that the first number need not wait until all
frameworks are installed.

Snakemake makes the environments of all jobs before the first job. The script leaves a mark, by
which the deployment before the first job in an environment (:mod:`deploy.environments`) knows that
it has to install what is locked. If it cannot, only the cells that need it are lost, and Snakemake
goes on.
"""

from __future__ import annotations

from pathlib import Path

from deploy.environments import UNFINISHED, definition_sha256
from deploy.virtual_environments import write_atomically

SCRIPT = """\
#!/bin/sh
# Of the definition with the digest {sha256}
touch "$CONDA_PREFIX/{mark}"
"""


def definition(locked: Path, folder: Path) -> Path:
    """The bare yaml for a locked definition, its script beside it; written if not there already."""
    bare = folder.absolute() / "/".join(locked.parts[-3:])
    texts = {
        bare: locked.read_text(),
        bare.with_suffix(".post-deploy.sh"): SCRIPT.format(
            sha256=definition_sha256(locked), mark=UNFINISHED
        ),
    }
    for path, text in texts.items():
        if not path.exists() or path.read_text() != text:
            write_atomically(path, text)
    return bare
