"""Parameters of bodies given by scalars, which may be symbols: for tracing kernels with parameters as inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixvec.errors import ArgumentError, unknown
from sixvec.model.body import Body, Frame
from sixvec.model.canonical import AXIS, canonical
from sixvec.model.model import Model
from sixvec.scalar import Scalar
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

INERTIA = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
PLACEMENT = ("rx", "ry", "rz", "px", "py", "pz")
KINDS = {"inertia": INERTIA, "placements": PLACEMENT, "all": INERTIA + PLACEMENT}
"""Numbers of a body.  Inertia: of the body and everything fixed to it, about its origin, in its axes.  Placement: an
additional displacement after that of the model, zero for none: a rotation, as 2 tan(θ/2) times its axis, and a
translation."""


def varied_bodies(model: Model, bodies: Sequence[str] | None) -> tuple[str, ...]:
    """The bodies, by default all that move; bodies that do not move raise an error."""
    moving = [b.name for b in model.bodies if b.joint.nv]
    if isinstance(bodies, str):
        raise ArgumentError(f'bodies="{bodies}" is one name; write a tuple: ("{bodies}",)')
    for name in bodies or ():
        if name not in moving:
            raise ArgumentError(unknown("moving body", name, moving, model.name))
    return tuple(moving if bodies is None else dict.fromkeys(bodies))


def nominal(model: Model, kind: str, bodies: Sequence[str]) -> list[float]:
    """The numbers of the model itself."""
    form, origins = canonical(model), _origins(model, bodies)
    values: list[float] = []
    for name in bodies:
        if kind != "placements":
            F = origins[name]
            values += [float(x) for x in F.placement.inv() @ form.by_name[str(F.body)].inertia]
        if kind != "inertia":
            values += [0.0] * len(PLACEMENT)
    return values


def varied_model(form: Model, model: Model, kind: str, bodies: Sequence[str], numbers: Sequence[Scalar]) -> Model:
    """The canonical form of a model with these numbers instead of those of the model, body after body."""
    varied, origins = {b.name: b for b in form.bodies}, _origins(model, bodies)
    count = len(KINDS[kind])
    for k, name in enumerate(bodies):
        values = list(numbers[k * count : (k + 1) * count])
        if kind != "placements":
            F = origins[name]
            inertia = RigidInertia(values[0], Vec3.of(values[1:4]), Sym3(*values[4:10]))
            carrier = varied[str(F.body)]
            varied[carrier.name] = replace(carrier, inertia=F.placement @ inertia)
        if kind != "inertia":
            first, step = _first_axis(model.by_name[name])
            b = varied[first]
            varied[first] = replace(b, placement=b.placement @ step.inv() @ _motion(values[-6:]) @ step)
    return replace(form, bodies=tuple(varied[b.name] for b in form.bodies))


def _origins(model: Model, bodies: Sequence[str]) -> dict[str, Frame]:
    """The bodies' own frames in the canonical form.  A frame named after a body may be elsewhere on it."""
    frames = {name: Frame(f"origin of body {name}", name) for name in bodies}
    form = canonical(replace(model, frames=(*model.frames, *frames.values())))
    return {name: form.frame(frame.name) for name, frame in frames.items()}


def _first_axis(b: Body) -> tuple[str, Pose]:
    """The body of the canonical form at which the joint of a body begins, and the placement of its axis."""
    X = Pose.identity()
    steps = b.joint.elementary()
    moving = [i for i, (_, joint) in enumerate(steps) if joint.nv]
    for step, _ in steps[: moving[0] + 1]:
        X = X @ step
    return (b.name if len(moving) == 1 else f"{b.name}{AXIS}{moving[0]})"), X


def _motion(numbers: Sequence[Scalar]) -> Pose:
    """A rotation by Rodrigues' parameters, which needs no square root and no angle, and a translation."""
    x, y, z = (r / 2.0 for r in numbers[:3])
    s = 2.0 / (1.0 + x * x + y * y + z * z)
    rows = (
        (1.0 - s * (y * y + z * z), s * (x * y - z), s * (x * z + y)),
        (s * (x * y + z), 1.0 - s * (x * x + z * z), s * (y * z - x)),
        (s * (x * z - y), s * (y * z + x), 1.0 - s * (x * x + y * y)),
    )
    return Pose(Rotation.from_matrix(rows), Vec3.of(numbers[3:]))
