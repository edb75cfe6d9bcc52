"""When deploying fails, one line names the likely cause."""

import pytest

from millistep.deploy.virtual_environments import failure
from tests.shared import put
from tests.workshop import Workshop


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
