"""Cable-driven parallel robots: a platform that hangs on cables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from sixvec.arguments import real_array
from sixvec.errors import ArgumentError, ShapeError
from sixvec.model import WORLD, Body, Frame, Model, SpatialTendon, ViaPoint
from sixvec.model.joints import Free, Joint, Planar
from sixvec.spatial import Pose, RigidInertia, Vec3

if TYPE_CHECKING:
    from sixvec.robot import Robot


def cable_robot(
    anchors: ArrayLike,
    attachments: ArrayLike,
    inertia: RigidInertia,
    *,
    planar: bool = False,
    names: Sequence[str] = (),
    name: str = "cable_robot",
) -> Robot:
    """A platform with straight cables from `anchors` (cables, 3) in the world to `attachments` (cables, 3) on it.

    A robot like any other: q is the pose of the platform (a free joint: position, quaternion), v its twist, and the
    joint force the wrench on it in its own frame, moment first.  `robot.tendon_lengths(q)` is its inverse position,
    `sixvec.muscles.tensions` distributes tension and `wrench_closure` says whether cables suffice.  `planar` robots
    move in the plane x y and turn about z (q = angle, x, y, in the order of `Planar`).  Bruyninckx §8.1.

    >>> import sixvec
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> corners = [[x, y, 0.0] for x in (-2, 2) for y in (-1, 1)]
    >>> box = [[x, y, 0.0] for x in (-0.2, 0.2) for y in (-0.1, 0.1)]
    >>> load = RigidInertia.from_center_of_mass(5.0, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1))
    >>> robot = sixvec.muscles.cable_robot(corners, box, load, planar=True)
    >>> robot.tendon_lengths(robot.neutral()).round(3).tolist()
    [2.012, 2.012, 2.012, 2.012]
    """
    from sixvec.robot import Robot

    outer, inner = (real_array(f"cable_robot: {k}", x, "cables", 3, batch=False, finite=True)
                    for k, x in (("anchors", anchors), ("attachments", attachments)))  # fmt: skip
    if outer.shape != inner.shape or not len(outer):
        raise ShapeError(f"cable_robot: {len(outer)} anchors and {len(inner)} attachments; each cable has one of both")
    if not isinstance(inertia, RigidInertia):
        raise ArgumentError(f"cable_robot: inertia is a RigidInertia of sixvec.spatial, not a {type(inertia).__name__}")
    labels = list(names) or [f"cable{i + 1}" for i in range(len(outer))]
    if isinstance(names, str) or len(labels) != len(outer):
        raise ArgumentError(f"cable_robot: names must have one entry for each of {len(outer)} cables, not {names!r}")
    joint: Joint = Planar(Vec3(0.0, 0.0, 1.0)) if planar else Free()
    frames, tendons = [Frame("platform", "platform")], []
    for label, a, b in zip(labels, outer.tolist(), inner.tolist(), strict=True):
        ends = f"{label} anchor", f"{label} attachment"
        frames.append(Frame(ends[0], WORLD, Pose.translation(Vec3.of(a))))
        frames.append(Frame(ends[1], "platform", Pose.translation(Vec3.of(b))))
        tendons.append(SpatialTendon(label, (ViaPoint(ends[0]), ViaPoint(ends[1]))))
    platform = Body("platform", WORLD, joint, inertia=inertia)
    return Robot(Model(name, (platform,), tuple(frames), tendons=tuple(tendons)))
