"""Write the zip with which a machine without Snakemake, conda or a network measures a plan."""

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from deploy.environments import definition_sha256
from packing.sealed_zip import EARLIEST, write_zip
from planning import bundle
from planning.config import ConfigError
from planning.plan import Plan


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="the whole configuration, as JSON")
    parser.add_argument("--envs", type=Path, required=True, help="definitions")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    try:
        plan = Plan(json.loads(options.config), definition_sha256, options.envs, here=False)
        bundle.check_portable(plan)
    except ConfigError as error:
        print(f"millistep: {error}", file=sys.stderr)
        return 1
    write(plan, options.output)
    size_kib = options.output.stat().st_size / 1024
    print(f"{options.output}: {len(plan.runs)} runs, {size_kib:.0f} KiB", file=sys.stderr)
    return 0


def write(plan: Plan, output: Path) -> None:
    """Write the zip; the same plan and sources give the same bytes."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.partial")
    with TemporaryDirectory(prefix="millistep-") as folder:
        names = ["bundle.json"]
        Path(folder, names[0]).write_text(json.dumps(bundle.document(plan), indent=1) + "\n")
        for name, source in bundle.files(plan).items():
            target = Path(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            names.append(name)
        write_zip(Path(folder), names, partial, EARLIEST)
    os.replace(partial, output)
