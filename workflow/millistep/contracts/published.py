"""Print the JSON schema of a kind of file."""

import argparse
import json

from millistep.contracts import results
from millistep.contracts.base import Contract, schema
from millistep.contracts.config import Config
from millistep.contracts.model import Frameworks, ModelFile
from millistep.contracts.plan import Plan
from millistep.contracts.record import Record

CONTRACTS: dict[str, type[Contract]] = {
    "config": Config,
    "model": ModelFile,
    "frameworks": Frameworks,
    "plan": Plan,
    "record": Record,
    "self_test": results.SelfTest,
    "machine": results.Machine,
    "environment": results.Environment,
    "answer": results.Answer,
    "archive": results.Archive,
}


def main() -> None:
    """Print the JSON schema that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=CONTRACTS, help="kind of file")
    print(json.dumps(schema(CONTRACTS[parser.parse_args().name]), indent=2))
