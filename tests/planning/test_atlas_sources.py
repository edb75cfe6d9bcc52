"""Which archives an atlas is made of."""

import pytest

from planning.atlas import Archives, archives
from planning.config import ConfigError


def test_the_archives_of_a_folder(tmp_path):
    for name in ("a.zip", "of 2025/a.zip", "of 2025/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = archives(str(tmp_path))
    assert [source.place for source in found.values()] == [
        f"{tmp_path}/a.zip",
        f"{tmp_path}/of 2025/a.zip",
    ]
    assert len(found) == 2 and all(word.startswith("a-") for word in found)


def test_paths_and_links_in_a_file(tmp_path):
    (tmp_path / "a.zip").write_text("")
    lines = [
        "archives:",
        "  - a.zip",
        "  - {link: https://example.org/x/b.zip?download=1, sha256: " + 32 * "ab" + "}",
    ]
    (tmp_path / "list.yaml").write_text("\n".join(lines))
    served = Archives(str(tmp_path / "list.yaml"))
    here, there = served.found
    assert here.startswith("a-") and there.startswith("b-")

    class Wildcards:
        archive = there

    assert served.file(Wildcards) == []
    assert served.place(Wildcards).startswith("https://example.org/")
    assert served.digest(Wildcards) == f"--sha256 {32 * 'ab'}"
    Wildcards.archive = here
    assert served.file(Wildcards) == [f"{tmp_path}/a.zip"] and served.digest(Wildcards) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("archives: a.zip", "archives: a list"),
        ("archives: [b.zip]", "b.zip: no such file"),
        ("archives: [{link: https://example.org/a.zip, sha: 0}]", "archives.0: .* is not allowed"),
        ("archives: [{path: a.zip, sha256: 12}]", "archives.0.sha256: 12"),
        ("archives: []", "no archive is there"),
    ],
)
def test_one_line_says_what_is_wrong(tmp_path, text, words):
    (tmp_path / "a.zip").write_text("")
    (tmp_path / "list.yaml").write_text(text)
    with pytest.raises(ConfigError, match=words):
        archives(str(tmp_path / "list.yaml"))


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match="no such folder of archives"):
        archives(str(tmp_path / "nowhere"))
