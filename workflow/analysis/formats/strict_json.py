"""Reading one JSON file strictly: every way in which it can be broken becomes one line that names
the place.
"""

import json
import re
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from analysis.formats.errors import InputError
from contract.bounds import LARGEST

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
MAX_BYTES = 64 * 2**20  # the plan of a huge table is smaller
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # half of a pair; alone it is no character
MAX_SHOWN = 80  # characters of a bad value that a message quotes


def read_json(path: Path, shown: str) -> Any:
    """The parsed content of `path`; `shown` is the name that messages use for it."""
    return parse_json(read_bytes(path, shown), shown)


def read_bytes(path: Path, shown: str, most: int | None = None) -> bytes:
    """The bytes of a regular file of at most so many bytes."""
    if not path.is_file():
        raise InputError(f"{shown}: not a file" if path.exists() else f"{shown}: no such file")
    size, most = path.stat().st_size, most or MAX_BYTES
    if size > most:
        raise InputError(
            f"{shown}: {size / 2**20:.0f} MiB, more than the {most // 2**20} MiB that are read"
        )
    return path.read_bytes()


def parse_json(raw: bytes, shown: str) -> Any:
    """Parse JSON in UTF-8, without NaN, infinities or numbers that would overflow; a surrogate that
    is alone becomes a question mark.
    """
    try:
        text = raw.decode("utf-8")
        found = json.loads(
            text,
            parse_constant=_no_constant,
            parse_float=lambda digits: _bounded(float(digits), digits),
            parse_int=lambda digits: _bounded(int(digits), digits),
        )
        if SURROGATE.search(text):
            whole = json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")
            return json.loads(whole)
        return found
    except UnicodeDecodeError as error:
        raise InputError(f"{shown}: not UTF-8 text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(
            f"{shown}: not valid JSON ({error.msg}, {place}); cut off or edited?"
        ) from None
    except RecursionError:
        raise InputError(f"{shown}: not valid JSON (nested too deeply)") from None
    except ValueError as error:
        raise InputError(f"{shown}: not valid JSON ({_shorten(str(error))})") from None


def _no_constant(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


def _bounded(value: float, digits: str) -> float:
    if abs(value) > LARGEST:
        raise ValueError(f"{digits} is too large a number")
    return value


def validate(data: Any, schema_name: str, shown: str) -> None:
    """Raise the most telling violation of schemas/<schema_name>.schema.json as one line."""
    if _is_valid(schema_name, data):
        return
    from jsonschema.exceptions import best_match

    error = best_match(_validator(schema_name).iter_errors(data))
    if error is None:
        return
    pointer = "".join(f"/{part}" for part in error.absolute_path) or "/"
    raise InputError(f"{shown}: {_shorten(pointer)}: {_shorten(error.message)}{_allowed(error)}")


def _is_valid(schema_name: str, data: Any) -> bool:
    """True if the data passes the compiled schema, a hundred times faster than the validator that
    can name what is wrong.
    """
    from fastjsonschema import JsonSchemaValueException

    try:
        _compiled(schema_name)(data)
    except (JsonSchemaValueException, ValueError):
        return False
    return True


@cache
def _compiled(schema_name: str) -> Any:
    """A definition is called where it is named, within a list for each entry: one that many records
    have many entries of is that of the whole list.
    """
    from fastjsonschema import compile as compile_schema

    formats = {"date-time": _is_date_time}
    return compile_schema(_schema(schema_name), formats=formats, use_default=False)


@cache
def _validator(schema_name: str) -> Any:
    from jsonschema import Draft202012Validator, FormatChecker

    checker = FormatChecker(formats=())
    checker.checks("date-time", raises=ValueError)(_is_date_time)
    return Draft202012Validator(_schema(schema_name), format_checker=checker)


def _schema(schema_name: str) -> Any:
    return json.loads((SCHEMAS / f"{schema_name}.schema.json").read_text(encoding="utf-8"))


def _is_date_time(value: object) -> bool:
    """True for ISO 8601 with a time zone (the standard library is enough) and for other types."""
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


def _allowed(error: Any) -> str:
    """The values that a schema allows at this place, where the message does not list them."""
    schema = error.schema if isinstance(error.schema, dict) else {}
    if error.validator in ("enum", "const"):
        return ""  # the message lists them
    if error.validator == "additionalProperties":
        return f" (allowed: {_shorten(', '.join(schema.get('properties', {})))})"
    keys = ("type", "format", "minimum", "exclusiveMinimum", "minLength")
    allowed = [_allowed_value(key, schema[key]) for key in keys if key in schema]
    return f" (allowed: {', '.join(allowed)})" if allowed else ""


def _allowed_value(key: str, value: Any) -> str:
    if key == "type":
        return " or ".join(value) if isinstance(value, list) else value
    return f"{key} {value}"


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN * 2 else f"{line[:MAX_SHOWN]} ... {line[-MAX_SHOWN:]}"
