"""The effect of rolling on each algorithm: none, rows of constraints, or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

import numpy as np

from sixvec.algorithms.declaration import TARGET, Algorithm
from sixvec.algorithms.parts.held_frames import Held, Rolling, held_frames, with_wheels
from sixvec.arguments import real_array
from sixvec.errors import ArgumentError
from sixvec.kernels.portable import library_of
from sixvec.model import Model


class RollingEffect(Enum):
    """Of wheels that roll, on the result of an algorithm."""

    NONE = "a term of the mechanism, the same with and without wheels"
    ROWS = "wheels are rows of constraints, ahead of those of `hold`"
    REFUSED = "the result would be that of a robot that slides"


def effect_of(algorithm: Algorithm) -> RollingEffect:
    """What wheels change: rows of loops and of wheels enter at the same places, so their declarations decide.

    >>> from sixvec.algorithms import REGISTRY
    >>> [effect_of(REGISTRY[name]).name for name in ("mass_matrix", "constrained_dynamics", "wrench_response")]
    ['NONE', 'ROWS', 'REFUSED']
    """
    if "hold" in algorithm.options:
        return RollingEffect.ROWS
    return RollingEffect.NONE if algorithm.loops in ("ignored", "described") else RollingEffect.REFUSED


def refused(name: str, robot: str) -> ArgumentError:
    """The error of what would be computed as if the robot slid."""
    return ArgumentError(
        f"{name}: {robot} rolls on wheels, which this does not know; robot.sliding has it without wheels, and "
        "constrained_dynamics and constrained_dynamics_derivatives, as methods and as kernels, are those of rolling"
    )


def with_rolling_rows(
    algorithm: Algorithm, model: Model, rolling: Mapping[str, Rolling], args: tuple[Any, ...], options: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with the wheels among `hold`, as the highest priority, and at rest in `target`.

    A target without rows of wheels gets zeros for them.
    """
    names = [*algorithm.parameters]
    values = {**dict(zip(names, args, strict=False)), **options}
    own = held_frames(model, values.get("hold"))
    held = with_wheels(model, rolling, own)
    wheels = held[: len(rolling)]
    changes: dict[str, Callable[[Any], Any]] = {"hold": lambda _: held}
    if "levels" in algorithm.options:
        changes["levels"] = lambda n: _levels(n, len(wheels), len(held) - len(wheels))
    if values.get(TARGET) is not None:
        changes[TARGET] = lambda x: _padded(x, model, wheels, held)
    listed = list(args)
    for name, change in changes.items():
        if (at := names.index(name)) < len(listed) and name not in options:
            listed[at] = change(listed[at])
        else:
            options = {**options, name: change(options.get(name))}
    return tuple(listed), options


def _levels(given: Any, wheels: int, rest: int) -> Any:
    """The number of frames in each level, with the wheels as the first; what is no sequence is left to the call."""
    if given is None or isinstance(given, list | tuple | np.ndarray):
        return (wheels, *(given if given is not None and len(given) else (1,) * rest))
    return given


def _padded(target: Any, model: Model, wheels: tuple[Held, ...], held: tuple[Held, ...]) -> Any:
    if library_of(target) not in (None, "numpy"):
        return target
    loops = sum(c.constraints for c in model.closures)
    rows, rest = (sum(len(h.directions) for h in part) for part in (wheels, held[len(wheels) :]))
    given = real_array(TARGET, target)
    if given.shape[-1:] != (loops + rest,):
        return target  # of all rows, or of a shape that the call refuses
    return np.insert(given, [loops] * rows, 0.0, axis=-1)
