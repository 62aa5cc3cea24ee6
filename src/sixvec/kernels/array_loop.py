"""A compiled function applied to each entry of an array, one after another, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sixvec.arguments import real_array
from sixvec.compiler.iteration import iterated
from sixvec.errors import ArgumentError, ShapeError

if TYPE_CHECKING:
    from sixvec.compiler.call import Compiled


class ArrayLoop:
    """What `CompiledFunction.over` returns: a function of whole arrays, of any length without compiling again.

    Leading outputs with the names of the leading inputs are the state: given once, passed from entry to entry, returned
    as they are after the last.  Other outputs have one more axis, an entry for each step.
    """

    def __init__(self, step: Compiled, arrays: tuple[str, ...]) -> None:
        names = tuple(p.name for p in step.inputs)
        if not arrays or names[len(names) - len(arrays) :] != arrays:
            raise ArgumentError(
                f"{step.name}: a loop runs over the last inputs, in their order; over({', '.join(map(repr, arrays))}) "
                f"does not name them; inputs: {', '.join(names)}"
            )
        self.step, self.arrays = step, arrays
        self.carried = 0
        for state, result in zip(step.inputs[: len(names) - len(arrays)], step.outputs, strict=False):
            if state != result:
                break
            self.carried += 1

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        step, first = self.step, len(self.step.inputs) - len(self.arrays)
        arrays = step.in_order(arrays, named) if named else arrays
        step.require_count(arrays)
        whole = [
            real_array(f"{step.name}: {p.name}", x, "n", *p.shape, keep_single=True)
            for p, x in zip(step.inputs[first:], arrays[first:], strict=True)
        ]
        lengths = [x.shape[x.ndim - len(p.shape) - 1] for p, x in zip(step.inputs[first:], whole, strict=True)]
        if len(set(lengths)) > 1:
            listed = ", ".join(f"{name} {n}" for name, n in zip(self.arrays, lengths, strict=True))
            raise ShapeError(f"{step.name}: a loop needs arrays of one length, not {listed}")
        return iterated(step, lengths[0], self.carried, len(whole))(*arrays[:first], *whole)

    def __repr__(self) -> str:
        return f"<{self.step.name} over {', '.join(self.arrays)}>"
