"""The reference interpreter: the semantics of a program on NumPy arrays."""

from __future__ import annotations

import marshal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.ops import OPS
from sixvec.compiler.program import Port, Program

_ROWS = (OPS["neg"], *OPS.values())
"""The meaning of each code.  Code 0 reads an input: its row is only there to be skipped."""

_CODES = {"input": 0} | {op.name: code for code, op in enumerate(_ROWS) if code}
_WORDS = 3
_UNUSED: tuple[tuple[int, ...], ...] = ((0, 0, 0), (0, 0), (0,), ())


def interpret(program: Program, inputs: Mapping[str, NDArray[Any]]) -> tuple[NDArray[Any], ...]:
    """Evaluate `program`; inputs are (..., *port.shape) with broadcastable leading axes, and so are the outputs."""
    return Steps.of(program).run(program.inputs, program.outputs, [inputs[p.name] for p in program.inputs])


@dataclass(frozen=True, slots=True)
class Steps:
    """A program as numbers: for each operation its code and the places of its arguments, for each output those of it.

    The result of an operation is at its own number, and constants are counted from the end: -1, -2, ...  An input's
    arguments are the number of its array and its index there.
    """

    constants: tuple[float, ...]
    codes: NDArray[np.uint8]
    arguments: NDArray[np.int32]
    results: tuple[NDArray[np.int32], ...]

    @classmethod
    def of(cls, program: Program) -> Steps:
        nodes, ports = program.nodes, {p.name: k for k, p in enumerate(program.inputs)}
        number: dict[Operand, int] = {node: i for i, node in enumerate(nodes)}
        known: dict[float | str, int] = {}

        def place(x: Operand) -> int:
            """Of a constant; zeros of either sign are equal, but not the same."""
            return -1 - known.setdefault(x if x else repr(x), len(known))  # type: ignore[arg-type]

        words: list[int] = []
        for node in nodes:
            args = node.args
            if args:
                words += [number[a] if type(a) is Node else place(a) for a in args]
            else:
                words += (ports[node.source[0]], node.source[1])
            words += _UNUSED[len(args) or 2]
        results = [[number[x] if type(x) is Node else place(x) for x in entries] for entries in program.results]
        return cls(
            tuple(map(float, known)),
            np.array([_CODES[node.op] for node in nodes], np.uint8),
            np.array(words, np.int32).reshape(-1, _WORDS),
            tuple(np.array(entries, np.int32) for entries in results),
        )

    def run(
        self, inputs: Sequence[Port], outputs: Sequence[Port], given: Sequence[NDArray[Any]]
    ) -> tuple[NDArray[Any], ...]:
        """The outputs of a program with these ports, for an array for each input."""
        arrays = [np.asarray(x) for x in given]
        dtype = np.result_type(np.float32, *arrays)
        columns, batch = [], ()
        for port, x in zip(inputs, arrays, strict=True):
            lead = x.shape[: x.ndim - len(port.shape)]
            columns.append(np.moveaxis(x.astype(dtype).reshape(*lead, port.size), -1, 0).copy())
            batch = np.broadcast_shapes(batch, lead)
        values = self._values(columns, dtype)
        found = []
        for port, places in zip(outputs, self.results, strict=True):
            out = np.empty((*batch, port.size), dtype)
            for i, place in enumerate(places.tolist()):
                out[..., i] = values[place]
            found.append(out.reshape((*batch, *port.shape)))
        return tuple(found)

    def _values(self, columns: Sequence[NDArray[Any]], dtype: np.dtype[Any]) -> list[Any]:
        meaning, arity = [op.value for op in _ROWS], [0, *(op.arity for op in _ROWS[1:])]
        values: list[Any] = [None] * len(self.codes) + [dtype.type(x) for x in reversed(self.constants)]
        for i, (code, (a, b, c)) in enumerate(zip(self.codes.tolist(), self.arguments.tolist(), strict=True)):
            count = arity[code]
            if count == 2:
                values[i] = meaning[code](values[a], values[b])
            elif count == 1:
                values[i] = meaning[code](values[a])
            elif count == 3:
                values[i] = meaning[code](values[a], values[b], values[c])
            else:
                values[i] = columns[a][b]
        return values

    def as_bytes(self) -> bytes:
        return marshal.dumps((self.constants, *(x.tobytes() for x in (self.codes, self.arguments, *self.results))))

    @classmethod
    def from_bytes(cls, data: bytes) -> Steps:
        constants, codes, arguments, *results = marshal.loads(data)
        places = [np.frombuffer(x, np.int32) for x in (arguments, *results)]
        return cls(constants, np.frombuffer(codes, np.uint8), places[0].reshape(-1, _WORDS), tuple(places[1:]))
