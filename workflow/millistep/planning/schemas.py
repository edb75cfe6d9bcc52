"""Validators for files by users: numbers must be finite, and patterns match the whole text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012

SCHEMAS = Path(__file__).parent.parent / "schemas"
SETTINGS = "settings.schema.json"
STANDARD = jsonschema.Draft202012Validator


def schema(name: str) -> dict[str, Any]:
    """Read ``schemas/<name>.schema.json``."""
    found: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    return found


@cache
def validator(name: str) -> Any:
    """Return the validator of a schema, which may refer to the schema of the settings."""
    settings = schema("settings")
    del settings["$schema"]  # a part that names the standard is checked without our additions
    resource = DRAFT202012.create_resource(settings)
    return Validator(schema(name), registry=Registry().with_resource(SETTINGS, resource))


def _is_integer(checker: Any, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(checker: Any, value: object) -> bool:
    """Return True if a value is a finite number: YAML's .nan and .inf would pass every limit."""
    return _is_integer(checker, value) or (isinstance(value, float) and math.isfinite(value))


def _pattern(
    validator: Any, pattern: str, text: object, schema: object
) -> Iterator[ValidationError]:
    """Match the whole text: in the standard, `$` also matches before a newline at the end."""
    if isinstance(text, str) and not re.fullmatch(pattern, text):
        yield ValidationError(f"{text!r} does not match {pattern!r}")


Validator = jsonschema.validators.extend(
    STANDARD,
    {"pattern": _pattern},
    type_checker=STANDARD.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    ),
)
