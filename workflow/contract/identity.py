"""The differences between two identities of a run, in words."""

import json

MOST_CHARACTERS = 60  # of an entry's two values together, for them to be spelled out


def changed(found: str, planned: str) -> str:
    """Return the differences, such as 'threads 2 -> 4, sources changed'; empty if there are
    none.
    """
    try:
        before, now = json.loads(found), json.loads(planned)
        keys = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
        return ", ".join(_words(key, before.get(key), now.get(key)) for key in keys)
    except (AttributeError, TypeError, ValueError, RecursionError):
        return "a fingerprint is not a JSON object"


def _words(key: str, before: object, now: object) -> str:
    plain = isinstance(before, int | str) and isinstance(now, int | str)
    short = plain and len(f"{before}{now}") < MOST_CHARACTERS
    return f"{key} {before} -> {now}" if short else f"{key} changed"
