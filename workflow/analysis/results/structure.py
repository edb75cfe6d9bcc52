"""From JSON that passed its schema to the dataclasses of this package, by the types of their
fields.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache, partial
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")
Convert = Callable[[Any], Any]


def build(kind: type[T], data: dict[str, Any]) -> T:
    """Return an instance: lists as tuples, objects as the classes that fields name.

    Keys without a field are left out, what is missing has the field's default, and what is an
    instance already stays as it is.
    """
    return kind(
        **{
            name: data[name] if convert is None or data[name] is None else convert(data[name])
            for name, convert in _converters(kind).items()
            if name in data
        }
    )


@cache
def _converters(kind: type) -> dict[str, Convert | None]:
    hints = get_type_hints(kind)
    return {field.name: _converter(hints[field.name]) for field in fields(kind)}


def _converter(hint: Any) -> Convert | None:
    """A function from what JSON has to a field's value; None where that is the value itself."""
    origin, arguments = get_origin(hint), get_args(hint)
    if NoneType in arguments:
        return _converter(next(each for each in arguments if each is not NoneType))
    if origin is tuple:
        one = _converter(arguments[0])
        return tuple if one is None else lambda values: tuple(map(one, values))
    if origin is dict:
        return _of_dict(*arguments)
    if hint is datetime:
        return datetime.fromisoformat
    if is_dataclass(hint):
        plain = not any(_converters(hint).values())
        return partial(
            _instance, hint, (lambda data: hint(**data)) if plain else partial(build, hint)
        )
    return None


def _of_dict(key: type, value: Any) -> Convert | None:
    one = _converter(value)
    if one is None and key is not int:
        return None
    name = int if key is int else lambda text: text
    return lambda found: {name(k): one(v) if one else v for k, v in found.items()}


def _instance(kind: type, make: Convert, data: Any) -> Any:
    return data if isinstance(data, kind) else make(data)
