"""The mirror image of a robot: a left arm from a right one."""

from __future__ import annotations

from dataclasses import replace

from sixvec.errors import ModelError
from sixvec.model.actuator import Actuator, FrameTransmission
from sixvec.model.closure import Closure
from sixvec.model.edits.find import of_models
from sixvec.model.geom import reflected
from sixvec.model.joints import Joint
from sixvec.model.joints.axis import unit
from sixvec.model.joints.joint import Y_AXIS
from sixvec.model.model import Model
from sixvec.model.passive import BodySpring
from sixvec.model.spanning_tree import require_sliding
from sixvec.model.tendon import FixedTendon, Tendon, Wrap
from sixvec.spatial import Mat3, Pose, RigidInertia, Rotation, Sym3, Vec3
from sixvec.spatial.linear import product


@of_models
def mirror(model: Model, normal: Vec3 = Y_AXIS) -> Model:
    """The reflection of a robot in the plane through the world's origin with this normal, gravity included.

    By default left and right are exchanged: the normal is y.

    Every frame is reflected, with its axes flipped back to be right-handed; the pose of each body at q is the mirror
    image of the original at q.

    >>> import sixvec
    >>> from sixvec.model.edits import mirror
    >>> arm = sixvec.Robot(mirror(sixvec.load("panda").model))
    >>> arm.nv
    7
    """
    require_sliding(model, "mirror")
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
        model,
        bodies=bodies,
        frames=frames,
        gravity=H @ model.gravity,
        closures=closures,
        geoms=geoms,
        passive=passive,
        tendons=tuple(_tendon(H, t) for t in model.tendons),
        actuators=tuple(_actuator(H, a) for a in model.actuators),
    )


def _tendon(H: Mat3, t: Tendon) -> Tendon:
    """The path over the reflected shapes; a fixed tendon is the same sum of joint positions."""
    if isinstance(t, FixedTendon):
        return t
    path = (replace(x, placement=_pose(H, x.placement)) if isinstance(x, Wrap) else x for x in t.path)
    return replace(t, path=tuple(path))


def _actuator(H: Mat3, a: Actuator) -> Actuator:
    """A wrench on a frame: the force is reflected, the moment reflected and reversed."""
    if not isinstance(a.transmission, FrameTransmission):
        return a
    gear = a.transmission.gear
    moment, force = -(H @ Vec3.of(gear[:3])), H @ Vec3.of(gear[3:])
    return replace(a, transmission=replace(a.transmission, gear=(*moment, *force)))


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
    image = joint.mirrored(H)
    if image is None:
        raise ModelError(
            f'{where}: the {joint.kind} joint of "{name}" has no mirror image with the same '
            "coordinates; revolute, prismatic, helical and fixed joints have"
        )
    return image
