"""Write the machine's card.

PYTHONPATH=workflow python3 -s -m machine_card --accelerator cpu --output results/machine.json
"""

import argparse
import json
from pathlib import Path

from environments import write_atomically
from machine_card import gpu, host
from measure.machine import card
from measure.record import now


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--accelerator", choices=("cpu", "cuda"), required=True)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    sections = host.sections()
    if options.accelerator == "cuda":
        sections["GPU"] = gpu.facts()
    document = {
        "schema": "millistep.machine/1",
        "id": card(options.accelerator)["id"],
        "collected_at": now(),
        "sections": [
            {
                "title": title,
                "facts": [{"name": name, "value": value} for name, value in facts.items()],
            }
            for title, facts in sections.items()
        ],
    }
    write_atomically(options.output, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
