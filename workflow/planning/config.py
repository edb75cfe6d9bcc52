"""The configuration: read, checked, and filled in with what ``auto`` stands for."""

import json
from pathlib import Path

import jsonschema

SCHEMA = Path(__file__).parent.parent / "schemas" / "config.schema.json"


class ConfigError(Exception):
    """One line for the user: the key, what is wrong with it, what is allowed."""


def check(config: dict) -> dict:
    """The configuration with defaults filled in; raises :class:`ConfigError`."""
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    errors = sorted(validator.iter_errors(config), key=lambda e: [str(p) for p in e.path])
    if errors:
        raise ConfigError(_words(errors[0]))
    defaults = {
        name: entry["default"] for name, entry in schema["properties"].items() if "default" in entry
    }
    return {**defaults, **config}


def _words(error: jsonschema.ValidationError) -> str:
    where = ".".join(str(part) for part in error.absolute_path) or "the top level"
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = next(k for k in error.instance if k not in known)
        return f"{where}: unknown key '{unknown}'; allowed are {', '.join(known)}"
    if error.validator in ("enum", "const"):
        allowed = error.schema.get("enum", [error.schema.get("const")])
        return f"{where}: {error.instance!r} is not allowed; allowed are {_list(allowed)}"
    description = error.schema.get("description", "")
    return f"{where}: {error.instance!r} is not allowed; {description or error.message}"


def _list(values) -> str:
    return ", ".join(str(value) for value in values)
