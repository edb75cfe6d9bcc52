"""Pack all results into one small zip, which is unpacked in a checkout of the project."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from bundle.steps import identity_of
from deploy.virtual_environments import write_atomically
from packing.privacy import scrubber_here
from packing.sealed_zip import write_zip

RESULT = "records.zip"


def pack(root: Path, bundle: dict) -> int:
    """Write the zip; return how many measured files are in it.

    Folders and names of this machine are replaced, as in an archive.
    """
    results = bundle["results"]
    timed = identities(bundle)
    measured = [path for path in timed if identity_of(root / path) in timed[path]]
    write_self_test(root, bundle, {*measured})
    about = [f"{results}/self_test.json", *(block["path"] for block in bundle["blocks"])]
    for pattern in ("machines/[0-9a-f]*.json", "environments/*/*/*.json"):
        found = sorted(root.glob(f"{results}/{pattern}"))
        about += [path.relative_to(root).as_posix() for path in found]
    names = measured + [name for name in about if (root / name).is_file()]
    sources = [path.read_text(errors="replace") for path in root.glob("workflow/**/*.py")]
    scrubbed = scrubber_here(root, sources)
    contents = {name: scrubbed((root / name).read_text()).encode() for name in names}
    found, name = elsewhere(bundle, contents), f"{results}/elsewhere.json"
    write_atomically(root / name, found.decode())
    partial = root / f".{RESULT}.partial"
    write_zip({**contents, name: found}, partial)
    os.replace(partial, root / RESULT)
    return len(measured)


def identities(bundle: dict) -> dict[str, list[str]]:
    """The identities that each timed file may have: several libraries can time the known steps."""
    known_steps = bundle["known_steps"]
    runs = (run for block in bundle["blocks"] for run in block["runs"])
    found = {run["record"]: [run["identity"]] for run in runs}
    found[known_steps["path"]] = [steps["identity"] for steps in known_steps["possible"]]
    return found


def elsewhere(bundle: dict, contents: dict[str, bytes]) -> bytes:
    """The file that tells Snakemake that results come from another machine, with their digests."""
    document = {
        "schema": "millistep.elsewhere/2",
        "scale": bundle["scale"],
        "accelerators": bundle["accelerators"],
        "sha256": {
            name: hashlib.sha256(content).hexdigest() for name, content in sorted(contents.items())
        },
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def write_self_test(root: Path, bundle: dict, measured: set[str]) -> None:
    """Put the self-test together from the parts that are measured; none without known steps."""
    known_steps = bundle["known_steps"]["path"]
    if known_steps not in measured:
        return
    pairs = [
        (run["again"], run["record"])
        for block in bundle["blocks"]
        for run in block["runs"]
        if run["again"] and {run["again"], run["record"]} <= measured
    ]
    output = f"{bundle['results']}/self_test.json"
    command = [sys.executable, "-s", "workflow/supervise", "self_test"]
    command += ["--known-steps", known_steps]
    command += ["--first", *(first for first, _ in pairs)]
    command += ["--second", *(second for _, second in pairs), "--output", output]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:  # the records are worth more than the self-test
        print(f"no {output}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
