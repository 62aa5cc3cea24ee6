"""The reference interpreter: the semantics of a program on NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.graph import Node, Operand
from sixvec.compiler.ops import OPS
from sixvec.compiler.program import Port, Program

_ROWS = (OPS["neg"], *OPS.values())
"""The meaning of each code.  Code 0 reads an input: its row is only there to be skipped."""

_CODES = {"input": 0} | {op.name: code for code, op in enumerate(_ROWS) if code}
_ARITY = [0, *(op.arity for op in _ROWS[1:])]
_WORDS = max(_ARITY)


def interpret(program: Program, inputs: Mapping[str, NDArray[Any]]) -> tuple[NDArray[Any], ...]:
    """Evaluate `program`; inputs are (..., *port.shape) with broadcastable leading axes, and so are the outputs."""
    return Steps.of(program).run(program.inputs, program.outputs, [inputs[p.name] for p in program.inputs])


def _key(x: Operand) -> Operand | str:
    """Zeros of either sign are equal, but not the same constant."""
    return repr(x) if type(x) is not Node and x == 0.0 else x


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
        place: dict[Operand | str, int] = {node: i for i, node in enumerate(nodes)}
        flat: list[Any] = list(chain.from_iterable(node.args for node in nodes))
        entries: list[Any] = list(chain.from_iterable(program.results))
        used = {x for x in chain(flat, entries) if type(x) is not Node}
        constants: list[Any] = [_key(x) for x in used if x != 0.0] + ["0.0", "-0.0"]
        place |= {x: -1 - k for k, x in enumerate(constants)}
        if 0.0 in used:
            flat, entries = ([_key(x) for x in operands] for operands in (flat, entries))
        codes = np.array([_CODES[node.op] for node in nodes], np.uint8)
        counts = np.array(_ARITY)[codes]
        starts, words = np.cumsum(counts) - counts, np.array([place[x] for x in flat], np.int32)
        arguments = np.zeros((len(nodes), _WORDS), np.int32)
        for k in range(_WORDS):
            has = counts > k
            arguments[has, k] = words[starts[has] + k]
        for i in np.flatnonzero(codes == 0):
            arguments[i, :2] = ports[nodes[i].source[0]], nodes[i].source[1]
        results = np.split(
            np.array([place[x] for x in entries], np.int32), np.cumsum([len(each) for each in program.results])[:-1]
        )
        return cls(tuple(map(float, constants)), codes, arguments, tuple(results) if program.results else ())

    def run(
        self, inputs: Sequence[Port], outputs: Sequence[Port], arguments: Sequence[NDArray[Any]]
    ) -> tuple[NDArray[Any], ...]:
        """The outputs of a program with these ports, for an array for each input."""
        arrays = [np.asarray(x) for x in arguments]
        dtype = np.result_type(np.float32, *arrays)
        columns, batch = [], ()
        for port, x in zip(inputs, arrays, strict=True):
            lead = x.shape[: x.ndim - len(port.shape)]
            columns.append(np.moveaxis(x.astype(dtype).reshape(*lead, port.size), -1, 0).copy())
            batch = np.broadcast_shapes(batch, lead)
        values = self._values(columns, dtype)
        results = []
        for port, places in zip(outputs, self.results, strict=True):
            out = np.empty((*batch, port.size), dtype)
            for i, place in enumerate(places.tolist()):
                out[..., i] = values[place]
            results.append(out.reshape((*batch, *port.shape)))
        return tuple(results)

    def _values(self, columns: Sequence[NDArray[Any]], dtype: np.dtype[Any]) -> list[Any]:
        meaning = [op.value for op in _ROWS]
        values: list[Any] = [None] * len(self.codes) + [dtype.type(x) for x in reversed(self.constants)]
        for i, (code, (a, b, c)) in enumerate(zip(self.codes.tolist(), self.arguments.tolist(), strict=True)):
            count = _ARITY[code]
            if count == 2:
                values[i] = meaning[code](values[a], values[b])
            elif count == 1:
                values[i] = meaning[code](values[a])
            elif count == 3:
                values[i] = meaning[code](values[a], values[b], values[c])
            else:
                values[i] = columns[a][b]
        return values
