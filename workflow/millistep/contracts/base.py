"""The base class of all models, common types, and the one line about a violation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

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


def _unique(items: list[Any]) -> list[Any]:
    for place, item in enumerate(items):
        if item in items[:place]:
            raise PydanticCustomError("unique", "{twice} appears twice", {"twice": short(item)})
    return items


T = TypeVar("T")
Unique = Annotated[list[T], AfterValidator(_unique), Field(json_schema_extra={"uniqueItems": True})]
Text = Annotated[str, Field(min_length=1)]
Scale = Literal["paper", "laptop", "smoke"]
Accelerator = Literal["cpu", "cuda"]
Task = Literal["fit", "predict", "generate"]
Precision = Literal["default", "float32", "tf32"]
Parameters = Annotated[int, Field(ge=0, le=10**15)]

C = TypeVar("C", bound=Contract)


class Violation(ValueError):
    """A document violates its contract; the message is one line."""


def checked(contract: type[C], document: object) -> C:
    """Return the typed document; raise :class:`Violation` if it violates its contract."""
    try:
        return contract.model_validate(document)
    except ValidationError as error:
        raise Violation(_first(error, document, contract)) from None
    except RecursionError:
        raise Violation("nested too deeply") from None


def violation(contract: type[Contract], document: object) -> str:
    """Return where and how a document violates its contract in one line; '' if it does not."""
    try:
        checked(contract, document)
    except Violation as problem:
        return str(problem)
    return ""


@cache
def schema(contract: type[Contract]) -> dict[str, Any]:
    """Return the JSON schema of a model."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **contract.model_json_schema(),
    }


def short(value: object) -> str:
    """Return a value as text of limited length."""
    try:
        text = repr(value)
    except ValueError:  # Python prints no whole number of more than 4300 digits
        raise Violation("a number has more digits than can be read") from None
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}..."


class _Place:
    """A place in a document, and the part of the JSON schema that describes it."""

    def __init__(self, document: object, root: dict[str, Any]):
        self.path: list[str] = []
        self.value = document
        self._definitions = root.get("$defs", {})
        self.schema = root

    def enter(self, part: int | str) -> None:
        """Go to a key or an item. A part that the document lacks names a branch of a union, whose
        description is that of the union.
        """
        node = self.schema
        try:
            value = self.value[part]  # type: ignore[index]  # other values have no parts
        except (KeyError, IndexError, TypeError):
            return
        if "anyOf" in node:
            return
        further = [*node.get("patternProperties", {}).values(), node.get("additionalProperties")]
        inner = node.get("properties", {}).get(part, further[0])
        inner = node.get("items") if isinstance(part, int) else inner
        self.value = value
        self.path.append(str(part))
        self.schema = self._resolved(inner if isinstance(inner, dict) else {})

    def _resolved(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return a part of the schema without reference, and without a single alternative to null.
        Of configurations, return the form that the document has.
        """
        if name := node.get("$ref", "").rpartition("/")[2]:
            return self._resolved({**self._definitions[name], **_without(node, "$ref")})
        branches = [each for each in node.get("anyOf", []) if each != {"type": "null"}]
        if len(branches) == 1:
            return self._resolved({**branches[0], **_without(node, "anyOf")})
        for branch in map(self._resolved, node.get("oneOf", [])):
            if (branch["type"] == "object") == isinstance(self.value, dict):
                return branch
        return node


def _without(node: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name != key}


def _first(error: ValidationError, document: object, contract: type[Contract]) -> str:
    """Return the line about the violation that is nearest to the top level."""
    found = []
    for each in error.errors(include_url=False)[:MAX_ERRORS]:
        place = _Place(document, schema(contract))
        of_key = each["loc"][-1:] == ("[key]",)
        of_parent = each["type"] in ("extra_forbidden", "invalid_key", "missing")
        for part in each["loc"][: -2 if of_key else -1 if of_parent else None]:
            place.enter(part)
        explained = issubclass(contract, UserFile)
        found.append((len(place.path), place, each, explained))
    _, place, each, explained = min(found, key=lambda entry: entry[0])
    return f"{'.'.join(place.path) or 'the top level'}: {_words(place, each, explained)}"


def _words(place: _Place, error: Any, explained: bool) -> str:
    """Return the value and what is allowed, from the schema or else from pydantic."""
    node, kind, last = place.schema, error["type"], str(error["loc"][-1:] and error["loc"][-1])
    if kind == "unique":
        return str(error["msg"])
    if kind == "missing" and "anyOf" not in node:
        needed = node.get("required", [last])
        return f"'{last}' is missing; needed are {_listed(needed)}"
    if last == "[key]":
        place.value, node = error["loc"][-2], node.get("propertyNames", {})
        if "enum" in node:
            return f"unknown key '{place.value}'; allowed are {_listed(sorted(node['enum']))}"
    if kind in ("extra_forbidden", "invalid_key") and "anyOf" not in node:
        return f"unknown key '{last}'; allowed are {_listed(sorted(node.get('properties', {})))}"
    allowed = re.sub(r"^\w+ should", "it must", str(error["msg"]))
    if kind in ("dict_type", "model_type"):
        allowed = "it must be a mapping"
    if "anyOf" in node:
        allowed = "it has none of the allowed forms"
    if explained and "description" in node:
        allowed = node["description"]
    if "enum" in node or "const" in node:
        allowed = f"allowed are {_listed(node.get('enum') or [node['const']])}"
    return f"{short(place.value)} is not allowed; {allowed}"


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))
