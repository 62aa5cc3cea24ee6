"""The border: what every function checks of what it is given, with one sentence for one mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sixvec.errors import ArgumentError, ShapeError


def common_batch(
    where: str, leads: Sequence[tuple[int, ...]], names: Sequence[str], shapes: Sequence[tuple[int, ...]] | None = None
) -> tuple[int, ...]:
    """The shape to which batch axes broadcast, or an error that lists who has which shape.

    >>> common_batch("pose", [(3, 1), (4,)], ["q", "v"])
    (3, 4)
    >>> common_batch("pose", [(3,), (4,)], ["q", "v"], [(3, 7), (4, 7)])
    Traceback (most recent call last):
    sixvec.errors.ShapeError: pose: the batch shapes do not broadcast: q (3, 7), v (4, 7)
    """
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        pairs = zip(names, leads if shapes is None else shapes, strict=True)
        listed = ", ".join(f"{name} {tuple(shape)}" for name, shape in pairs)
        raise ShapeError(f"{where}: the batch shapes do not broadcast: {listed}") from None


def wrenches_by_frame(where: str, external: Any) -> dict[str, Any]:
    """External wrenches as a dictionary from frame to wrench, empty for None.

    >>> wrenches_by_frame("rollout", [0.0] * 6)
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: rollout: external must be a dictionary from frame name to wrench, not a list
    """
    if external is None:
        return {}
    if not isinstance(external, Mapping):
        raise ArgumentError(
            f"{where}: external must be a dictionary from frame name to wrench, not a {type(external).__name__}"
        )
    return dict(external)
