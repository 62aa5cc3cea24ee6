"""Signatures as generalised ufuncs and sizes of samples, for engines that distribute work over machines."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from sixvec.algorithms.declaration import Algorithm, Dimension, input_dimensions, size
from sixvec.compiler.program import Port
from sixvec.model import Model

_BYTES = 8
"""Of a number in double precision."""


def gufunc_signature(model: Model, algorithm: Algorithm, extra: Sequence[Port] = ()) -> str:
    """The axes of a sample, as NumPy and dask write them; equal letters are equal lengths.

    >>> import sixvec
    >>> sixvec.load("panda").inverse_dynamics.signature
    '(n),(n),(n)->(n)'
    >>> sixvec.load("solo12").kernel("jacobian", frame="base_link").signature
    '(nq)->(6,nv)'
    """
    inputs = [_axes(model, input_dimensions(name)) for name in algorithm.arrays]
    inputs += [_axes(model, port.shape) for port in extra]
    outputs = [_axes(model, output.shape) for output in algorithm.outputs]
    return f"{','.join(inputs)}->{','.join(outputs)}"


def _axes(model: Model, dimensions: Sequence[Dimension]) -> str:
    def name(d: Dimension) -> str:
        return "n" if d in ("nq", "nv") and model.nq == model.nv else str(d)

    return f"({','.join(map(name, dimensions))})"


def bytes_per_sample(model: Model, algorithm: Algorithm) -> int:
    """Memory of all arrays of a call in double precision, divided by the number of samples.

    >>> import sixvec
    >>> sixvec.load("panda").inverse_dynamics.bytes_per_sample
    224
    """
    shapes = [input_dimensions(name) for name in algorithm.arrays] + [o.shape for o in algorithm.outputs]
    return _BYTES * sum(prod(size(model, d) for d in shape) for shape in shapes)
