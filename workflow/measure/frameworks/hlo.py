"""Describes what the instructions of XLA's programs do, which few of their names tell.

A fusion is called ``ynn_fusion.3`` or ``fusion.12`` whether it multiplies matrices or copies. The
traces hold the programs themselves (``HloProto``), with the opcodes of what each instruction fuses
and the place in the model that it comes from.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from measure.frameworks.protobuf import fields, integers, parts, text

# Numbers of the fields in tsl/profiler/protobuf/xplane.proto and xla/service/hlo.proto.
PLANES, PLANE_NAME, PLANE_EVENTS = 1, 2, 4
ENTRY_VALUE, NAME_OF_EVENT = 2, 2
EVENT_STATS, STAT_BYTES = 5, 6
HLO_MODULE, COMPUTATIONS = 1, 3
COMPUTATION_INSTRUCTIONS, COMPUTATION_ID = 2, 5
NAME, OPCODE, METADATA, TARGET, CALLED = 1, 2, 7, 28, 38
SCOPE = 2

PROGRAMS = "/host:metadata"  # the plane that holds them
FUSING = {"fusion", "call"}
# Opcodes that move or make no number worth naming.
PLUMBING = {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "broadcast"}
PLUMBING |= {"reshape", "iota"}
MOST_OPCODES = 16
_NUMBERED = re.compile(r"(\.\d+|_\d+|\.clone|\.remat)+$")
_PROGRAM = re.compile(r"(.*)\((\d+)\)")  # jit_step(12): the name of its module, and its id
_INSTANCE = re.compile(r"_\d+(?=_|$)")
_SOFTMAX = re.compile(r"attention.*/Softmax(_\d+)?$")
_WORD = re.compile(r"[A-Za-z_]\w*")
_NO_WORD = re.compile(r"\W")


@dataclass(frozen=True)
class Instruction:
    """An instruction: its opcode (a call's target), place in the model, and what it calls."""

    opcode: str
    scope: str
    called: tuple[int, ...]


class Program:
    """One compiled program, parsed when it is first needed. name: that of its module."""

    def __init__(self, name: str, proto: memoryview) -> None:
        self.name, self._proto = name, proto

    def described(self, name: str, kernel: str) -> str:
        """Describe an instruction: ``ynn_fusion.3`` is ``ynn_fusion(add, dot) in query``.

        kernel: the name of what ran it; on the host the same one. Where many are launched as one
        graph, ``name`` is that of the launch, and the kernel's is that of its own instruction.
        """
        kind = without_number(kernel)
        found = self._instructions.get(name) or self._of_kernels.get(kernel)
        if found is None:
            return kind
        opcodes = sorted(set(self._opcodes(found)) - PLUMBING)[:MOST_OPCODES]
        if opcodes and opcodes != [kind]:
            kind = f"{kind}({', '.join(opcodes)})"
        return with_place(kind, found.scope)

    def has(self, name: str) -> bool:
        """True if an instruction of it has this name."""
        return name in self._instructions

    def runs(self, kernel: str) -> bool:
        """True if a kernel of this name computes one of its instructions."""
        return kernel in self._of_kernels

    def _opcodes(self, instruction: Instruction) -> Iterator[str]:
        if instruction.opcode not in FUSING:
            yield instruction.opcode
            return
        for called in instruction.called:
            for inner in self._computations.get(called, {}).values():
                yield from self._opcodes(inner)

    @cached_property
    def _instructions(self) -> dict[str, Instruction]:
        return {
            name: found for named in self._computations.values() for name, found in named.items()
        }

    @cached_property
    def _of_kernels(self) -> dict[str, Instruction]:
        """Instructions by the names of their kernels, which hold no dots and dashes."""
        return {_NO_WORD.sub("_", name): found for name, found in self._instructions.items()}

    @cached_property
    def _computations(self) -> dict[int, dict[str, Instruction]]:
        module = next(parts(self._proto, HLO_MODULE), memoryview(b""))
        return dict(_computation(found) for found in parts(module, COMPUTATIONS))


def programs(trace: bytes) -> dict[int, Program]:
    """All programs that a trace (``XSpace``) holds, by id."""
    found: dict[int, Program] = {}
    for plane in parts(memoryview(trace), PLANES):
        if text(plane, PLANE_NAME) == PROGRAMS:
            for entry in parts(plane, PLANE_EVENTS):
                found.update(_program(entry))
    return found


def without_number(name: str) -> str:
    """The name of an instruction without its number: ``dot`` for ``dot.12``."""
    return _NUMBERED.sub("", name)


def with_place(operation: str, path: str) -> str:
    """Name an operation with its place: ``MatMul in query`` for the path ``bert/query_3/MatMul``.

    Numbers of layers are left out, so that all of a kind have one name. An einsum's subscripts are
    no place, nor is a function that JAX compiles for its own use, ``jit(_where)``. The softmax of
    an attention is one: in TensorFlow it is an operation, of which XLA makes several.
    """
    parts = path.split("/")
    for part in reversed(parts if _SOFTMAX.search(path) else parts[:-1]):
        words = [] if "->" in part or "jit(_" in part else _WORD.findall(part)
        place = _INSTANCE.sub("", words[-1]) if words else operation
        if place != operation:  # as in the gradients of TensorFlow's operations
            return f"{operation} in {place}"
    return operation


def _program(entry: memoryview) -> Iterator[tuple[int, Program]]:
    """The program in an entry of the map of events, by the id that is part of the event's name."""
    for event in parts(entry, ENTRY_VALUE):
        named = _PROGRAM.fullmatch(text(event, NAME_OF_EVENT))
        for stat in parts(event, EVENT_STATS):
            for proto in parts(stat, STAT_BYTES):
                if named:
                    yield int(named[2]), Program(named[1], proto)


def _computation(message: memoryview) -> tuple[int, dict[str, Instruction]]:
    number = next((value for key, value in fields(message) if key == COMPUTATION_ID), 0)
    found = map(_instruction, parts(message, COMPUTATION_INSTRUCTIONS))
    return (number if isinstance(number, int) else 0), dict(found)


def _instruction(message: memoryview) -> tuple[str, Instruction]:
    texts = {NAME: "", OPCODE: "", TARGET: ""}
    scope, called = "", list[int]()
    for number, value in fields(message):
        if number == CALLED:
            called += integers(value)
        elif number == METADATA and not isinstance(value, int):
            scope = text(value, SCOPE)
        elif number in texts and not isinstance(value, int):
            texts[number] = bytes(value).decode("utf-8", "replace")
    return texts[NAME], Instruction(texts[TARGET] or texts[OPCODE], scope, tuple(called))
