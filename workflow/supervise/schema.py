"""Check a document against its JSON schema with the standard library, as far as ours need it."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from contract.bounds import LARGEST

SCHEMAS = Path(__file__).parent.parent / "schemas"
Place = tuple[str | int, ...]
Violation = tuple[Place, str]

TYPES: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
# For each kind of limit: the type it is about, a test whether a value breaks it, and the message.
LIMITS: dict[str, tuple[str, Callable[[Any, Any], bool], str]] = {
    "minimum": ("number", lambda value, least: value < least, "less than {}"),
    "exclusiveMinimum": ("number", lambda value, least: value <= least, "not above {}"),
    "maximum": ("number", lambda value, most: value > most, "more than {}"),
    "minLength": ("string", lambda value, least: len(value) < least, "shorter than {}"),
    "maxLength": ("string", lambda value, most: len(value) > most, "longer than {}"),
    "pattern": ("string", lambda value, pattern: not re.search(pattern, value), "not like {}"),
    "minItems": ("array", lambda value, least: len(value) < least, "shorter than {}"),
    "maxItems": ("array", lambda value, most: len(value) > most, "longer than {}"),
}
SHOWN = 60  # characters of a wrong value


class Schema:
    """A schema from ``schemas/``."""

    def __init__(self, name: str) -> None:
        self._whole = json.loads((SCHEMAS / f"{name}.schema.json").read_text())

    def violations(self, document: Any) -> Iterator[Violation]:
        """The places where a document breaks the schema, with what is wrong there."""
        yield from self._check(document, self._whole, ())

    def _check(self, value: Any, schema: dict[str, Any], place: Place) -> Iterator[Violation]:
        if "$ref" in schema:
            yield from self._check(value, self._whole["$defs"][schema["$ref"][8:]], place)
        if "anyOf" in schema:
            yield from self._check_any(value, schema["anyOf"], place)
        problem = _problem(value, schema)
        if problem:
            yield place, f"{_short(value)} is {problem}"
        elif isinstance(value, dict):
            yield from self._check_object(value, schema, place)
        elif isinstance(value, list) and "items" in schema:
            for index, item in enumerate(value):
                yield from self._check(item, schema["items"], (*place, index))

    def _check_any(
        self, value: Any, schemas: list[dict[str, Any]], place: Place
    ) -> Iterator[Violation]:
        """Violations of the schema that is broken deepest: it is the one that was meant."""
        found = [list(self._check(value, schema, place)) for schema in schemas]
        if all(found):
            yield from max(found, key=lambda violations: len(violations[0][0]))

    def _check_object(
        self, value: dict[str, Any], schema: dict[str, Any], place: Place
    ) -> Iterator[Violation]:
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name in schema.get("required", []):
            if name not in value:
                yield place, f"'{name}' is missing"
        for name, entry in value.items():
            if name in known:
                yield from self._check(entry, known[name], (*place, name))
            elif others is False:
                yield (*place, name), "nobody knows this field"
            elif others is not True:
                yield from self._check(entry, others, (*place, name))


def _problem(value: Any, schema: dict[str, Any]) -> str | None:
    """What is wrong with a value itself, apart from the values in it; None if nothing is."""
    if TYPES["number"](value) and not abs(value) <= LARGEST:  # also if it is none
        return f"no number within {LARGEST:g}"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(TYPES[name](value) for name in types):
        return f"not of type {' or '.join(types)}"
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        return "not one of those allowed"
    if schema.get("format") == "date-time" and not _is_date_time(value):
        return "no time with a zone"
    for name, (kind, broken, words) in LIMITS.items():
        if name in schema and TYPES[kind](value) and broken(value, schema[name]):
            return words.format(schema[name])
    return None


def _is_date_time(text: Any) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except (TypeError, ValueError):
        return False


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
