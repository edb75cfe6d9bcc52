"""Archives that somebody made to do harm, and archives that were damaged by chance."""

import io
import itertools
import stat
import struct
import time
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.archive import MANIFEST
from analysis.archive import unpack as limits
from analysis.archive.differences import first_difference
from analysis.archive.manifest import manifest_text, sha256
from analysis.archive.unpack import unpack
from analysis.archive.verification import verify, without_figures
from analysis.formats.errors import InputError
from analysis.report.citation import read_citation
from packing.sealed_zip import is_sealed, write_zip

PLAIN = {"results/plan.json": b'{"schema": 1}', "a.txt": b"one\ntwo\n"}


def entry(name, mode=stat.S_IFREG | 0o644, method=zipfile.ZIP_DEFLATED):
    info = zipfile.ZipInfo(name)
    info.external_attr, info.compress_type, info.create_system = mode << 16, method, 3
    return info


def write(path, entries):
    with zipfile.ZipFile(path, "w") as archive:
        for info, content in entries:
            archive.writestr(info, content)
    return path


def sealed(folder, files=PLAIN):
    """A sound archive of these files, folder/a.zip, and a folder for what comes out of it."""
    (folder / "out").mkdir()
    for name, content in files.items():
        (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "tree" / name).write_bytes(content)
    (folder / "tree" / MANIFEST).write_text(manifest_text(folder / "tree", files))
    return zipped(folder, [*files, MANIFEST], "a.zip")


def zipped(folder, names, output):
    """These files of the folder's tree in an archive."""
    files = {name: folder / "tree" / name for name in names}
    write_zip(files, folder / output, (2026, 1, 2, 3, 4, 6))
    return folder / output


def refused(path, tmp_path, message):
    """Refused in one line, and nothing was written outside of the folder."""
    target = tmp_path / "place" / "inner"
    target.mkdir(parents=True)
    with pytest.raises(InputError, match=message) as raised:
        unpack(path, target)
    assert len(raised.value.lines) == 1 and "\n" not in raised.value.lines[0]
    assert [child.name for child in (tmp_path / "place").iterdir()] == ["inner"]


def test_a_sound_archive(tmp_path):
    path = sealed(tmp_path)
    archive = unpack(path, tmp_path / "out")
    assert archive.sealed and not archive.problems and archive.names == sorted(PLAIN)
    assert is_sealed(path)


def files(*names, **options):
    return [(entry(name, **options), b"x") for name in names]


UNPLAIN = ("../evil.txt", "results/../../evil.txt", "/etc/evil.txt", "results//evil.txt")
UNPLAIN += ("./evil.txt", "results/evil.txt ", "")
UNPRINTABLE = ("..\\evil.txt", "C:evil.txt", "evil\n.txt", "evil\x1b[2J.txt", "evil\u202etxt.py")
UNPRINTABLE += ("e" * 300,)
LINKS = (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFDIR)
ONE = (("a.txt", "a.txt"), ("a.txt", "A.TXT"), ("results/a", "Results/A"))
ONE += (("straße.txt", "STRASSE.txt"), ("results", "results/a"))
NO_MANIFESTS = (b"", b"no digest", b"ab" * 32 + b" a.txt", b"\xff", b"AB" * 32 + b"  a.txt")
REFUSED = {
    "absolute, or not written plainly": [files(name) for name in UNPLAIN],
    "not a name that every system takes": [files(name) for name in UNPRINTABLE],
    "neither a file nor a folder": [files("link", mode=kind | 0o777) for kind in LINKS],
    "twice, but for upper and lower case": [files(*names) for names in ONE],
    "compressed in an unusual way": [
        files("a.txt", method=method) for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    ],
    f"holds no {MANIFEST}": [files("a.txt")],
    f"{MANIFEST}: ": [[*files("a.txt"), (entry(MANIFEST), text)] for text in NO_MANIFESTS],
    "more than are unpacked from a zip of this size": [
        [(entry(name), bytes(20 * 2**20)) for name in ("0.txt", "1.txt")]
    ],
}


@pytest.mark.parametrize(
    ("message", "entries"), [(message, each) for message in REFUSED for each in REFUSED[message]]
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_could_do_harm_is_refused(tmp_path, message, entries):
    refused(write(tmp_path / "a.zip", entries), tmp_path, message)


def test_a_name_that_ends_early_for_some(tmp_path):
    path = write(tmp_path / "a.zip", [(entry("results/plan.jsonX.sh"), b"x")])
    path.write_bytes(path.read_bytes().replace(b"jsonX", b"json\0"))
    refused(path, tmp_path, "not a name that every system takes")


@pytest.mark.parametrize(
    ("limit", "most", "entries", "message"),
    [
        ("MAX_FILE_BYTES", 1000, [(entry("a.txt"), bytes(1001))], "too large"),
        ("MAX_FILES", 10, files(*map(str, range(11))), "11 files"),
    ],
)
def test_too_much_of_it(tmp_path, monkeypatch, limit, most, entries, message):
    monkeypatch.setattr(limits, limit, most)
    refused(write(tmp_path / "a.zip", entries), tmp_path, message)


def test_a_file_that_holds_more_than_it_declares(tmp_path):
    """The declared size is what is read, so that a lie ends as a broken file."""
    path = sealed(tmp_path, {"zeros.txt": bytes(2**20)})
    content = path.read_bytes().replace(struct.pack("<L", 2**20), struct.pack("<L", 99))
    path.write_bytes(content)
    archive = unpack(path, tmp_path / "out")
    assert "cannot be read" in archive.problems["zeros.txt"] and not archive.names


def test_a_file_that_the_manifest_does_not_name(tmp_path):
    path = sealed(tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("extra.py", "print()")
    refused(path, tmp_path, "'?extra.py'?: not in the manifest")


def test_a_file_that_is_missing(tmp_path):
    sealed(tmp_path)
    zipped(tmp_path, ["a.txt", MANIFEST], "b.zip")
    problems = unpack(tmp_path / "b.zip", tmp_path / "out").problems
    assert problems == {"results/plan.json": "in the manifest, but not in the archive"}


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip at all", b"PK\x05\x06" + bytes(18)])
def test_no_zip(tmp_path, content):
    (tmp_path / "a.zip").write_bytes(content)
    refused(tmp_path / "a.zip", tmp_path, "not a zip file|holds no")


def test_folders_are_no_archives(tmp_path):
    refused(tmp_path, tmp_path, "not a file")


@pytest.mark.parametrize(
    "text",
    [
        "[1]",
        "authors: 1",
        "a: &a [1]\nauthors: [*a]\ntitle: t\nmessage: m\nlicense: l",
        "authors: [{name: [x]}]\ntitle: t\nmessage: m\nlicense: l",
        "authors: [{name: x}]\ntitle: [t]\nmessage: m\nlicense: l",
        "authors: [{name: x}]\ntitle: t\nmessage: m\nlicense: l\ndoi: {a: 1}",
        "{" * 5000,
        "a: !!python/object/apply:os.system [id]",
        "authors: [&a {name: x}, *a]\ntitle: t\nmessage: m\nlicense: l",
        f"authors: [{{name: x}}]\ntitle: t\nmessage: m\nlicense: {'l' * 2**20}",
    ],
)
def test_citations_that_are_none(tmp_path, text):
    (tmp_path / "CITATION.cff").write_text(text)
    with pytest.raises(InputError, match=r"CITATION\.cff: "):
        read_citation(tmp_path / "CITATION.cff")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sound")
    files = {"results/plan.json": b'{"schema": "x"}', "b.csv": b"a,b\n1,2\n", "c.bin": bytes(300)}
    return folder, sealed(folder, files).read_bytes(), itertools.count()


def verified(sound, content):
    """What is found in the sound archive with another content; None where it is refused."""
    folder, _, number = sound
    (folder / "changed.zip").write_bytes(content)
    target = folder / str(next(number))
    target.mkdir()
    try:
        found = verify(folder / "changed.zip", target)
    except InputError as error:
        assert error.lines and all(line.isprintable() for line in error.lines)
        return None
    return found


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_one_byte_changed_anywhere_is_never_identical(sound, data):
    _, content, _ = sound
    place = data.draw(st.integers(0, len(content) - 1))
    value = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[place]))
    found = verified(sound, content[:place] + bytes((value,)) + content[place + 1 :])
    assert not (found and found.sealed)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(cut=st.binary(max_size=400), start=st.integers(0, 800), end=st.integers(0, 800))
def test_any_damage_is_one_line_or_a_finding(sound, cut, start, end):
    _, content, _ = sound
    damaged = content[:start] + cut + content[end:]
    if damaged != content:
        verified(sound, damaged)


@pytest.mark.parametrize(
    ("found", "expected", "message"),
    [
        (b'{\n "a": 1\n}', b'{\n "b": 1\n}', 'line 2: "a": 1, expected "b": 1'),
        (b"[" * 9000, b"[" * 9001, "line 1: "),
        (b"x,y\n1,2\n", b"x,y\n1,3\n", "line 2: 1,2, expected 1,3"),
        (b"x,y\n1,2\n", b"x,y\n1\n", "line 2: 1,2, expected 1"),
        (b"a\nb\n", b"a\nb\nc\n", "line 3: nothing, expected c (2 such lines)"),
        (b"a\rb\nc\r", b"a\rb\nd\r", "line 2: c, expected d"),
        (b"\xff\x00", b"\xff\x01\x02", "byte 1 of 2, expected 3 bytes"),
    ],
)
def test_places_of_differences(found, expected, message):
    assert first_difference(found, expected).startswith(message)


def test_figures_are_left_out_of_a_page_in_one_pass():
    assert without_figures(b"a<svg x>1</svg>b<svg>2</svg>c") == b"abc"
    begun = time.monotonic()
    assert without_figures(b"<svg " * 10**6) == b"<svg " * 10**6
    assert time.monotonic() - begun < 5  # for each of them to the end would be hours


def test_a_zip_within_a_zip_is_only_a_file(tmp_path):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("../x", "y")
    path = sealed(tmp_path, {"a.zip": inner.getvalue()})
    assert unpack(path, tmp_path / "out").names == ["a.zip"]
    assert sha256(tmp_path / "out" / "a.zip")
