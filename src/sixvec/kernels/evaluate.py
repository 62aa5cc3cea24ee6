"""Algorithms run uncompiled on any scalars; arguments are checked as kernels check their arrays."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from sixvec.algorithms import Algorithm
from sixvec.algorithms.declaration import EXTERNAL, TARGET, input_shape
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.arguments import wrenches_by_frame
from sixvec.arguments.binding import bound
from sixvec.compiler.scalar_arrays import Scalars
from sixvec.errors import ShapeError
from sixvec.kernels.options import require_options
from sixvec.kernels.wheel_targets import with_wheels_at_rest
from sixvec.model import Model

_WRENCH = 6


def evaluate(model: Model, algorithm: Algorithm, scalars: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """An algorithm's result on scalars: its arrays in order, then options in order or as keywords.

    >>> import sixvec
    >>> from sixvec.algorithms import REGISTRY
    >>> evaluate(sixvec.load("planar_2r").model, REGISTRY["mass_matrix"], [[0.0, 0.0]], {"frame": "tip"})
    Traceback (most recent call last):
    sixvec.errors.CallError: mass_matrix has no argument 'frame'; arguments: q
    """
    algorithm.require(model)
    name = algorithm.name
    chosen = {key: _as_lists(x) for key, x in bound(name, algorithm.parameters, scalars, options).items()}
    arrays = {port: chosen.pop(port) for port in algorithm.arrays}
    for port, entries in arrays.items():
        (needed,) = input_shape(model, port)
        require_entries(f"{name}: {port}", entries, needed, model.name)
    _warn_of_tracers(name, scalars)
    require_options(algorithm, chosen)
    _require_wrenches(name, chosen.get(EXTERNAL))
    if "hold" in chosen:
        chosen["hold"] = held_frames(model, chosen["hold"])
        if chosen.get(TARGET) is not None:
            chosen[TARGET] = with_wheels_at_rest(model, chosen["hold"], chosen[TARGET])
    return algorithm(algorithm.form(model), *arrays.values(), **chosen)


def _as_lists(x: Any) -> Any:
    """Arrays of traced scalars as lists of them: equations add vectors of `sixvec.spatial`, not arrays."""
    if isinstance(x, Mapping):
        return {key: _as_lists(value) for key, value in x.items()}
    return x.tolist() if isinstance(x, Scalars) else x


def _warn_of_tracers(name: str, scalars: Sequence[Any]) -> None:
    """XLA expands shared terms at every use, which grows exponentially along a chain."""
    tracer = getattr(getattr(sys.modules.get("jax"), "core", None), "Tracer", None)
    if tracer is not None and any(isinstance(x, tracer) for x in scalars):
        warnings.warn(
            f"evaluate on tracers of JAX may take very long to compile; robot.{name} takes them, too, and is fast",
            stacklevel=4,
        )


def require_entries(what: str, entries: Any, needed: int, whose: str) -> None:
    """Raise an error for anything but a sequence of that length.

    >>> require_entries("gravity", [0.0, -9.81], 3, "space")
    Traceback (most recent call last):
    sixvec.errors.ShapeError: gravity has 2 entries, but space needs 3
    """
    try:
        count = len(entries)
    except TypeError:
        raise ShapeError(f"{what} must be a sequence of {needed}, not {entries!r}") from None
    if count != needed:
        raise ShapeError(f"{what} has {count} entries, but {whose} needs {needed}")


def _require_wrenches(name: str, external: Any) -> None:
    for frame, wrench in wrenches_by_frame(name, external).items():
        require_entries(f"{name}: external[{frame}]", [*wrench], _WRENCH, "a wrench")
