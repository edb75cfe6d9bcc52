"""What conda makes an environment from: its Python alone, so that the first number need not wait
until all frameworks are installed.

Snakemake makes the environments of all jobs before the first of them. What is locked is installed
by the deployment before the first job in an environment (:mod:`deploy.environments`), which is what
finds the mark that the script leaves; where that cannot be installed, it costs the cells that need
it, and Snakemake goes on.
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
    """The yaml for conda, of a locked one, with its script beside it; written where it is not."""
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
