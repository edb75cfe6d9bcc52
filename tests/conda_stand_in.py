"""A conda for machines without one: what Snakemake calls of it, on plain virtual environments.

It shows what becomes of a rule's environment and of its post-deploy script; what conda itself
solves and installs is tried where there is a conda.
"""

import sys
from pathlib import Path

CONDA = """\
#!{python}
import json, subprocess, sys
from pathlib import Path

words = sys.argv[1:]
if words == ["--version"]:
    print("conda 26.7.1")
elif words[0] == "info":
    print(json.dumps({{"conda_prefix": "{root}", "platform": "linux-64", "env_vars": {{}}}}))
elif words[0] == "config":
    print(json.dumps({{"get": {{"channel_priority": "strict"}}}}))
elif words[:2] == ["env", "create"]:
    prefix = Path(words[words.index("--prefix") + 1])
    subprocess.run([sys.executable, "-m", "venv", str(prefix)], check=True)
    (prefix / "conda-meta").mkdir()
"""
ACTIVATE = 'export CONDA_PREFIX="$1" PATH="$1/bin:$PATH"\n'


def stand_in(root: Path) -> Path:
    """The folder for the PATH that has it."""
    folder = root / "bin"
    folder.mkdir(parents=True)
    (folder / "conda").write_text(CONDA.format(python=sys.executable, root=root))
    (folder / "conda").chmod(0o755)
    (folder / "activate").write_text(ACTIVATE)
    return folder
