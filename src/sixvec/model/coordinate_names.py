"""Coordinates of q and v by the names of their joints."""

from __future__ import annotations

from typing import Literal

from sixvec.model.model import Model


def coordinate_names(model: Model, of: Literal["q", "v"]) -> tuple[str, ...]:
    """A name for each coordinate of q or v: that of its joint, with a number if the joint has several.

    >>> from sixvec.model.robots import BUILT_IN
    >>> coordinate_names(BUILT_IN["planar_2r"](), "v")
    ('joint1', 'joint2')
    """
    joints = [(name, range(at.start, at.stop)) for name, at in joint_slices(model, of).items()]
    return tuple(name if len(at) == 1 else f"{name}[{k}]" for name, at in joints for k in range(len(at)))


def joint_slices(model: Model, of: Literal["q", "v"]) -> dict[str, slice]:
    """Where the coordinates of each joint are in q or v."""
    slices = model.q_slices if of == "q" else model.v_slices
    return {b.joint_name or b.name: slices[b.name] for b in model.moving}
