"""A record as it is found: read with suspicion, since anything may lie in its place."""

import json
import os
import stat
from functools import cache
from pathlib import Path
from typing import Any

from supervise.record import SCHEMA
from supervise.schema import SCHEMAS


class Unreadable(Exception):
    """What lies in a record's place is none of this version; the message says why, in words."""


def read_bytes(path: str | Path) -> bytes:
    """Of a plain file; raises FileNotFoundError where there is none, else :class:`Unreadable`."""
    try:
        # Without waiting for who would write into a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Unreadable("is no file")
    with open(descriptor, "rb") as file:
        return file.read()


def parse(raw: bytes) -> dict[str, Any]:
    """A record by its bytes, as far as its schema's name and first level go; raises
    :class:`Unreadable`.
    """
    try:
        found = json.loads(raw.decode())
    except UnicodeDecodeError:
        raise Unreadable("is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"is no JSON ({' '.join(str(error).split())})") from None
    if not isinstance(found, dict):
        raise Unreadable("is no JSON object")
    if found.get("schema") != SCHEMA:
        raise Unreadable(f"is no {SCHEMA}, it says {str(found.get('schema'))[:60]!r}")
    if lacking := [name for name in _required() if name not in found]:
        raise Unreadable(f"lacks {', '.join(lacking)}")
    try:
        if not isinstance(json.loads(found["identity"]), dict):
            raise Unreadable("has no JSON object as its identity")
    except (ValueError, TypeError, RecursionError):
        raise Unreadable("has an identity that is no JSON") from None
    return found


@cache
def _required() -> list[str]:
    schema = json.loads((SCHEMAS / "record.schema.json").read_text())
    return list(schema["required"])


def read(path: str | Path) -> dict[str, Any]:
    """A record; raises FileNotFoundError or :class:`Unreadable`."""
    return parse(read_bytes(path))


def could_not_begin(record: dict[str, Any]) -> bool:
    """Whether it says nothing but that there was no environment, which another start may change."""
    return "not_deployed" in (record["not_tried"] or {})
