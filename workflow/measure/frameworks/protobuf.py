"""Reads the fields of a serialised protobuf message without a library for its type."""

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields in order, as ``(number, value)``: integers as such, all else as bytes.

    Raises ValueError if this is no such message.
    """
    place, end = 0, len(message)
    while place < end:
        key, place = _varint(message, place)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, place = _varint(message, place)
            yield number, value
            continue
        if kind == BYTES:
            size, place = _varint(message, place)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise ValueError(f"no field has the kind {kind}")
        if place + size > end:
            raise ValueError("a field is longer than its message")
        yield number, message[place : place + size]
        place += size


def parts(message: memoryview, number: int) -> Iterator[memoryview]:
    """All values of one field that holds messages, texts or bytes."""
    for found, value in fields(message):
        if found == number and not isinstance(value, int):
            yield value


def text(message: memoryview, number: int) -> str:
    """The value of a field that holds a text; empty where it is not set."""
    return bytes(next(parts(message, number), b"")).decode("utf-8", "replace")


def integers(value: int | memoryview) -> Iterator[int]:
    """The integers in a value of a repeated field, which is one of them or many packed."""
    if isinstance(value, int):
        yield value
        return
    place = 0
    while place < len(value):
        integer, place = _varint(value, place)
        yield integer


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """Read an integer of seven bits to a byte; return it and the place behind it."""
    value = shift = 0
    try:
        while (byte := message[place]) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            place += 1
    except IndexError:
        raise ValueError("an integer has no end") from None
    return value | byte << shift, place + 1
