"""What was measured, in one small zip that is unpacked in a checkout of the project."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bundle.selection import identity_of
from deploy.virtual_environments import write_atomically
from packing.privacy import scrubber_here
from packing.sealed_zip import EARLIEST, write_zip

RESULT = "records.zip"


def pack(root: Path, bundle: dict) -> int:
    """Write the zip; how many measured files are in it.

    Folders and names of this machine are replaced, as in an archive.
    """
    results = bundle["results"]
    write_self_test(root, bundle)
    measured = [path for path in bundle["order"] if is_planned(root / path, path, bundle)]
    about = [f"{results}/self_test.json", f"{results}/machine.json"]
    about += sorted(
        path.relative_to(root).as_posix()
        for path in root.glob(f"{results}/environments/*/*/*.json")
    )
    names = measured + [name for name in about if (root / name).is_file()]
    sources = [path.read_text(errors="replace") for path in root.glob("workflow/**/*.py")]
    scrubbed = scrubber_here(root, sources)
    contents = {name: scrubbed((root / name).read_text()).encode() for name in names}
    found, name = elsewhere(bundle, contents), f"{results}/elsewhere.json"
    write_atomically(root / name, found.decode())
    _write(root / RESULT, {**contents, name: found})
    return len(measured)


def is_planned(file: Path, path: str, bundle: dict) -> bool:
    """Whether a file is what the bundle asks for, with one library or another."""
    identities = [bundle["runs"][path]["identity"]] if path in bundle["runs"] else []
    identities += [files[path] for files in bundle["controls"].values() if path in files]
    return identity_of(file) in identities


def elsewhere(bundle: dict, contents: dict[str, bytes]) -> bytes:
    """What tells Snakemake that these results come from another machine, and which they are."""
    document = {
        "schema": "millistep.elsewhere/2",
        "scale": bundle["scale"],
        "accelerators": bundle["accelerators"],
        "sha256": {
            name: hashlib.sha256(content).hexdigest() for name, content in sorted(contents.items())
        },
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def write_self_test(root: Path, bundle: dict) -> None:
    """Put its parts together, as far as they are there."""
    known_steps = next(path for path in bundle["order"] if path.endswith("/known_steps.json"))
    if not is_planned(root / known_steps, known_steps, bundle):
        return
    pairs = [
        (run["again"], path)
        for path, run in bundle["runs"].items()
        if run["again"] and all(is_planned(root / p, p, bundle) for p in (run["again"], path))
    ]
    output = f"{bundle['results']}/self_test.json"
    command = [sys.executable, "-s", "workflow/supervise", "self_test"]
    command += ["--known-steps", known_steps]
    command += ["--first", *(first for first, _ in pairs)]
    command += ["--second", *(second for _, second in pairs), "--output", output]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:  # the records are worth more than it
        print(f"no {output}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)


def _write(output: Path, contents: dict[str, bytes]) -> None:
    partial = output.with_name(f".{output.name}.partial")
    with TemporaryDirectory(prefix="millistep-") as folder:
        for name, content in contents.items():
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, name).write_bytes(content)
        write_zip(Path(folder), contents, partial, EARLIEST)
    os.replace(partial, output)
