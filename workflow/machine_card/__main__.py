"""Write the machine's card.

PYTHONPATH=workflow python3 -s -m machine_card --accelerators cuda cpu --output results/machine.json
"""

import argparse
import json
import sys
from pathlib import Path

from deploy.environments import write_atomically
from machine_card import gpu, host
from supervise import device
from supervise.machine import card_with
from supervise.record import now


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--accelerators", nargs="+", choices=("cpu", "cuda"), required=True)
    parser.add_argument("--device", default="auto", help="which GPU, as the configuration says")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    sections = host.sections()
    found = None
    if "cuda" in options.accelerators:
        try:
            found = device.chosen(options.device)
        except device.NoSuchDevice as problem:
            sys.exit(f"millistep: {problem}")
        sections["GPU"] = gpu.facts(device.word(found, options.device))
    document = {
        "schema": "millistep.machine/2",
        "ids": {
            accelerator: card_with(found if accelerator == "cuda" else None)["id"]
            for accelerator in options.accelerators
        },
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
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
