"""An environment with some packages laid over those of another environment, which stays as it is.

It is a virtual environment on the other one's Python that holds only the overlays; everything else
it finds in the other environment.
"""

from __future__ import annotations

import sys
from pathlib import Path

from deploy.virtual_environments import EnvironmentProblem, Failed, ask, find_or_create

PURELIB = "import sysconfig; print(sysconfig.get_paths()['purelib'])"

# Arguments: Python and site-packages of the environment beneath, the new one's Python, the sources.
# The packages beneath become visible last, so that a source tree is built with what it asks for.
INSTALL = """
import os, subprocess, sys
base, beneath, python, *sources = sys.argv[1:]
quiet = ["--quiet", "--no-input", "--no-deps", "--retries", "1", "--no-warn-script-location"]
pip = [base, "-I", "-m", "pip", "--python", python, "install", *quiet, "--", *sources]
if status := subprocess.run(pip).returncode:
    sys.exit(status)
own = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
site = subprocess.run([python, "-I", "-c", own], capture_output=True, text=True, check=True).stdout
with open(os.path.join(site.strip(), "beneath.pth"), "w") as file:
    file.write(f"import site; site.addsitedir({beneath!r})\\n")
"""


class Uninstallable(EnvironmentProblem):
    """An overlay cannot be installed; another attempt would not help."""


def overlaid_interpreter(
    prefix: Path, base: str, copies: dict[str, str], log: Path | None, title: str
) -> str:
    """The interpreter of an environment with overlays, which is made if it is not there.

    base: the interpreter of the environment beneath. copies: see :func:`deploy.overlays.copied`.
    title: for the user. Raises Uninstallable, or EnvironmentProblem if something is wrong with
    network, disk or base.
    """
    beneath = ask(base, PURELIB)
    if beneath is None:
        raise EnvironmentProblem(f"{base} does not run, so nothing can be put over it")
    log = log or Path(f"{prefix}.log")
    python = str(prefix / "bin" / "python")
    create = [base, "-m", "venv", "--without-pip", str(prefix)]
    install = [sys.executable, "-c", INSTALL, base, beneath, python, *copies.values()]
    try:
        find_or_create(prefix, lambda: create, install, log, title)
    except Failed as failure:
        if failure.passing:
            raise
        sources = " and ".join(copies)
        raise Uninstallable(
            f"{sources} cannot be put over {beneath}: {failure.cause}; the log is {log}"
        ) from None
    return python
