"""Caveats as data: what a reader must know before comparing two numbers.

A rule is a small pure function in one of the modules of this package, all of which are imported
here, and an entry in the YAML file beside it; a limit of one reading is an entry of limits.yaml
alone. Every sentence must be true of the data that its evidence holds.
"""

from importlib import import_module
from pkgutil import iter_modules

from analysis.caveats.core import RULES, Caveat, Severity, collect

__all__ = ["RULES", "Caveat", "Severity", "collect"]

for _module in iter_modules(__path__, f"{__name__}."):
    if not _module.name.endswith("__main__"):
        import_module(_module.name)
