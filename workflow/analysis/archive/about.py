"""archive.json: the tools that drew the results in an archive. They explain why results that are
drawn elsewhere may differ in their bytes.
"""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from analysis.report.origin import revision

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
