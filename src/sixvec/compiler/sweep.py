"""Compiled functions applied along a tree, node by node, without Python between the nodes.

Where a program per robot would be too long (its length grows with the number of bodies), a sweep runs one short program
per *kind* of node over arrays that hold all nodes: compile time does not depend on their number.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.call import Compiled
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.executable import address, integers, pointers, runtime_function
from sixvec.compiler.runtime.sweep import Word, sweep_assembly
from sixvec.errors import ShapeError

Offsets = NDArray[np.int64]


@dataclass(frozen=True)
class Entries:
    """Where each node's entries stand in an array of float64: `first[i]` is the index of node i's first number."""

    array: NDArray[np.float64]
    first: Offsets


class Sweep:
    """One kernel per kind of node, and the loop that visits the nodes.

    All kernels have the same names of inputs and outputs; their sizes may differ from kind to kind.

    >>> import numpy as np, sixvec
    >>> @sixvec.compiled("x parent -> y")
    ... def longer(x, parent):
    ...     return x + parent
    >>> lengths, totals = np.array([1.0, 2.0, 4.0]), np.zeros(4)
    >>> own, above = np.arange(3), np.array([0, 1, 1])          # entry 0 of `totals` is the root's parent
    >>> Sweep([longer], np.zeros(3, int)).outward(
    ...     {"x": Entries(lengths, own), "parent": Entries(totals, above)}, {"y": Entries(totals, own + 1)})
    >>> totals.tolist()
    [0.0, 1.0, 3.0, 5.0]
    """

    def __init__(self, kernels: Sequence[Compiled], kinds: NDArray[np.integer[Any]]) -> None:
        self.kernels, self.kinds = tuple(kernels), np.ascontiguousarray(kinds, np.int64)
        self.inputs = tuple(p.name for p in self.kernels[0].inputs)
        self.outputs = tuple(p.name for p in self.kernels[0].outputs)
        for k in self.kernels:
            if tuple(p.name for p in k.inputs) != self.inputs or tuple(p.name for p in k.outputs) != self.outputs:
                raise ShapeError(f"{k.name} does not have the inputs and outputs of {self.kernels[0].name}")
        lanes = Lanes(1, "float64")
        self._addresses = pointers(k.executable("float64").scalar() for k in self.kernels)
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(
            runtime_function("sweep", sweep_assembly(lanes), lanes)
        )

    def outward(self, inputs: Mapping[str, Entries], outputs: Mapping[str, Entries]) -> None:
        """From the first node to the last: parents before children."""
        self._run(inputs, outputs, {}, (0, len(self.kinds), 1))

    def inward(
        self, inputs: Mapping[str, Entries], outputs: Mapping[str, Entries], sums: Mapping[str, Entries] | None = None
    ) -> None:
        """From the last node to the first.  An output in `sums` is added to the entries given there (a parent's)."""
        self._run(inputs, outputs, sums or {}, (len(self.kinds) - 1, -1, -1))

    def _run(
        self,
        inputs: Mapping[str, Entries],
        outputs: Mapping[str, Entries],
        sums: Mapping[str, Entries],
        order: tuple[int, int, int],
    ) -> None:
        ins = [self._checked(name, inputs, "inputs") for name in self.inputs]
        scratch = {name: self._scratch(name) for name in sums}
        outs = [scratch[name] if name in sums else self._checked(name, outputs, "outputs") for name in self.outputs]
        targets = [self._checked(name, sums, "sums") for name in sums]
        offsets = [[self._bytes(x) for x in entries] for entries in (ins, outs, targets)]
        arrays = [
            self.kinds, self._addresses,
            pointers(address(x.array) for x in ins), pointers(map(address, offsets[0])),
            pointers(address(x.array) for x in outs), pointers(map(address, offsets[1])),
            pointers([0] * len(ins)), pointers([0] * len(outs)),
            integers(x.array.size for x in scratch.values()), pointers(address(x.array) for x in scratch.values()),
            pointers(address(x.array) for x in targets), pointers(map(address, offsets[2])),
        ]  # fmt: skip
        words = integers([*order, len(ins), len(outs), len(targets), *map(_location, arrays)])
        assert len(words) == len(Word)
        self._function(ctypes.addressof(words))

    def _scratch(self, name: str) -> Entries:
        """Room for one node's output of that name; kinds that send less leave the rest at zero."""
        k = self.outputs.index(name)
        size = max(kernel.outputs[k].size for kernel in self.kernels)
        return Entries(np.zeros(size), np.zeros(len(self.kinds), np.int64))  # shared by all nodes, one after the other

    def _checked(self, name: str, given: Mapping[str, Entries], what: str) -> Entries:
        if name not in given:
            raise ShapeError(f"sweep: {what} must hold {name}; they hold {', '.join(given) or 'nothing'}")
        x = given[name]
        if x.array.dtype != np.float64 or not x.array.flags.c_contiguous or len(x.first) != len(self.kinds):
            raise ShapeError(f"sweep: {name} must be a contiguous float64 array with an offset for each node")
        if (x.first < 0).any() or (x.first + self._sizes(name) > x.array.size).any():
            raise ShapeError(f"sweep: entries of {name} stand outside its array of {x.array.size} numbers")
        return x

    def _sizes(self, name: str) -> Offsets:
        """How many numbers of that name each node has."""
        sizes = [p.size for k in self.kernels for p in (*k.inputs, *k.outputs) if p.name == name]
        return np.array(sizes, np.int64)[self.kinds]

    def _bytes(self, x: Entries) -> Offsets:
        return np.ascontiguousarray(x.first * x.array.itemsize, np.int64)


def _location(x: Any) -> int:
    return address(x) if isinstance(x, np.ndarray) else ctypes.addressof(x)
