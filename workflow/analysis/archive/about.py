"""archive.json: the tools that drew the results in an archive. They explain why results that are
drawn elsewhere may differ in their bytes.
"""

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

SCHEMA = "millistep.archive/1"
PACKAGES = ("contourpy", "jinja2", "jsonschema", "markupsafe", "matplotlib", "numpy", "pandas")
PACKAGES += ("pillow", "pyarrow", "rocrate", "ruptures", "scipy")


def about(root: Path, paths: str) -> dict[str, Any]:
    """The content of archive.json; `paths` says if this machine's were 'replaced' or 'kept'."""
    return {"schema": SCHEMA, "revision": revision(root), "paths": paths, "made_with": made_with()}


def made_with() -> dict[str, str]:
    """Versions of everything that decides what the results look like, byte for byte."""
    from matplotlib.ft2font import __freetype_version__

    found = {"python": platform.python_version(), "freetype": __freetype_version__}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return dict(sorted(found.items()))


def revision(root: Path) -> str | None:
    """The sources' revision as git describes it; None without git or a repository of our own."""
    top = _git(root, "rev-parse", "--show-toplevel")
    if top is None or Path(top).resolve() != root.resolve():
        return None
    return _git(root, "describe", "--always", "--tags", "--dirty", "--abbrev=12")


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
