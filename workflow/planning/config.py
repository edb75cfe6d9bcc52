"""The configuration: read, checked, and filled in with what ``auto`` stands for."""

import json
import re
from pathlib import Path

import jsonschema
import yaml

MAX_VALUE = 80  # characters of a wrong value
NAME = re.compile("[a-z][a-z0-9_]*")  # of a study
SCHEMA = Path(__file__).parent.parent / "schemas" / "config.schema.json"


class Problem(Exception):
    """One line for the user, with which everything stops before anything is done."""

    def __init__(self, message: str):
        super().__init__(" ".join(message.splitlines()))


class ConfigError(Problem):
    """The key, what is wrong with it, what is allowed."""

    def __init__(self, message: str):
        super().__init__(f"configuration: {message}")


def is_study(paths: list) -> bool:
    """Whether one of the configuration files that Snakemake is given is a study."""
    return any("study" in read_configuration(str(path)) for path in paths)


def results_folder(config: dict) -> str:
    """Of everything that belongs to a configuration; not yet checked."""
    study = config.get("study")
    name = study.get("name") if isinstance(study, dict) else None
    return (
        f"results/studies/{name}" if isinstance(name, str) and NAME.fullmatch(name) else "results"
    )


def check(config: dict) -> dict:
    """The configuration with defaults filled in; raises :class:`ConfigError`."""
    schema = json.loads(SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(schema)
    errors = sorted(validator.iter_errors(config), key=lambda e: [str(p) for p in e.path])
    if errors:
        raise ConfigError(words(errors[0]))
    defaults = {
        name: entry["default"] for name, entry in schema["properties"].items() if "default" in entry
    }
    return {**defaults, **config}


FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_configuration(path: str) -> dict:
    """A configuration file, by the loader that Snakemake has: it refuses more than the fast one."""
    return read_yaml(path, yaml.SafeLoader)


def read_yaml(path: str, loader=FAST) -> dict:
    """A YAML file's mapping; raises :class:`ConfigError` with file and line for anything else."""
    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), Loader=loader)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not text in UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "not YAML"
        raise ConfigError(f"{path}{where}: {problem}") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: not a mapping of keys to values")
    return content


def words(error: jsonschema.ValidationError) -> str:
    """Where a document breaks its schema, what is there, and what is allowed."""
    where = ".".join(str(part) for part in error.absolute_path) or "the top level"
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = next(k for k in error.instance if k not in known)
        return f"{where}: unknown key '{unknown}'; allowed are {', '.join(known)}"
    if error.validator == "required":
        missing = next(k for k in error.validator_value if k not in error.instance)
        return f"{where}: '{missing}' is missing; needed are {_list(error.validator_value)}"
    if error.validator in ("enum", "const"):
        allowed = error.schema.get("enum", [error.schema.get("const")])
        return f"{where}: {error.instance!r} is not allowed; allowed are {_list(allowed)}"
    description = error.schema.get("description", "")
    return f"{where}: {_short(error.instance)} is not allowed; {description or error.message}"


def _short(value) -> str:
    text = repr(value)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}..."


def _list(values) -> str:
    return ", ".join(str(value) for value in values)
