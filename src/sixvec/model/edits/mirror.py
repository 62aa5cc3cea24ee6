"""The mirror image of a robot: a left arm from a right one."""

from __future__ import annotations

from dataclasses import replace

from sixvec.errors import ModelError
from sixvec.model.closure import Closure
from sixvec.model.edits.find import of_models
from sixvec.model.geom import reflected
from sixvec.model.joints import Fixed, Helical, Joint, Prismatic, Revolute
from sixvec.model.joints.axis import unit
from sixvec.model.joints.joint import Y_AXIS
from sixvec.model.model import Model
from sixvec.model.passive import BodySpring
from sixvec.spatial import Mat3, Pose, RigidInertia, Rotation, Sym3, Vec3
from sixvec.spatial.linear import product


@of_models
def mirror(model: Model, normal: Vec3 = Y_AXIS) -> Model:
    """The reflection of a robot in the plane through the world's origin with this normal, gravity included.

    By default left and right are exchanged: the normal is y.

    Every frame is reflected, with its axes flipped back to be right-handed; the pose of each body at q is the mirror
    image of the original at q.

    >>> import sixvec
    >>> arm = sixvec.Robot(mirror(sixvec.load("panda").model))
    >>> arm.nv
    7
    """
    n = unit(normal, "mirror: normal")
    H = _reflection(n)
    bodies = tuple(
        replace(
            b,
            placement=_pose(H, b.placement),
            joint=_joint(H, b.joint, b.name, model.name),
            inertia=_inertia(H, b.inertia),
        )
        for b in model.bodies
    )
    frames = tuple(replace(f, placement=_pose(H, f.placement)) for f in model.frames)
    closures = tuple(
        replace(c, joint=_joint(H, c.joint, c.name, model.name)) if isinstance(c, Closure) else c
        for c in model.closures
    )
    geoms = tuple(replace(g, shape=reflected(g.shape), placement=_of_shape(H, g.placement)) for g in model.geoms)
    passive = tuple(_spring(H, p) if isinstance(p, BodySpring) else p for p in model.passive)
    return replace(
        model, bodies=bodies, frames=frames, gravity=H @ model.gravity, closures=closures, geoms=geoms, passive=passive
    )


def _spring(H: Mat3, spring: BodySpring) -> BodySpring:
    """K in reflected axes: translations are reflected; rotation vectors are reflected and reversed."""
    rows = [tuple(row) for row in H.rows]
    P = [[-x for x in row] + [0.0] * 3 for row in rows] + [[0.0] * 3 + list(row) for row in rows]
    K = product(product(P, spring.stiffness), P)
    return BodySpring(spring.first, spring.second, tuple(map(tuple, K)), _pose(H, spring.rest))


def _reflection(n: Vec3) -> Mat3:
    """1 - 2 n nᵀ."""
    return Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) - Mat3.outer(n, n) * 2.0


def _pose(H: Mat3, X: Pose) -> Pose:
    return Pose(Rotation(H.product(X.rot.matrix).product(H)), H @ X.pos)


def _of_shape(H: Mat3, X: Pose) -> Pose:
    """The pose of a shape that is reflected in its own plane y = 0: any other plane would change a box."""
    return Pose(Rotation(H.product(X.rot.matrix).product(_reflection(Y_AXIS))), H @ X.pos)


def _inertia(H: Mat3, inertia: RigidInertia) -> RigidInertia:
    m = H.product(inertia.rot.full).product(H)
    return RigidInertia(inertia.mass, H @ inertia.moment, Sym3(m.xx, m.xy, m.xz, m.yy, m.yz, m.zz))


def _joint(H: Mat3, joint: Joint, name: str, where: str) -> Joint:
    """Directions of translation are reflected; axes of rotation are reflected and reversed."""
    match joint:
        case Fixed():
            return joint
        case Revolute(axis):
            return Revolute(-(H @ axis))
        case Prismatic(axis):
            return Prismatic(H @ axis)
        case Helical(axis, pitch):
            return Helical(-(H @ axis), -pitch)
    raise ModelError(
        f'{where}: the {type(joint).__name__.lower()} joint of "{name}" has no mirror image with the same '
        "coordinates; revolute, prismatic, helical and fixed joints have"
    )
