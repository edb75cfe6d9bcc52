"""Which archives an atlas is made of."""

from types import SimpleNamespace

import pytest

from planning.atlas import Archives, archives

from .test_config import refused

LINK, SHA256 = "https://example.org/x/b.zip?download=1", 32 * "ab"


def test_the_archives_of_a_folder(tmp_path):
    for name in ("a.zip", "of 2025/a.zip", "of 2025/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = archives(str(tmp_path))
    places = [f"{tmp_path}/a.zip", f"{tmp_path}/of 2025/a.zip"]
    assert [source.place for source in found.values()] == places
    assert len(found) == 2 and all(word.startswith("a-") for word in found)


def test_paths_and_links_in_a_file(tmp_path):
    (tmp_path / "a.zip").touch()
    text = f"archives: [a.zip, {{link: '{LINK}', sha256: {SHA256}}}]"
    (tmp_path / "list.yaml").write_text(text)
    served = Archives(str(tmp_path / "list.yaml"))
    here, there = served.found
    assert here.startswith("a-") and there.startswith("b-")
    here, there = (SimpleNamespace(archive=name) for name in (here, there))
    assert (served.file(there), served.place(there)) == ([], LINK)
    assert served.digest(there) == f"--sha256 {SHA256}"
    assert (served.file(here), served.digest(here)) == ([f"{tmp_path}/a.zip"], "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("archives: a.zip", ["archives: a list"]),
        ("archives: [b.zip]", ["b.zip: no such file"]),
        ("archives: [{link: 'https://a.org/a.zip', sha: 0}]", ["archives.0: ", " is not allowed"]),
        ("archives: [{path: a.zip, sha256: 12}]", ["archives.0.sha256: 12"]),
        ("archives: []", ["no archive is there"]),
        ("archives: ['http://[bad']", ["archives.0: http://[bad: Invalid IPv6 URL"]),
        ("archives: ['~nouser1/a.zip']", ["archives.0: ", "~nouser1/a.zip: no such file"]),
        ("archives: ['a{b}.zip']", ["archives.0: ", "a{b}.zip: Snakemake reads no file with a"]),
    ],
)
def test_one_line_says_what_is_wrong(tmp_path, text, words):
    for name in ("a.zip", "a{b}.zip"):
        (tmp_path / name).touch()
    (tmp_path / "list.yaml").write_text(text)
    refused(words, lambda: archives(str(tmp_path / "list.yaml")))
    for place in (str(tmp_path / "nowhere"), "~nouser1/y"):
        refused(["no such folder of archives"], lambda place=place: archives(place))
    refused(["atlas: ", "a{b}.zip: Snakemake reads"], lambda: archives(str(tmp_path)))
