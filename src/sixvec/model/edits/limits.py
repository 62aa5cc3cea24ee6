"""Other limits for a joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sixvec.arguments import real_array
from sixvec.errors import ArgumentError
from sixvec.model.edits.find import body_of_joint, of_models
from sixvec.model.model import Model
from sixvec.model.wrong_positions import warn_of_degree

Bound = float | Sequence[float] | None
"""A number for each coordinate, one for all, or None to keep the joint's own."""


@of_models
def with_limits(
    model: Model,
    joint: str,
    *,
    lower: Bound = None,
    upper: Bound = None,
    velocity: Bound = None,
    effort: Bound = None,
) -> Model:
    """The model with limits of one joint replaced; ±inf removes a limit, limits not given are kept.

    >>> import sixvec
    >>> from sixvec.model.edits import with_limits
    >>> sixvec.Robot(with_limits(sixvec.load("panda").model, "panda_joint1", lower=-1.0, upper=1.0)).upper[0].item()
    1.0
    """
    if not isinstance(joint, str):
        raise ArgumentError(f"with_limits: joint must be the name of a joint, not a {type(joint).__name__}")
    b = body_of_joint(model, joint)
    whose = f'{model.name}: joint "{joint}"'
    if not b.joint.nv or b.mimic:
        raise ArgumentError(f"{whose} has no coordinates, so no limits")
    named = {"lower": lower, "upper": upper}
    positions = {kind: _numbers(kind, bound, b.joint.nq, whose) for kind, bound in named.items()}
    for x in (y for bounds in positions.values() for y in bounds or ()):
        warn_of_degree(b, x, "with_limits")
    named = {"velocity": velocity, "effort": effort}
    rates = {kind: _numbers(kind, bound, b.joint.nv, whose) for kind, bound in named.items()}
    if any(x < 0.0 for kind in rates.values() for x in kind or ()):
        raise ArgumentError(f"{whose}: limits of velocity and effort are sizes, not negative")
    changed: dict[str, Any] = {k: x for k, x in (positions | rates).items() if x is not None}
    limits = replace(b.limits, **changed)
    for low, high in zip(limits.lower, limits.upper, strict=False):
        if low > high:
            raise ArgumentError(f"{whose}: the lower limit {low:g} is above the upper limit {high:g}")
    return replace(model, bodies=tuple(replace(b, limits=limits) if x is b else x for x in model.bodies))


def _numbers(kind: str, bound: Bound, count: int, whose: str) -> tuple[float, ...] | None:
    if bound is None:
        return None
    numbers = real_array(f"{whose}: {kind}", bound)
    if numbers.shape not in ((), (count,)) or np.isnan(numbers).any():
        raise ArgumentError(f"{whose}: needs {count} number{'s' * (count != 1)} for its limits, not {bound!r}")
    return tuple(np.broadcast_to(numbers, count).tolist())
