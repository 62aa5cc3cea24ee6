"""A lowered program as numbers: instructions for the machine of runtime/interpreter.py.

Each value has a slot in the machine's memory from its operation to its last use.  An instruction is five numbers: the
operation, the slot of its result and those of its arguments, in bytes from the beginning of that memory.
"""

from __future__ import annotations

import marshal
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.program import Program
from sixvec.compiler.slots import share_slots

ARITHMETIC = ("neg", "add", "sub", "mul", "recip", "fma", "sqrt", "abs", "rint", "lt", "where", "wrap")
"""Operations of lowered programs; a guard is a `where` here."""

MOVES = ("end", "constant", "input", "output")
"""What else the machine does: stop, read one of its constants, read an input, write an output."""

OPCODES = {name: k for k, name in enumerate((*MOVES, *ARITHMETIC))}

WORDS = 5
"""Numbers of an instruction.  Moves: the slot, the array (in bytes from the first pointer), the place in it (bytes)."""

_POINTER = 8


@dataclass(frozen=True, slots=True)
class Bytecode:
    """Instructions, the constants they read, and how many slots they use."""

    instructions: NDArray[np.int32]
    constants: NDArray[Any]
    slots: int

    def as_bytes(self) -> bytes:
        return marshal.dumps((self.instructions.tobytes(), self.constants.tobytes(), self.slots))

    @classmethod
    def from_bytes(cls, data: bytes, lanes: Lanes) -> Bytecode:
        instructions, constants, slots = marshal.loads(data)
        numbers = np.frombuffer(instructions, np.int32).reshape(-1, WORDS)
        return cls(numbers, np.frombuffer(constants, lanes.dtype), slots)


def encode(final: Program, lanes: Lanes, whole: bool = False) -> Bytecode:
    """The instructions of a lowered program; `whole` as in `emit_llvm`."""
    writer = _Writer(final, lanes)
    writer.write(_stores(final, whole or lanes.width == 1))
    return Bytecode(
        np.array(writer.numbers, np.int32).reshape(-1, WORDS),
        np.array(writer.constants or [0.0], lanes.dtype),
        writer.count,
    )


def _stores(final: Program, whole: bool) -> dict[Operand | str, list[tuple[int, int]]]:
    """For each value, the outputs and indices that it is written to."""
    due: dict[Operand | str, list[tuple[int, int]]] = {}
    for k, entries in enumerate(final.results):
        for i, x in enumerate(entries if whole else share_slots(entries).values):
            if whole or type(x) is Node:
                due.setdefault(_key(x), []).append((k, i))
    return due


def _key(x: Operand) -> Operand | str:
    """Zeros of either sign are equal as numbers, but not the same constant."""
    return x if type(x) is Node or x else repr(x)


class _Writer:
    """Instructions one after the other; a slot is free again after the last use of its value."""

    def __init__(self, final: Program, lanes: Lanes) -> None:
        self._final, self._size, self._item = final, lanes.bytes, lanes.bytes // lanes.width
        self.numbers: list[int] = []
        self.constants: list[float] = []
        self.count = 0
        self._free: list[int] = []
        self._slot: dict[Operand | str, int] = {}

    def write(self, stores: dict[Operand | str, list[tuple[int, int]]]) -> None:
        nodes, slot, free, add = self._final.nodes, self._slot, self._free, self.numbers.extend
        port = {p.name: k * _POINTER for k, p in enumerate(self._final.inputs)}
        last = {a if type(a) is Node or a else _key(a): i for i, node in enumerate(nodes) for a in node.args}
        for x in [x for x in stores if type(x) is not Node]:
            self._constant(x)
            self._store(self._slot[x], stores[x])
            if x not in last:
                free.append(slot.pop(x))
        for i, node in enumerate(nodes):
            if node.op == "input":
                name, index = node.source
                to = self._new()
                add((OPCODES["input"], to, port[name], index * self._size, 0))
            else:
                arguments = [a if type(a) is Node or a else _key(a) for a in node.args]
                places = [slot[a] if a in slot else self._constant(a) for a in arguments]
                for a, place in zip(arguments, places, strict=True):
                    if last[a] == i and slot.pop(a, None) is not None:  # not twice in x·x
                        free.append(place)
                to = self._new()  # may be that of an argument, which the machine reads first
                add((OPCODES[_SAME.get(node.op, node.op)], to, *places, *_UNUSED[len(places)]))
            if node in stores:
                self._store(to, stores[node])
            if node in last:
                slot[node] = to
            else:
                free.append(to)
        add((OPCODES["end"], 0, 0, 0, 0))

    def _new(self) -> int:
        if self._free:
            return self._free.pop()
        self.count += 1
        return (self.count - 1) * self._size

    def _constant(self, x: Operand | str) -> int:
        assert type(x) is not Node, "arguments come before their users"
        to = self._slot[x] = self._new()
        self.numbers += (OPCODES["constant"], to, 0, len(self.constants) * self._item, 0)
        self.constants.append(float(x))  # type: ignore[arg-type]
        return to

    def _store(self, place: int, targets: list[tuple[int, int]]) -> None:
        for k, i in targets:
            self.numbers += (OPCODES["output"], place, k * _POINTER, i * self._size, 0)


_SAME = {"guard": "where"}

_UNUSED = {1: (0, 0), 2: (0,), 3: ()}
