"""Algorithms run as they stand, on any scalars: what they are given is checked here, as kernels check their arrays."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from sixvec.algorithms import Algorithm
from sixvec.algorithms.declaration import EXTERNAL, input_shape
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.border import wrenches_by_frame
from sixvec.errors import ArgumentError, ShapeError
from sixvec.kernels.method import signature
from sixvec.kernels.options import require_options
from sixvec.model import Model

_WRENCH = 6


def evaluate(model: Model, algorithm: Algorithm, scalars: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """An algorithm's result on scalars: its arrays in order, then options in order or by name.

    >>> import sixvec
    >>> from sixvec.algorithms import REGISTRY
    >>> evaluate(sixvec.load("planar_2r").model, REGISTRY["mass_matrix"], [[0.0, 0.0]], {"frame": "tip"})
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: mass_matrix has no option 'frame'; options: none
    """
    algorithm.require(model)
    name, ports = algorithm.name, algorithm.arrays
    if len(scalars) < len(ports):
        raise ArgumentError(f"{name} takes {', '.join(ports)}, not {len(scalars)} inputs")
    for port, given in zip(ports, scalars, strict=False):
        (needed,) = input_shape(model, port)
        require_entries(f"{name}: {port}", given, needed, model.name)
    _warn_of_tracers(name, scalars)
    chosen = _options(algorithm, scalars[len(ports) :], options)
    if "hold" in chosen:
        chosen["hold"] = held_frames(model, chosen["hold"])
    return algorithm(algorithm.form(model), *scalars[: len(ports)], **chosen)


def _warn_of_tracers(name: str, scalars: Sequence[Any]) -> None:
    """XLA writes shared terms out at every place where they are used, which grows beyond all bounds along a chain."""
    tracer = getattr(getattr(sys.modules.get("jax"), "core", None), "Tracer", None)
    if tracer is not None and any(isinstance(x, tracer) for x in scalars):
        warnings.warn(
            f"evaluate on tracers of JAX may take very long to compile; robot.{name} takes them, too, and is fast",
            stacklevel=4,
        )


def require_entries(what: str, given: Any, needed: int, whose: str) -> None:
    """Refuse what is no sequence of that length.

    >>> require_entries("gravity", [0.0, -9.81], 3, "space")
    Traceback (most recent call last):
    sixvec.errors.ShapeError: gravity has 2 entries, but space needs 3
    """
    try:
        found = len(given)
    except TypeError:
        raise ShapeError(f"{what} must be a sequence of {needed}, not {given!r}") from None
    if found != needed:
        raise ShapeError(f"{what} has {found} entries, but {whose} needs {needed}")


def _options(algorithm: Algorithm, others: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """All options by name."""
    name = algorithm.name
    known = {k: default for k, default in signature(algorithm).items() if k not in algorithm.arrays}
    if len(others) > len(known):
        inputs = [*algorithm.arrays, *known]
        raise ArgumentError(f"{name} takes {', '.join(inputs)}, not {len(others) - len(known)} more")
    chosen = dict(zip(known, others, strict=False))
    for option in named:
        if option not in known:
            raise ArgumentError(f"{name} has no option {option!r}; options: {', '.join(known) or 'none'}")
        if option in chosen:
            raise ArgumentError(f"{name} got two values for {option!r}")
    chosen |= named
    for option, default in known.items():
        if default is Algorithm.REQUIRED and option not in chosen:
            raise ArgumentError(f"{name} needs the option {option!r}")
    require_options(algorithm, chosen)
    _require_wrenches(name, chosen.get(EXTERNAL))
    return chosen


def _require_wrenches(name: str, external: Any) -> None:
    for frame, wrench in wrenches_by_frame(name, external).items():
        require_entries(f"{name}: external[{frame}]", [*wrench], _WRENCH, "a wrench")
