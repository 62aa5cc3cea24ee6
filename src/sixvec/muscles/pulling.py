"""The tendons of a robot as forces that pull: arguments of this package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.arguments.checks import require_all, require_distinct
from sixvec.errors import ArgumentError, ShapeError, unknown

if TYPE_CHECKING:
    from sixvec.robot import Robot


def tendon_places(robot: Robot, names: Sequence[str] | None, where: str) -> list[int]:
    """The rows of the tendons with these names, of all by default."""
    known = [t.name for t in robot.model.tendons]
    if not known:
        raise ArgumentError(f"{where}: {robot.name} has no tendons; add some with robot.with_tendons(…)")
    if isinstance(names, str):
        raise ArgumentError(f'{where}: tendons="{names}" is one name; write a tuple: ("{names}",)')
    _require_some("tendons", names, where)
    for name in names or ():
        if name not in known:
            raise ArgumentError(f"{where}: {unknown('tendon', name, known, robot.name)}")
    return list(range(len(known))) if names is None else [known.index(name) for name in names]


def joint_places(robot: Robot, names: Sequence[str] | None, where: str) -> list[int]:
    """The coordinates of v of the joints with these names, of all by default."""
    if names is None:
        return list(range(robot.nv))
    if isinstance(names, str):
        raise ArgumentError(f'{where}: joints="{names}" is one name; write a tuple: ("{names}",)')
    _require_some("joints", names, where)
    known = {b.joint_label: b for b in robot.model.moving}
    for name in names:
        if name not in known:
            raise ArgumentError(f"{where}: {unknown('joint', name, known, robot.name)}")
    return [i for name in names for i in range(robot.nv)[robot.model.v_slices[known[name].name]]]


def _require_some(what: str, names: Sequence[str] | None, where: str) -> None:
    if names is not None and not len(names):
        raise ArgumentError(f"{where}: {what} is empty; name one or more, or leave it out for all")
    require_distinct(f"{where}: {what}", list(names or ()))


def coordinate_labels(robot: Robot) -> list[str]:
    """For each coordinate of v the name of its joint, with a number where the joint has several."""
    labels = []
    for b in robot.model.moving:
        count = b.joint.nv
        labels += [b.joint_label] if count == 1 else [f"{b.joint_label}[{i}]" for i in range(count)]
    return labels


def tension_limits(lower: ArrayLike, upper: ArrayLike, count: int, where: str) -> tuple[Array, Array]:
    """Limits of tension (..., count), from as many numbers or from one for all; none of them negative."""
    limits = []
    for name, limit in (("lower", lower), ("upper", upper)):
        numbers = real_array(f"{where}: {name}", limit)
        if numbers.ndim and numbers.shape[-1] not in (1, count):
            raise ShapeError(
                f"{where}: {name} has shape {numbers.shape}; give one number, or one for each of {count} tendons"
            )
        require_all(f"{where}: {name}", numbers, numbers >= 0.0, "zero or more: a tendon pulls and cannot push")
        limits.append(np.broadcast_to(numbers, (*numbers.shape[:-1], count)))
    least, most = limits
    require_all(f"{where}: lower", least, np.isfinite(least), "finite")
    require_all(f"{where}: upper", np.broadcast_to(most, np.broadcast_shapes(least.shape, most.shape)),
                most >= least, "at least the lower limit")  # fmt: skip
    return least, most
