"""Compiled functions applied along a tree, node by node, without Python between the nodes.

Where a program per robot would be too long (its length grows with the number of bodies), a sweep runs one short program
per *kind* of node over arrays that hold all nodes: compile time does not depend on their number.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sixvec.compiler.bytecode_first import when_ready
from sixvec.compiler.call import Compiled
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.memory import address, integers, pointers
from sixvec.compiler.runtime.functions import runtime_function
from sixvec.compiler.runtime.sweep import Word, sweep_assembly
from sixvec.errors import ShapeError

Offsets = NDArray[np.int64]


class Places:
    """The locations of each node's numbers in an array: `first[i]` is the index of node i's first one.

    Derived data for sweeps are computed once, so keep and reuse places.
    """

    def __init__(self, first: NDArray[np.integer[Any]]) -> None:
        self.first = np.ascontiguousarray(first, np.int64)
        self.bytes = self.first * np.dtype(np.float64).itemsize

    def length(self, kinds: Offsets, sizes: tuple[int, ...]) -> int:
        """Length of an array with sizes[kinds[i]] numbers at each place; -1 for places before its start."""
        past = int((self.first + np.array(sizes, np.int64)[kinds]).max(initial=0))
        return past if self.first.min(initial=0) >= 0 else -1


@dataclass(frozen=True)
class Entries:
    """The numbers of all nodes in an array of float64."""

    array: NDArray[np.float64]
    places: Places

    @classmethod
    def at(cls, array: NDArray[np.float64], first: NDArray[np.integer[Any]]) -> Entries:
        return cls(array, Places(first))


class Prepared:
    """A sweep over arrays that were checked once: a call runs it on their current numbers.

    Checks and addresses cost more Python than a small tree costs machine code, so sweeps over persistent arrays are
    worth preparing.  Two threads must not run one at the same time.
    """

    def __init__(self, words: Any, targets: Any) -> None:
        self._words, self._kept = words, targets  # the words hold addresses only: the targets must be kept alive
        self._function, self._at = _function(), ctypes.addressof(words)

    def __call__(self) -> None:
        self._function(self._at)


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
    ...     {"x": Entries.at(lengths, own), "parent": Entries.at(totals, above)}, {"y": Entries.at(totals, own + 1)})()
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
        self._addresses = pointers(when_ready(k.executable("float64").scalar()).address for k in self.kernels)
        self._nowhere = Places(np.zeros(len(self.kinds), np.int64))
        self._lengths: WeakKeyDictionary[Places, dict[str, int]] = WeakKeyDictionary()

    def outward(self, inputs: Mapping[str, Entries], outputs: Mapping[str, Entries]) -> Prepared:
        """From the first node to the last: parents before children."""
        return self._prepared(inputs, outputs, {}, (0, len(self.kinds), 1))

    def inward(
        self, inputs: Mapping[str, Entries], outputs: Mapping[str, Entries], sums: Mapping[str, Entries] | None = None
    ) -> Prepared:
        """From the last node to the first.  An output in `sums` is added to the entries given there (a parent's)."""
        return self._prepared(inputs, outputs, sums or {}, (len(self.kinds) - 1, -1, -1))

    def _prepared(
        self,
        inputs: Mapping[str, Entries],
        outputs: Mapping[str, Entries],
        sums: Mapping[str, Entries],
        order: tuple[int, int, int],
    ) -> Prepared:
        ins = [self._checked(name, inputs, "inputs") for name in self.inputs]
        scratch = {name: self._scratch(name) for name in sums}
        outs = [scratch[name] if name in sums else self._checked(name, outputs, "outputs") for name in self.outputs]
        targets = [self._checked(name, sums, "sums") for name in sums]
        offsets = [[x.places.bytes for x in entries] for entries in (ins, outs, targets)]
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
        return Prepared(words, (self.kernels, arrays, ins, outs, targets))

    def _scratch(self, name: str) -> Entries:
        """Memory for one node's output of that name, shared by all nodes, one after the other."""
        sizes = set(self._sizes(name))
        if len(sizes) > 1:
            raise ShapeError(f"sweep: all kinds must send equally many numbers of {name}, not {sorted(sizes)}")
        return Entries(np.zeros(sizes.pop()), self._nowhere)

    def _checked(self, name: str, arrays: Mapping[str, Entries], what: str) -> Entries:
        if name not in arrays:
            raise ShapeError(f"sweep: {what} must hold {name}; they hold {', '.join(arrays) or 'nothing'}")
        x = arrays[name]
        if x.array.dtype != np.float64 or not x.array.flags.c_contiguous or len(x.places.first) != len(self.kinds):
            raise ShapeError(f"sweep: {name} must be a contiguous float64 array with a place for each node")
        length = self._length(name, x.places)
        if length < 0 or length > x.array.size:
            raise ShapeError(f"sweep: numbers of {name} are outside its array of {x.array.size}")
        return x

    def _length(self, name: str, places: Places) -> int:
        """The required length of an array of that name, computed once for each of its places."""
        known = self._lengths.setdefault(places, {})
        if name not in known:
            known[name] = places.length(self.kinds, self._sizes(name))
        return known[name]

    def _sizes(self, name: str) -> tuple[int, ...]:
        """The size of the array of that name at a node of each kind."""
        return tuple(p.size for k in self.kernels for p in (*k.inputs, *k.outputs) if p.name == name)


@cache
def _function() -> Any:
    lanes = Lanes(1, "float64")
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(runtime_function("sweep", sweep_assembly(lanes), lanes).address)


def _location(x: Any) -> int:
    return address(x) if isinstance(x, np.ndarray) else ctypes.addressof(x)
