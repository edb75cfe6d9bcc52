"""The base class of all models, common types, and the one line about a violation."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    PositiveInt,
    ValidationError,
)
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticCustomError, core_schema

MAX_VALUE = 80  # characters of a wrong value
MAX_ERRORS = 100  # of a document with very many, the first ones are enough
ABSENT: Any = Field(default_factory=lambda: None)  # may be absent; null is not allowed


class Contract(BaseModel):
    """A strict model: no conversion of types, no unknown keys, no NaN and no infinity."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        defer_build=True,
    )


class UserFile(Contract):
    """A model of something that users write; its descriptions list the allowed values."""

    model_config = ConfigDict(use_attribute_docstrings=False)  # reading sources delays every start


def _unique(items: list[Any]) -> list[Any]:
    for place, item in enumerate(items):
        if item in items[:place]:
            raise PydanticCustomError("line", f"{short(item)} appears twice")
    return items


def _given(value: object) -> object:
    if value is None:
        raise PydanticCustomError("null", "null is not allowed")
    return value


def _without_null(found: dict[str, Any]) -> None:
    (branch,) = (each for each in found.pop("anyOf") if each != {"type": "null"})
    found.update({**branch, **found})
    found.pop("default", None)


def _no_number(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise PydanticCustomError("number", "a number is not allowed")  # 1 == True
    return value


T = TypeVar("T")
Unique = Annotated[list[T], AfterValidator(_unique), Field(json_schema_extra={"uniqueItems": True})]
# Omitted it is None, and null is refused.
Omittable = Annotated[T | None, BeforeValidator(_given), Field(json_schema_extra=_without_null)]
Text = Annotated[str, Field(min_length=1)]
NoNumber = BeforeValidator(_no_number)
Switch = Annotated[Literal[False, True], NoNumber]
Scale = Literal["paper", "laptop", "smoke"]
Accelerator = Literal["cpu", "cuda"]
Task = Literal["fit", "predict", "generate"]
# The same as keys of mappings that are read with a str.
ScaleKey = Annotated[str, GetPydanticSchema(lambda _, handler: handler(Scale))]
TaskKey = Annotated[str, GetPydanticSchema(lambda _, handler: handler(Task))]
Precision = Literal["default", "float32", "tf32"]


class Workload(Contract):
    model: Text
    task: Task
    batch_size: PositiveInt


C = TypeVar("C", bound=Contract)


class Violation(ValueError):
    """A document violates its contract; the message is one line."""


def checked(contract: type[C], document: object) -> C:
    """Return the typed document; raise :class:`Violation` if it violates its contract."""
    try:
        return contract.model_validate(document)
    except ValidationError as error:
        raise Violation(" ".join(_first(error, document, contract).splitlines())) from None
    except RecursionError:
        raise Violation("nested too deeply") from None


def violation(contract: type[Contract], document: object) -> str:
    """Return where and how a document violates its contract in one line; '' if it does not."""
    try:
        checked(contract, document)
    except Violation as problem:
        return str(problem)
    return ""


class _Generator(GenerateJsonSchema):
    """A generator that refuses keys of mappings as the models do."""

    def dict_schema(self, schema: core_schema.DictSchema) -> dict[str, Any]:
        found = super().dict_schema(schema)
        return found | ({"additionalProperties": False} if "patternProperties" in found else {})


@cache
def schema(contract: type[Contract]) -> dict[str, Any]:
    """Return the JSON schema of a model."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **contract.model_json_schema(schema_generator=_Generator),
    }


def short(value: object) -> str:
    """Return a value as text of limited length."""
    try:
        text = repr(value)
    except ValueError:  # Python prints no whole number of more than 4300 digits
        raise Violation("a number has more digits than can be read") from None
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}..."


def _place(
    document: Any, root: dict[str, Any], parts: Iterable[int | str]
) -> tuple[list[str], Any, dict[str, Any]]:
    """Return path and value of a part of a document, and the JSON schema that describes it."""
    path, value, node = list[str](), document, root
    for part in parts:
        try:
            inner = value[part]
        except (KeyError, IndexError, TypeError):
            continue  # a branch of a union, whose description is that of the union
        if "anyOf" in node:
            continue
        others = [*node.get("patternProperties", {}).values(), node.get("additionalProperties")]
        described = node.get("properties", {}).get(part, others[0])
        described = node.get("items") if isinstance(part, int) else described
        path.append(str(part)[:MAX_VALUE])
        value, node = inner, described if isinstance(described, dict) else {}
        node = _resolved(node, value, root.get("$defs", {}))
    return path, value, node


def _resolved(node: dict[str, Any], value: object, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the schema without reference, and without a single alternative to null. Of
    configurations, return the form that the document has.
    """
    branches = [each for each in node.get("anyOf", []) if each != {"type": "null"}]
    if name := node.get("$ref", "").rpartition("/")[2]:
        branches = [definitions[name]]
    if len(branches) == 1:
        own = {key: part for key, part in node.items() if key not in ("$ref", "anyOf")}
        return _resolved({**branches[0], **own}, value, definitions)
    for branch in node.get("oneOf", []):
        resolved = _resolved(branch, value, definitions)
        if (resolved["type"] == "object") == isinstance(value, dict):
            return resolved
    return node


def _first(error: ValidationError, document: object, contract: type[Contract]) -> str:
    """Return the line about the violation that is nearest to the top level."""
    found = []
    for each in error.errors(include_url=False)[:MAX_ERRORS]:
        of_key = each["loc"][-1:] == ("[key]",)
        of_parent = each["type"] in ("extra_forbidden", "invalid_key", "missing")
        parts = each["loc"][: -2 if of_key else -1 if of_parent else None]
        place = _place(document, schema(contract), parts)
        found.append((len(place[0]), each["type"] != "line", place, each))
    _, _, (path, value, node), first = min(found, key=lambda entry: entry[:2])
    words = _words(value, node, first, explained=issubclass(contract, UserFile))
    return f"{'.'.join(path) or 'the top level'}: {words}"


def _words(value: object, node: dict[str, Any], error: Any, explained: bool) -> str:
    """Return the value and what is allowed, from the schema or else from pydantic."""
    kind = error["type"]
    last = str(error["loc"][-1])[:MAX_VALUE] if error["loc"] else ""
    if kind == "line":
        return str(error["msg"])
    if kind == "missing" and "anyOf" not in node:
        needed = node.get("required", [last])
        return f"'{last}' is missing; needed are {_listed(needed)}"
    if last == "[key]":
        value, node = error["loc"][-2], node.get("propertyNames", {})
        if "enum" in node:
            return f"unknown key {short(value)}; allowed are {_listed(sorted(node['enum']))}"
    if kind in ("extra_forbidden", "invalid_key") and "anyOf" not in node:
        return f"unknown key '{last}'; allowed are {_listed(sorted(node.get('properties', {})))}"
    allowed = re.sub(r"^\w+ should", "it must", str(error["msg"]))
    if kind in ("dict_type", "model_type"):
        allowed = "it must be a mapping"
    if "anyOf" in node:
        allowed = "it has none of the allowed forms"
    if explained and "description" in node:
        allowed = f"{node['description'][0].lower()}{node['description'][1:]}".rstrip(".")
    if "enum" in node or "const" in node:
        allowed = f"allowed are {_listed(node.get('enum') or [node['const']])}"
    return f"{short(value)} is not allowed; {allowed}"


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))
