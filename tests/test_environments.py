"""Deploying a definition: complete or not at all, once for everybody, and honest when it fails.

The definitions here lock one tiny wheel that the tests build themselves: no network.
"""

import errno
import re
import shutil
import signal
import sys
import venv
from pathlib import Path

import pytest

from millistep.deploy.environments import definition_sha256, virtual_prefix, write_atomically
from millistep.deploy.virtual_environments import failure
from tests.shared import put, wait_for
from tests.workshop import THIS_PYTHON, Workshop


def test_messages_and_marker_say_what_is_installed(deployed):
    started, ready = deployed.first
    assert started == "millistep: environment tiny (cpu): being installed"
    assert re.fullmatch(r"millistep: environment tiny \(cpu\): ready after \d+ s", ready)
    assert deployed.run() == (0, []) and deployed.progress == []
    marker = deployed.marker()
    packages = marker.pop("packages")
    assert list(packages) == sorted(packages)
    assert set(packages) == {"tiny-thing", "pip", "setuptools"}
    assert packages["tiny-thing"] == "1.0"
    assert marker == {
        "schema": "millistep.environment/1",
        "name": "tiny",
        "accelerator": "cpu",
        "method": "venv",
        "definition_sha256": definition_sha256(deployed.definition),
        "interpreter": str(deployed.prefix / "bin" / "python"),
        "prefix": str(deployed.prefix),
        "python": "{}.{}.{}".format(*sys.version_info),
    }


def test_environment_is_found_again_after_a_move_and_a_touch(deployed):
    before, runs = deployed.marker(), deployed.runs()
    elsewhere = deployed.folder / "moved" / "cpu"
    shutil.copytree(deployed.definition.parent, elsewhere)
    moved = ("--method", "venv", "--definition", str(elsewhere / "tiny.yaml"))
    process = deployed.start("again.json", *moved)
    assert process.wait(timeout=60) == 0
    assert deployed.marker("again.json") == before
    assert deployed.runs() == runs == 1


def test_environment_that_no_longer_runs_is_made_anew(deployed):
    runs = deployed.runs()
    (deployed.prefix / "bin" / "python").unlink()
    assert deployed.run() == (0, [])
    assert deployed.runs() == runs + 1


def test_uv_links_what_it_has_and_compiles_it_and_pip_stands_in_for_it(deployed, monkeypatch):
    site = f"lib/python{THIS_PYTHON}/site-packages"
    pyc = f"{site}/__pycache__/tiny_thing.{sys.implementation.cache_tag}.pyc"
    by_uv = deployed.marker()
    assert (deployed.prefix / site / "tiny_thing.py").stat().st_nlink == 2
    assert (deployed.prefix / pyc).is_file()
    shutil.rmtree(deployed.folder / "cache")
    # Run by a Python without uv beside it, and without one on the PATH.
    monkeypatch.setitem(deployed.environ, "PATH", "/usr/bin:/bin")
    assert deployed.run(python=sys._base_executable) == (0, [])
    assert deployed.marker() == by_uv
    assert (deployed.prefix / site / "tiny_thing.py").stat().st_nlink == 1
    assert (deployed.prefix / pyc).is_file()


def test_what_uv_cannot_install_is_installed_by_pip(workshop):
    """If a page of wheels cannot be reached, uv ends, and pip goes on without the page."""
    lines = workshop.script.read_text()
    page = "--find-links http://127.0.0.1:9/wheels/\n"
    workshop.script.write_text(lines.replace("tiny-thing==", f"{page}tiny-thing==", 1))
    # The machine's own wheels are enough: the page is not asked for.
    assert workshop.run() == (0, [])
    assert "pip goes on" not in Path(f"{workshop.prefix}.log").read_text()
    shutil.rmtree(workshop.folder / "cache")
    called = workshop.folder / "called"
    text = f"#!/bin/sh\necho called >> {called}\nexit 2\n"
    broken = put(workshop.folder / "bin/uv", text, program=True)
    workshop.environ["PATH"] = f"{broken.parent}:{workshop.environ['PATH']}"
    assert workshop.run() == (0, [])
    assert called.read_text().splitlines() == ["called"] * 2


def test_a_file_is_written_whole_by_whoever_comes_last_or_not_at_all(tmp_path, monkeypatch):
    """Two nodes may have processes of one number."""
    path, replace = tmp_path / "marker.json", Path.replace
    with monkeypatch.context() as patched:

        def late(unfinished, target):
            patched.setattr(Path, "replace", replace)
            write_atomically(path, "the other's")
            return replace(unfinished, target)

        patched.setattr(Path, "replace", late)
        write_atomically(path, "ours")
    assert path.read_text() == "ours"

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, "more")
    assert [file.name for file in tmp_path.iterdir()] == ["marker.json"]


def test_killed_creation_does_not_count_and_is_made_anew(workshop):
    workshop.gate.touch()
    first = workshop.start()
    wait_for(workshop.trace, 60)
    first.send_signal(signal.SIGKILL)
    assert first.wait(timeout=60) == -signal.SIGKILL
    ruin = workshop.prefix / "ruin"
    ruin.touch()

    # Processes of the first one are still at work: the second one must not join in.
    second = workshop.start()
    assert second.stderr.readline().startswith("waiting for another process")
    assert not workshop.has_marker() and ruin.exists() and workshop.runs() == 1

    workshop.gate.unlink()
    assert second.wait(timeout=120) == 0
    assert workshop.runs() == 2 and not ruin.exists()
    assert workshop.marker()["packages"]["tiny-thing"] == "1.0"


ANOTHER = """#!/bin/sh
case "$*" in *version_info*) echo 3.99;; *) exec {python} "$@";; esac
"""
# A stand-in for uv, which answers once it was asked to bring the Python.
UV = """#!/bin/sh
echo "$UV_PYTHON_INSTALL_DIR" >> {trace}
[ "$1" = pip ] && exit 2
[ "$2" = install ] && touch {brought}
[ "$2" = find ] && [ -e {brought} ] && echo {another}
exit {code}
"""


def needs_another_python(workshop, code=0):
    """Lock Python 3.99, which the stand-in for uv alone can bring."""
    workshop.definition.write_text("dependencies:\n  - python=3.99\n  - pip\n")
    folder, text = workshop.folder / "bin", ANOTHER.format(python=sys._base_executable)
    another = put(workshop.folder / "python3.99-that-was-brought", text, program=True)
    places = {"trace": workshop.folder / "asked", "brought": workshop.folder / "brought"}
    put(folder / "uv", UV.format(another=another, code=code, **places), program=True)
    for name in ("sh", "touch", "cat", "grep"):
        (folder / name).symlink_to(shutil.which(name))
    workshop.environ["PATH"] = str(folder)


def test_uv_downloads_another_python(workshop):
    needs_another_python(workshop)
    assert workshop.run() == (0, [])
    assert workshop.marker()["packages"]["tiny-thing"] == "1.0"
    asked = set((workshop.folder / "asked").read_text().split())
    assert asked == {str(workshop.folder / "cache" / "pythons")}


def test_a_missing_python_is_named_with_the_remedy(workshop):
    needs_another_python(workshop, code=3)
    line = workshop.refused()
    assert "Python 3.99 is needed" in line
    assert "install python3.99 with its venv module (uv could not download it)" in line


@pytest.mark.parametrize(
    "path, message",
    [
        ("/no/such/python", "there is no interpreter '/no/such/python' that can be run"),
        (shutil.which("echo"), "does not run as a Python"),
    ],
)
def test_wrong_interpreter_is_refused_in_one_line(workshop, path, message):
    assert message in workshop.refused("--method", "interpreter", "--interpreter", path)
    assert not workshop.has_marker()


def test_only_the_conda_environment_of_the_definition_is_used(workshop):
    """If activation fails, CONDA_PREFIX is that of the environment that Snakemake runs in."""
    refusal = "is not the conda environment of"
    assert f"no activated environment {refusal}" in workshop.refused("--method", "conda")
    prefix = workshop.conda_prefix()
    workshop.run_script(prefix)
    assert workshop.run("--method", "conda") == (0, [])
    marker, python = workshop.marker(), str(prefix / "bin" / "python")
    assert (marker["method"], marker["interpreter"]) == ("conda", python)
    assert (marker["prefix"], marker["packages"]["tiny-thing"]) == (str(prefix), "1.0")

    own = workshop.folder / "snakemake"
    venv.create(own, symlinks=True)
    (own / "conda-meta").mkdir()
    workshop.environ["CONDA_PREFIX"] = str(own)
    assert f"{own} {refusal}" in workshop.refused("--method", "conda")
    # An environment of an earlier state of the lock is not used either.
    workshop.environ["CONDA_PREFIX"] = str(prefix)
    workshop.script.write_text(workshop.script.read_text() + "# another\n")
    assert f"{prefix} {refusal}" in workshop.refused("--method", "conda")


def test_a_failed_installation_ends_no_start_and_is_made_good_by_the_next(workshop):
    prefix = workshop.conda_prefix()
    wheels = workshop.folder / "wheels"
    hidden = wheels.rename(workshop.folder / "hidden")
    workshop.run_script(prefix)  # with status 0
    line = workshop.refused("--method", "conda")
    assert "tiny-thing" in line and str(prefix / "millistep-failed") in line
    hidden.rename(wheels)
    assert workshop.run("--method", "conda") == (0, []) and len(workshop.progress) == 2
    assert workshop.marker()["packages"]["tiny-thing"] == "1.0"
    assert workshop.run("--method", "conda") == (0, []) and workshop.progress == []


@pytest.mark.parametrize("path", [None, "/usr/bin:/bin"])
def test_files_that_an_interrupted_installation_left_out_are_installed(workshop, path):
    """uv and pip take a package for complete whose dist-info is there."""
    prefix = workshop.conda_prefix()
    workshop.run_script(prefix)
    (module,) = prefix.glob("lib/*/site-packages/tiny_thing.py")
    module.unlink()
    (prefix / "millistep-complete").rename(prefix / "millistep-failed")
    python = sys.executable
    if path:  # without uv
        workshop.environ["PATH"], python = path, sys._base_executable
    assert workshop.run("--method", "conda", python=python) == (0, [])
    assert module.exists() and (prefix / "millistep-complete").exists()


def test_two_starts_install_into_one_conda_environment_one_after_the_other(workshop):
    workshop.conda_prefix()
    workshop.gate.touch()
    first = workshop.start("one.json", "--method", "conda")
    wait_for(workshop.trace, 60)
    second = workshop.start("two.json", "--method", "conda")
    assert second.stderr.readline().startswith("waiting for another process")
    workshop.gate.unlink()
    assert first.wait(timeout=60) == second.wait(timeout=60) == 0
    assert workshop.runs() == 1
    assert workshop.marker("one.json") == workshop.marker("two.json")


def test_a_link_leads_to_what_was_deployed_and_takes_nobodys_folder(workshop):
    link, cache = workshop.folder / ".venv", workshop.folder / "Jürgen"
    workshop.environ["MILLISTEP_CACHE"] = str(cache)
    link.symlink_to("what was there before")
    assert workshop.run("--method", "venv", "--link", str(link)) == (0, [])
    assert (link / "bin/python").exists() and link.resolve().is_relative_to(cache)
    link.unlink()
    (link / "bin").mkdir(parents=True)
    line = workshop.refused("--method", "venv", "--link", str(link))
    assert line.startswith("tiny: ") and f"{link} exists and is not the link" in line


def test_machines_of_two_kinds_share_no_environment(workshop, monkeypatch):
    ours = virtual_prefix("tiny", workshop.definition)
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    theirs = virtual_prefix("tiny", workshop.definition)
    assert theirs.name == ours.name.replace("tiny-cpu-", "tiny-cpu-riscv64-")


def test_the_digest_is_of_yaml_and_lock_alone(workshop):
    before, script = definition_sha256(workshop.definition), workshop.script.read_text()
    workshop.script.write_text(script.replace("Generated by", "Written by"))
    assert definition_sha256(workshop.definition) == before
    workshop.script.write_text(script.replace("==1.0", "==1.1"))
    assert definition_sha256(workshop.definition) != before


def no_index(workshop: Workshop) -> None:
    del workshop.environ["PIP_NO_INDEX"], workshop.environ["PIP_FIND_LINKS"]
    del workshop.environ["UV_FIND_LINKS"]
    workshop.environ["PIP_INDEX_URL"] = "http://127.0.0.1:9/simple"  # a closed port


def other_wheel(workshop: Workshop) -> None:
    with open(workshop.folder / "wheels/tiny_thing-1.0-py3-none-any.whl", "ab") as wheel:
        wheel.write(b"\0")


@pytest.mark.parametrize(
    "spoil, cause",
    [
        (no_index, "No matching distribution found for tiny-thing==1.0"),
        (other_wheel, "THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE"),
    ],
)
def test_the_last_error_line_of_the_installer_is_shown(workshop, spoil, cause):
    spoil(workshop)
    line = workshop.refused()
    assert line.startswith(f"tiny: {cause}") and line.endswith(f"(log: {workshop.prefix}.log)")
    assert not workshop.has_marker()


DEBIAN = """... not available.  On Debian/Ubuntu systems, you need to install ...:

    apt install python3.11-venv

Failing command: /home/me/.cache/millistep/envs/tiny/bin/python3
"""
WORDS = [
    ("collecting\nsh: 1: no such program\n\n\n", "sh: 1: no such program"),
    (DEBIAN, "apt install python3.11-venv"),
    ("\n", "the installation failed"),
]


@pytest.mark.parametrize(("printed", "words"), WORDS)
def test_without_an_error_line_the_remedy_or_the_last_words_are_shown(tmp_path, printed, words):
    log = put(tmp_path / "log", printed)
    assert str(failure(log)) == f"{words} (log: {log})"


def test_a_disk_that_is_too_small_is_named_before_anything_is_downloaded(workshop):
    sizes = workshop.definition.parent.with_name("sizes.json")
    sizes.write_text('{"cpu": {"tiny": 1e9}}')
    cache = workshop.folder / "cache/envs"
    assert workshop.refused().startswith(f"tiny: tiny needs up to 1e+09 GB in {cache}, ")
    assert workshop.runs() == 0 and not workshop.prefix.exists()
    sizes.write_text('{"cpu": {"tiny": 0.001}}')
    assert workshop.run() == (0, [])
    assert "tiny (cpu, up to 0.001 GB)" in workshop.progress[0]


def test_what_fails_is_tried_once_per_start(workshop):
    wheels = workshop.folder / "wheels"
    hidden = wheels.rename(workshop.folder / "hidden")
    first = ("--method", "venv", "--start", "1")
    line = workshop.refused(*first)
    assert "tiny-thing" in line
    assert workshop.refused(*first) == line and workshop.runs() == 1
    assert workshop.progress == []
    hidden.rename(wheels)
    assert workshop.refused(*first) == line
    (note,) = workshop.folder.glob(".*.failed")
    kept = note.read_text()
    note.write_text('{"start": "1"}')
    assert workshop.run(*first) == (0, []), "a note without a reason is none"
    (workshop.folder / "marker.json").unlink()
    note.write_text(kept)
    assert workshop.run("--method", "venv", "--start", "2") == (0, []) and workshop.has_marker()
    (workshop.folder / "marker.json").unlink()
    assert workshop.run(*first) == (0, []), "a failure outlived the success after it"
