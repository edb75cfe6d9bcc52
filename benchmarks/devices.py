"""The device that each column really computes on: chosen, live, its driver, its CUDA and cuDNN.

    python3 benchmarks/devices.py [--accelerator cuda] [--device 1] [--interpreter NAME=PATH ...]

Every column is loaded as a run would be, with the environment variables of a run, and reports its
device; one product and one convolution are made there. NAME is a column; without
--interpreter those whose environments are installed. Needs the standard library alone.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from cells import asked, interpreter

from millistep.deploy.environments import virtual_prefix
from millistep.measure import device as in_use
from millistep.measure import frameworks
from millistep.measure.conformance import check_device
from millistep.supervise import device, variables

STACK = "2026-11"
ROOT = Path(__file__).resolve().parents[1]

TIME_LIMIT_S = 300


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--accelerator", choices=("cpu", "cuda"), help="default: cuda with a GPU")
    parser.add_argument("--device", default="auto", help="as the configuration's key")
    parser.add_argument("--interpreter", type=interpreter, action="append", metavar="NAME=PATH")
    parser.add_argument("--inside", help="used by this script itself")
    options = asked(parser, inside)
    try:
        gpu = device.chosen(options.device)
    except device.NoSuchDevice as problem:
        sys.exit(str(problem))
    accelerator = options.accelerator or ("cuda" if gpu else "cpu")
    if gpu:
        memory = f"{gpu.memory_mib} MiB" if gpu.memory_mib else "memory unknown"
        print(f"chosen: GPU {gpu.index}, {gpu.name}, {memory}, {gpu.uuid}, driver {gpu.driver}")
    else:
        print("chosen: no GPU is visible")
    word = device.word(gpu, options.device) if accelerator == "cuda" else ""
    found = interpreters(accelerator, options.interpreter)
    if not found:
        sys.exit(f"no environment for {accelerator} is installed; see --interpreter")
    print(f"{'column':20}wanted live   CUDA    cuDNN     products in  library or problem")
    for name, path in found.items():
        said = said_by(name, path, accelerator, word)
        print(
            f"{name:20}{accelerator:7}{said.get('live') or '-':7}"
            f"{said.get('cuda_version') or '-':8}{said.get('cudnn_version') or '-':10}"
            f"{said.get('matmul_precision') or '-':13}{said['words']}",
            flush=True,
        )


def interpreters(accelerator, named):
    """Return interpreters by column: the named ones, or those of the installed environments."""
    if named:
        return dict(named)
    found = {}
    for name, about in registry().items():
        definition = ROOT / "envs" / STACK / accelerator / f"{about.environment}.yaml"
        python = virtual_prefix(about.environment, definition) / "bin" / "python"
        if python.exists():
            found[name] = str(python)
    return found


def registry():
    """Return the frameworks, read outside of the columns' environments, which have no YAML."""
    from millistep.planning.catalog import frameworks

    return {name: about for name, about in frameworks([]).items() if about.family != "host"}


def said_by(name, interpreter, accelerator, word):
    """Return a column's own report, from a process like a run's."""
    about = registry()[name]
    wanted = {"accelerator": accelerator, "library": about.library, "threads": 1, "variables": {}}
    task = json.dumps({"framework": name, "module": about.module, "accelerator": accelerator})
    with tempfile.TemporaryDirectory() as scratch:
        environ = variables.of_process(wanted, Path(scratch), word)
        environ["PYTHONPATH"] = str(ROOT / "workflow")
        command = [interpreter, "-s", __file__, "--inside", task]
        done = subprocess.run(
            command, env=environ, capture_output=True, text=True, timeout=TIME_LIMIT_S
        )
    lines = (done.stdout if done.returncode == 0 else done.stderr).splitlines() or ["no output"]
    return json.loads(lines[-1]) if done.returncode == 0 else {"words": lines[-1]}


def inside(task):
    """Load, look, compute and look what is loaded, in the column's own environment."""
    options = {"precision": "default", "weights": "random", "seed": 1, "threads": 1}
    work = {"model": "bert", "task": "predict", "batch_size": 1, "architecture": {}}
    column = frameworks.create(frameworks.Cell(**work, **options, **task))
    column.load()
    live, words = column.live_accelerator()
    check_device(task["accelerator"], lambda: (live, words))
    used = column.precision()
    return json.dumps({"live": live, "words": words, **used, **in_use.versions()})


if __name__ == "__main__":
    main()
