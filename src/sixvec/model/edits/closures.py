"""Loops closed, and cut open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from sixvec.errors import ArgumentError
from sixvec.model.body import Frame
from sixvec.model.closure import AnyClosure, Closure, Differential, Gear
from sixvec.model.coupling import coupling
from sixvec.model.edits.find import of_models
from sixvec.model.joints import Fixed, Joint
from sixvec.model.model import Model
from sixvec.spatial import Pose


def without_closures(model: Model) -> Model:
    """The spanning tree of a mechanism: the same bodies, joints and frames, with nothing that closes its loops.

    It is a different robot: its joints separate where the loops would constrain them.  Methods that do not support
    closed loops raise an error for the mechanism and accept this.

    >>> from sixvec.model.edits import without_closures
    >>> from sixvec.model.robots import BUILT_IN
    >>> bars = BUILT_IN["four_bar"]()
    >>> len(bars.closures), len(without_closures(bars).closures)
    (1, 0)
    """
    return replace(model, closures=())


@of_models
def with_closure(
    model: Model,
    first: str | Gear | Differential,
    second: str | None = None,
    joint: Joint | None = None,
    name: str | None = None,
    q: Sequence[float] | None = None,
) -> Model:
    """The model with one more loop: a joint between the frames `first` and `second`, by default a weld.

    The frames must be able to coincide.  With a position `q` the joint is placed where `first` is then: a frame on the
    body of `second`, or in the world if there is no `second`, is added for it, and the loop is closed at q; without
    `second` the default is the neutral position.  A `Gear` or a `Differential` in the place of `first` couples joints.

    >>> from sixvec.model.edits import with_closure
    >>> from sixvec.model.joints import Spherical
    >>> from sixvec.model.robots import BUILT_IN
    >>> pinned = with_closure(BUILT_IN["panda"](), "panda_link8", joint=Spherical(), name="pin")
    >>> pinned.closures[0].name, pinned.closures[0].constraints
    ('pin', 3)
    """
    if isinstance(first, Gear | Differential):
        if not (second is None and joint is None and q is None):
            raise ArgumentError(f"with_closure: a {type(first).__name__.lower()} couples joints, not frames")
        return _closed(model, first if name is None else replace(first, name=name))
    if joint is not None and (isinstance(joint, type) or not hasattr(joint, "screws")):
        raise ArgumentError(f"with_closure: joint must be a joint of sixvec.model.joints: Revolute(), …, not {joint!r}")
    carrier = None if second is None else model.frame(second)
    name = name or (f"{first} to {second}" if second is not None else f"{first} to the ground")
    if second is None or q is not None:
        X_WF = _pose(model, q, first)
        X_WB = Pose.identity() if carrier is None else _pose(model, q, carrier.name) @ carrier.placement.inv()
        place = Frame(_free_name(model, f"{name} place"), None if carrier is None else carrier.body, X_WB.inv() @ X_WF)
        model, second = replace(model, frames=(*model.frames, place)), place.name
    return _closed(model, Closure(name, second, first, joint or Fixed()))


def _closed(model: Model, closure: AnyClosure) -> Model:
    return replace(model, closures=(*model.closures, closure))


def _free_name(model: Model, name: str) -> str:
    known, k = {f.name for f in model.frames}, 2
    if name not in known:
        return name
    while f"{name} {k}" in known:
        k += 1
    return f"{name} {k}"


def _pose(model: Model, q: Sequence[float] | None, frame: str) -> Pose:
    """X_WF at a position."""
    tied = coupling(model)
    numbers = [x for b in model.moving for x in b.joint.neutral()] if q is None else [float(x) for x in q]
    if len(numbers) != model.nq or not all(map(math.isfinite, numbers)):
        raise ArgumentError(f"with_closure: q must hold {model.nq} finite numbers, the position of {model.name}")
    every = tied.positions(numbers)
    F, X = model.frame(frame), Pose.identity()
    for b in tied.free.path(F.body):
        at = every[tied.free.q_slices[b.name]] if b.joint.nq else []
        X = X @ b.placement @ b.joint.pose(at)
    return X @ F.placement
