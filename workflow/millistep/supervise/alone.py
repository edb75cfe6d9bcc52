"""Run a command while no run is timed."""

import argparse
import secrets
import subprocess

from millistep.supervise.interrupts import end_after_snakemake, end_with_snakemake
from millistep.supervise.lock import CPU
from millistep.supervise.turns import Member


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", nargs="+")
    command = parser.parse_args().command
    end_with_snakemake()
    own = secrets.token_hex(8)
    try:
        with Member(CPU, own, [own], own) as member, member.computing():
            return subprocess.run(command).returncode
    except KeyboardInterrupt as end:
        return end_after_snakemake(end)
