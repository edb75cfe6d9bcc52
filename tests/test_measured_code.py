"""A change of measuring code is either a new version of what a number means, or explained."""

from . import measured_code

CODE = '"""Docstring."""\nclass A:\n    """Docstring."""\n    x = f(1)  # comment\n'


def test_changed_measuring_code_is_accepted_on_purpose():
    assert measured_code.changed() == [], (
        "bump MEASURE in workflow/millistep/measure/protocol.py, or update the digest and say in"
        " the commit why the numbers are unchanged; in both cases run:"
        " python tests/measured_code.py --update"
    )


def test_comments_docstrings_and_format_change_no_digest_and_code_does():
    same = "class A:\n    x = f(\n        1\n    )\n"
    assert measured_code.digest(CODE) == measured_code.digest(same)
    assert measured_code.digest(CODE) != measured_code.digest(CODE.replace("f(1)", "f(2)"))


def test_a_new_and_a_removed_file_count(monkeypatch):
    found = measured_code.digests()
    monkeypatch.setattr(measured_code, "accepted", lambda: {**found, "gone.py": "0"})
    assert measured_code.changed() == ["gone.py"]
    monkeypatch.setattr(measured_code, "accepted", lambda: {})
    assert measured_code.changed() == sorted(found)
