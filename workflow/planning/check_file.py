"""Say what is wrong with configuration files that Snakemake itself could not read.

Snakemake reads the files of ``--configfile`` before the Snakefile, names neither file nor line, and
says nothing at all with ``--quiet all``.
"""

import argparse
import sys

from planning.config import ConfigError, read_configuration


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", action="extend", default=[])
    known, _ = parser.parse_known_args()  # the others are Snakemake's
    try:
        for path in known.configfile:
            read_configuration(path)
    except ConfigError as error:
        print(f"millistep: {error}", file=sys.stderr)
        return 1
    return 0
