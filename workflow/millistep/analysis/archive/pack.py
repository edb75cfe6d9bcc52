"""Make an archive: measurements without names of this machine, what they render to, and sources."""

import json
import os
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from millistep.analysis.archive import ABOUT, CRATE, SUMS, contents
from millistep.analysis.archive.citation import citation
from millistep.analysis.archive.contents import ROOT
from millistep.analysis.archive.crate import metadata
from millistep.analysis.archive.privacy import Scrubber, scrubber_here
from millistep.analysis.archive.unpack import unpack
from millistep.analysis.frames import Data
from millistep.analysis.load import InputError, project_of, read
from millistep.analysis.report.render import render
from millistep.contracts.plan import Plan

CONFIG = "config/config.yaml"
EARLIEST, UNIX = (1980, 1, 1, 0, 0, 0), 3  # the earliest time that a zip can hold; its system
CONFIG_HEAD = "# The configuration of this measurement, command line included.\n"


def pack(
    place: Path, output: Path, config: dict[str, Any] | None = None, keep_paths: bool = False
) -> tuple[Data, str, int]:
    """Write the archive of the results of a plan.

    Return the results as archived, the digest of plan and records, and the number of files in
    which names of this machine were replaced. `config` is the whole configuration; None means
    config.yaml as it is.
    """
    plan = read(place, Plan, str(place))
    project = project_of(place, plan)
    found = contents.sources(ROOT) | contents.users(project.resolve(), contents.folders(plan))
    sources = {name: path.read_bytes() for name, path in found.items()}
    measured = contents.measured(plan, project)
    # A name in the configuration is one of this machine, and no word of the sources.
    words = [*measured, *found, *_texts(found.keys() - {CONFIG}, sources)]
    if config is not None:
        text = CONFIG_HEAD + yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
        sources[CONFIG] = text.encode()
    scrub = None if keep_paths else scrubber_here(project, words)
    with TemporaryDirectory(prefix="millistep-") as scratch:
        staging = Path(scratch, "archive")
        changed = sum(_scrubbed(project / n, staging / n, scrub) for n in measured)
        for name, content in sources.items():
            _source(staging, name, content, scrub, from_run=name == CONFIG)
        data = render(staging / plan["results"] / "plan.json", staging / plan["results"])
        about: dict[str, Any] = {"schema": "millistep.archive/1", "revision": contents.revision()}
        about |= {"paths": "kept" if keep_paths else "replaced", "made_with": contents.made_with()}
        (staging / ABOUT).write_text(json.dumps(about, indent=1) + "\n")
        digest = contents.digest(plan, staging)
        (staging / CRATE).write_text(metadata(data, citation(ROOT), digest))
        names = sorted(p.relative_to(staging).as_posix() for p in staging.rglob("*") if p.is_file())
        lines = [f"{contents.sha256(staging / name)}  {name}\n" for name in names]
        (staging / SUMS).write_text("".join(lines))
        _write_zip({name: staging / name for name in [*names, SUMS]}, output)
        unpack(output, Path(scratch, "again"))  # as anyone who verifies it does
    return data, digest, changed


def _texts(names: Iterable[str], sources: dict[str, bytes]) -> Iterator[str]:
    """Yield the sources that are text."""
    for name in names:
        with suppress(UnicodeDecodeError):
            yield sources[name].decode()


def _scrubbed(path: Path, target: Path, scrub: Scrubber | None) -> bool:
    """Copy a file that the pipeline wrote; return whether names of this machine were replaced."""
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    clean = scrub(text) if scrub else text
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(clean.encode("utf-8", "surrogateescape"))
    return clean != text


def _source(
    staging: Path, name: str, content: bytes, scrub: Scrubber | None, from_run: bool
) -> None:
    """Copy a source file; a folder of this machine in it is an error, in the configuration not."""
    text = content.decode("utf-8", "surrogateescape")
    if scrub and from_run:
        content = scrub(text).encode("utf-8", "surrogateescape")
    elif scrub and (folder := scrub.finds_folder(text)):
        line = text[: text.index(folder)].count("\n") + 1
        raise InputError(
            f"{name}: line {line} names a folder of this machine ({folder}). Remove it, or keep all"
            " names, as docs/publish.md explains"
        )
    target = staging / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def _write_zip(files: Mapping[str, Path], output: Path) -> None:
    """Write files under their names; the same files give the same bytes."""
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f".{output.name}.partial")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, file in sorted(files.items()):
                entry = zipfile.ZipInfo(name, EARLIEST)
                entry.create_system = UNIX
                entry.external_attr = (stat.S_IFREG | 0o644) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, file.read_bytes(), compresslevel=9)
        os.replace(partial, output)
    finally:
        partial.unlink(missing_ok=True)
