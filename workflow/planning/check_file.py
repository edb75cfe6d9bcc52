"""Say what is wrong with a configuration file that Snakemake itself would not read.

Snakemake reads the files of ``--configfile`` before the Snakefile, and names neither file nor line.
"""

import argparse
import sys

from planning.config import ConfigError, read_configuration


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", help="YAML")
    try:
        read_configuration(parser.parse_args().file)
    except ConfigError as error:
        print(f"millistep: {error}", file=sys.stderr)
        return 1
    return 0
