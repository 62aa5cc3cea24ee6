"""Spherical parallel robots: legs of revolute joints whose axes meet in one point, about which the platform turns."""

from __future__ import annotations

import math
from dataclasses import replace as _replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_for_each, real_array
from sixvec.errors import ArgumentError, ShapeError
from sixvec.model import Body, Closure, Frame, Limits, Model
from sixvec.model.joints import Revolute
from sixvec.model.joints.axis import z_to
from sixvec.parallel.assembly_modes import AssemblyModes, gathered
from sixvec.parallel.leg import RUS
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.pivot_spheres import missing, spheres
from sixvec.parallel.quadrics import POINTS, common_points
from sixvec.parallel.rod_lines import orientation, relative_least, steady, unit_lines
from sixvec.parallel.space import Branch, Spherical
from sixvec.robot import Robot
from sixvec.spatial import Mat3, Pose, RigidInertia, Rotation, Vec3
from sixvec.tolerances import DRAWN, ROUNDING

REAL, EXACT = 1e-9, 1e-11
"""Imaginary parts of real solutions, and errors of all solutions, of a certified list."""


PASSIVE = Limits(effort=(0.0,))


class Spherical3RRR(ParallelRobot):
    """Three legs of three revolute joints whose axes meet: the motor's, one between two arched links, the platform's.

    `base` and `platform` (3, 3) are the directions of the axes on the base and, in the platform's frame, on the
    platform.  `proximal` and `distal` are the angles (rad) between the axes of a link, one number or one for each leg.
    Poses are rotation matrices (..., 3, 3), twists angular velocities, wrenches moments, in the axes of the base; q = 0
    is where a proximal link lies towards `zeros` (3, 3), by default +z, or +x for axes along z.  `base_points` and
    `platform_points` (3, 3) are points on the axes, which must meet to six digits: otherwise an error gives their
    distance.

    A leg holds the angle between the platform's axis R b and the axis c(q) between its links at `distal`: on the unit
    sphere it is a crank and a rod, so that all maps are those of the other robots (Bruyninckx, opening of chapter 8).

    >>> import numpy as np
    >>> from sixvec.parallel import Spherical3RRR
    >>> wrist = Spherical3RRR(np.eye(3), -np.eye(3)[[1, 2, 0]], np.pi / 2, np.pi / 2)
    >>> q = wrist.inverse_position(np.eye(3)).q
    >>> wrist.assembly_modes(q).count
    8
    """

    def __init__(
        self,
        base: ArrayLike,
        platform: ArrayLike,
        proximal: ArrayLike,
        distal: ArrayLike,
        *,
        zeros: ArrayLike | None = None,
        base_points: ArrayLike | None = None,
        platform_points: ArrayLike | None = None,
    ) -> None:
        a, b = _directions("base", base), _directions("platform", platform)
        for what, axes, points in (("base", a, base_points), ("platform", b, platform_points)):
            if points is not None:
                _require_meeting(what, axes, real_array(f"{what}_points", points, 3, 3, batch=False))
        first, second = (_angles(name, x) for name, x in (("proximal", proximal), ("distal", distal)))
        default = np.where(np.abs(a[:, 2:]) < 1.0 - 1e-9, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
        towards = default if zeros is None else _directions("zeros", zeros)
        self.angles = tuple(zip(first, second, strict=True))
        legs = [
            RUS(
                base=Vec3.of((math.cos(s) * a[k]).tolist()), platform=Vec3.of(b[k].tolist()),
                axis=Vec3.of(a[k].tolist()), zero=Vec3.of(towards[k].tolist()),
                crank=math.sin(s), rod=2.0 * math.sin(0.5 * t),
            )
            for k, (s, t) in enumerate(self.angles)
        ]  # fmt: skip
        super().__init__(legs, Spherical())

    def dynamics(self, *args: Any, **kwargs: Any) -> Any:
        raise ArgumentError("a spherical robot has its dynamics as a mechanism: robot(leg_inertias, platform_inertia)")

    def robot(
        self,
        leg_inertias: Any,
        platform_inertia: RigidInertia,
        X0: ArrayLike | None = None,
        *,
        branch: Branch = None,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
    ) -> Robot:
        """A `sixvec.Robot` with the arched links and the platform; its closures are the other legs' last joints.

        `leg_inertias` are a pair: of the proximal link in a frame at the centre, z along the motor's axis and x
        towards the next one, and of the distal link likewise, from that axis to the platform's.  The platform's
        inertia is in its frame.  At q = 0 of this robot the platform is at X0, by default the identity, with the legs
        in `branch`; the joints without a motor have no effort.
        """
        R = np.eye(3) if X0 is None else self.space.one(X0, "robot: X0")
        q0 = np.asarray(self.inverse_position(R, branch))
        if not np.isfinite(q0).all():
            raise ArgumentError(f"robot: leg {int(np.argmin(np.isfinite(q0)))} cannot reach X0")
        platform, links = Rotation.from_matrix(R.tolist()), zip(self.legs, self.angles, strict=True)
        frames, bodies, closures = [Frame("base", None), Frame("platform", "platform")], list[Body](), list[Closure]()
        for k, (leg, (first, second)) in enumerate(links):
            assert isinstance(leg, RUS)
            name, end = f"leg{k + 1}", Rotation.about_y(second)
            motor = Rotation(Mat3.from_rows(leg.zero, leg.axis.cross(leg.zero), leg.axis).T)
            motor = motor @ Rotation.about_z(float(q0[k]))
            bent = Rotation.about_y(first)
            across = (motor @ bent).inv() @ (platform @ leg.platform)
            bent = bent @ Rotation.about_z(math.atan2(across.y, across.x))
            bodies += [
                Body(f"{name}_proximal", None, Revolute(), _turned(motor), leg_inertias[0], f"{name}_motor"),
                Body(f"{name}_distal", f"{name}_proximal", Revolute(), _turned(bent), leg_inertias[1], limits=PASSIVE),
            ]
            if k == 0:
                place = _turned((motor @ bent).inv() @ platform)
                last = Body(
                    "platform", f"{name}_distal", Revolute(leg.platform), place, platform_inertia, limits=PASSIVE
                )
                continue
            frames += [
                Frame(f"{name}_end", f"{name}_distal", _turned(end)),
                Frame(f"{name}_seat", "platform", _turned(z_to(leg.platform))),
            ]
            closures.append(Closure(name, f"{name}_end", f"{name}_seat", Revolute()))
        model = Model(
            "spherical", (*bodies, last), tuple(frames), gravity=Vec3.of(real_array("gravity", gravity, 3).tolist())
        )
        return Robot(_replace(model, closures=tuple(closures)))


def assembly_spherical(robot: ParallelRobot, q: Array) -> AssemblyModes:
    """All rotations: with the quaternion p of R each leg is a quadric,  2 c·R b = |b|² + |c|² - r²,  pᵀ Q p = 0.

    Of the eight common points of three quadrics the real ones are poses.  They are certified where all eight were
    found, are distinct and clearly real or clearly complex.
    """
    batch, flat = q.shape[:-1], q.reshape(-1, robot.n)
    centre, radius = (np.asarray(x) for x in spheres(robot.legs)(flat))
    good = np.isfinite(centre).all(axis=(-1, -2)) & (radius > 0.0).all(axis=-1)
    centre = np.where(good[:, None, None], centre, np.eye(3)[None])
    b = robot.platform
    size = (b * b).sum(axis=-1) + (centre * centre).sum(axis=-1) - np.where(good[:, None], radius, 0.0) ** 2
    Q = 2.0 * np.einsum("nkj,kl,jlab->nkab", centre, b, _quadratic()) - size[..., None, None] * np.eye(4)
    p, error = common_points(Q)
    turn = np.exp(-1j * np.angle((p * p).sum(axis=-1)) / 2.0)  # a real point is a real vector times a phase
    p = p * turn[..., None]
    imaginary = np.abs(p.imag).max(axis=-1)
    exact = (error < EXACT).all(axis=-1)
    real = (imaginary < REAL) & (error < EXACT) & good[:, None]
    clear = ((imaginary < REAL) | (imaginary > 1e3 * REAL)).all(axis=-1)
    overlap = np.abs(np.einsum("nia,nja->nij", p, p.conj())) ** 2
    apart = (overlap - np.eye(POINTS) < 1.0 - steady(robot) ** 2).all(axis=(-1, -2))
    x = p.real / np.linalg.norm(p.real, axis=-1, keepdims=True)
    X = np.einsum("jlab,nia,nib->nijl", _quadratic(), x, x)
    here = np.broadcast_to(centre[:, None], (*real.shape, *centre.shape[1:]))
    residual = missing(robot, X, here, np.broadcast_to(radius[:, None], (*real.shape, robot.n))).max(axis=-1)
    margins = relative_least(unit_lines(robot, np.where(real[..., None, None], X, np.eye(3)), here), robot.leverage)
    certified = good & exact & clear & apart & (~real | (margins > steady(robot))).all(axis=-1)
    labels = np.where(orientation(robot, X, here) > 0.0, "+", "-")
    shape = (*batch, POINTS)
    return gathered(
        X.reshape(*shape, 3, 3), real.reshape(shape), labels.reshape(shape), residual.reshape(shape), POINTS,
        certified.reshape(batch)[()],
    )  # fmt: skip


def _quadratic() -> Array:
    """T (3, 3, 4, 4) with R[j, l] = pᵀ T[j, l] p for the unit quaternion p = (x, y, z, w)."""
    T = np.zeros((3, 3, 4, 4))
    for j in range(3):
        for i in range(3):
            T[j, j, i, i] = 1.0 if i == j else -1.0
        T[j, j, 3, 3] = 1.0
        l, m = (j + 1) % 3, (j + 2) % 3
        for row, column, sign in ((j, l, -1.0), (l, j, 1.0)):
            T[row, column, j, l] = T[row, column, l, j] = 1.0
            T[row, column, m, 3] = T[row, column, 3, m] = sign
    return T


def _turned(R: Rotation) -> Pose:
    return Pose(R, Vec3.zero())


def _directions(name: str, axes: ArrayLike) -> Array:
    vectors = real_array(name, axes)
    if vectors.shape != (3, 3):
        raise ShapeError(
            f"{name} has shape {vectors.shape}; a spherical robot has three legs: (3, 3), a direction each"
        )
    lengths = np.linalg.norm(vectors, axis=-1)
    if not (np.isfinite(vectors).all() and (lengths > 0.0).all()):
        raise ArgumentError(f"{name}: directions of axes must be finite and not zero")
    return np.asarray(vectors / lengths[:, None])


def _angles(name: str, angles: ArrayLike) -> list[float]:
    numbers = [float(x) for x in number_for_each(name, angles, 3, "legs")]
    for k, x in enumerate(numbers):
        if not 1e-6 < x < math.pi - 1e-6:
            raise ArgumentError(f"{name}[{k}] is {x}: the axes of a link must be between 0 and π apart")
    return numbers


def _require_meeting(what: str, axes: Array, points: Array) -> None:
    """The point nearest to all axes, and how far they are from it."""
    across = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    centre = np.linalg.lstsq(across.sum(axis=0), np.einsum("kij,kj->i", across, points), rcond=None)[0]
    gaps = np.linalg.norm(np.einsum("kij,kj->ki", across, points - centre), axis=-1)
    reach = float(np.linalg.norm(points - centre, axis=-1).max())
    if gaps.max() > DRAWN * reach + ROUNDING * np.abs(points).max():
        raise ArgumentError(
            f"the axes on the {what} do not meet in one point: axis {int(gaps.argmax())} passes the nearest point at a "
            f"distance of {gaps.max():.3g} m"
        )
