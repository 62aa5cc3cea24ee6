"""A mobile manipulator: velocities and forces in terms of its motor inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, common_batch, positive_number, real_array
from sixvec.arguments.result import Result
from sixvec.constraints.loops import velocity_map
from sixvec.errors import DegenerateError, ShapeError
from sixvec.ik.solution import Solution
from sixvec.kernels.any_arrays import any_arrays_same_dtype, values_of
from sixvec.lazy import lazy
from sixvec.mobile.ball_wheel import touching
from sixvec.mobile.least_slip import HOLDING, SLIPLESS, WheelLayout, free_motions
from sixvec.mobile.manipulator.support import Support, SupportPolygon
from sixvec.mobile.paths import CurvePath, reeds_shepp
from sixvec.mobile.platform_robot import PLATFORM, PlatformRobot
from sixvec.model import Body
from sixvec.model.actuation import has_motor
from sixvec.model.edits.floating import with_free_root
from sixvec.robot import Robot
from sixvec.solve.decomposition import inverse_of_rank, weight_factor
from sixvec.solve.weighted_solution import nearest_solution

Wrenches = Mapping[str, ArrayLike]
"""External wrenches (..., 6), keyed by frame."""

PLATFORM_WEIGHT = 10.0
"""The weight of a wheel rate relative to a rate of the arm: platforms are slower and less accurate than arms."""


@dataclass(frozen=True, eq=False, repr=False)
class InputMotion(Result):
    """Inputs u (..., wheels and arm joints) for a motion of a frame, and the velocity v (..., nv) that they give.

    >>> import numpy, sixvec
    >>> cart = sixvec.mobile.mount(sixvec.load("planar_2r"), sixvec.mobile.mecanum(0.6, 0.4, 0.05), numpy.eye(4))
    >>> cart.inverse_rates(numpy.zeros(5), [0.0, 0.0, 0.0, 0.1, 0.0, 0.0], "tip").v.shape
    (5,)
    """

    u: Array
    v: Array
    residual: Array
    """The norm of the missing twist (...), rad/s and m/s together."""
    slip: Array
    """The slip of v along each row of the rolling (..., rows), m/s: zero if the axles meet in one point."""

    def __repr__(self) -> str:
        return f"<InputMotion: residual up to {float(np.max(values_of(self.residual), initial=0.0)):.3g}>"


@dataclass(frozen=True, eq=False, repr=False)
class Effort(Result):
    """Forces at rest or in motion: of the arm, of the wheels, and of the ground.

    >>> import numpy, sixvec
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> slab = RigidInertia.from_center_of_mass(60.0, Vec3(0.0, 0.0, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
    >>> wheels = sixvec.mobile.mecanum(0.6, 0.4, 0.05)
    >>> cart = sixvec.mobile.mount(sixvec.load("planar_2r"), wheels, numpy.eye(4), inertia=slab)
    >>> cart.inverse_force(numpy.zeros(5)).tau.shape
    (2,)
    """

    tau: Array
    """Joint forces of the arms (..., joints)."""
    wheel_torques: Array
    """N m of the driven wheels (..., wheels)."""
    wheel_forces: Array
    """N along each line of force of the platform (..., lines): rims of driven wheels, then axles."""
    support: Support
    """The wheel loads and the tip-over margin."""
    grip: Array
    """For each wheel with a load, the horizontal force over the load (..., wheels): above its friction it slips."""

    def __repr__(self) -> str:
        return f"<Effort: grip up to {float(np.nanmax(self.grip, initial=0.0)):.3g}, {self.support!r}>"


@dataclass(frozen=True, eq=False, repr=False)
class Followed(Result):
    """Positions (steps, ..., nq) after each step, and the inputs (steps, ..., inputs) of each."""

    q: Array
    u: Array


@dataclass(frozen=True, eq=False, repr=False)
class ReachPlan(Result):
    """Positions that put a frame at a pose, and the path of the platform to its pose."""

    solution: Solution
    path: CurvePath

    def __repr__(self) -> str:
        return f"<ReachPlan: {self.solution}, {self.path!r}>"


class MobileRobot(PlatformRobot):
    """Arms on a platform: a robot with q = (x, y, φ, steering, arms), with its first velocities constrained.

    Every method of a robot is available, with the platform as a planar joint and its steering as joints.  Dynamics and
    rollouts respect the rolling of the wheels, whose forces are tau[:3], along x, y and about the vertical.
    `input_jacobian` and related methods use the inputs u = (wheels, steering, arms).
    """

    @lazy
    def input_names(self) -> tuple[str, ...]:
        """Driven wheels, then the steering and the coordinates of the arms, numbered if a joint has several.

        Of an arm with loops only joints with a motor are inputs.
        """
        driven = [(b.joint_name or b.name, b.joint.nv) for b in self._driving]
        several = [[n] if nv == 1 else [f"{n}[{k}]" for k in range(nv)] for n, nv in driven]
        return (*self.platform.rate_names, *(name for names in several for name in names))

    @lazy
    def _driving(self) -> tuple[Body, ...]:
        """The bodies, but for the platform, whose joints are inputs."""
        moved = [b for b in self.model.moving if b.name != PLATFORM]
        return tuple(b for b in moved if has_motor(b) or not self.model.closures)

    @lazy
    def _coordinates(self) -> list[int]:
        """The coordinates of v that are inputs, except wheels."""
        return [i for b in self._driving for i in range(self.nv)[self.model.v_slices[b.name]]]

    @lazy
    def arm_start(self) -> int:
        """The index of the arms in q and v."""
        return 3 + len(self.platform.steering_names)

    @any_arrays_same_dtype
    def steering(self, q: ArrayLike) -> Array:
        """The inputs of the steering (..., inputs) at positions q."""
        return real_array("q", q, self.nq, why=f"{self.name} has nq = {self.nq}")[..., 3 : self.arm_start]

    @any_arrays_same_dtype
    def at_poses(self, poses: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Positions (..., nq) with the platform at poses (..., 3), for example from odometry, and the rest as in q.

        `robot.animate(robot.at_poses(path.pose, q), "drive.html", dt)` shows a path of the platform.
        """
        planar = real_array("poses", poses, 3, why="a planar pose is (x, y, φ)")
        positions = real_array("q", self.neutral() if q is None else q, self.nq, why=f"{self.name} has nq = {self.nq}")
        leads = [planar.shape[:-1], positions.shape[:-1]]
        batch = common_batch("at_poses", leads, ["poses", "q"], [planar.shape, positions.shape])
        full = np.array(np.broadcast_to(positions, (*batch, self.nq)))
        full[..., :3] = planar
        return full

    @any_arrays_same_dtype
    def motor_basis(self, q: ArrayLike) -> Array:
        """B (..., nv, inputs): the generalised forces of unit torques of wheels, steering and arm joints."""
        q = real_array("q", q, self.nq, why=f"{self.name} has nq = {self.nq}")
        base, n = self.platform, len(self.platform.rate_names)
        rims = base.wrench_basis(self.steering(q))[..., :n] / [w.radius for w in base.rolling if w.driven]
        return self._with_platform(q, rims)

    def _with_platform(self, q: Array, columns: Array) -> Array:
        """(..., nv, inputs): columns of the wheels (..., 3, wheels) on the platform, and ones for the other inputs."""
        n, columns_kept = columns.shape[-1], self._coordinates
        expanded = np.zeros((*q.shape[:-1], self.nv, n + len(columns_kept)))
        expanded[..., :3, :n] = _in_world(q, np.broadcast_to(columns, (*q.shape[:-1], 3, n)))
        expanded[..., columns_kept, np.arange(n, n + len(columns_kept))] = 1.0
        return expanded

    @any_arrays_same_dtype
    def input_map(self, q: ArrayLike) -> Array:
        """N(q) (..., nv, inputs) with  v = N u: every column is a motion without slip sideways.

        Wheels that cannot roll together, as of a platform with more wheels than freedoms, slip at their rims as little
        as possible.  If their axles do not meet in one point, the columns have the least slip for their speed
        (`Platform.rolling_twist`), or hold the platform if that exceeds `HOLDING`; `slip` is how much.  Loops of an
        arm stay closed: its passive joints follow
        those with a motor.
        """
        q = real_array("q", q, self.nq, why=f"{self.name} has nq = {self.nq}")
        base, layout = self.platform, WheelLayout.of(self.platform)
        G = base.wrench_basis(self.steering(q))
        n = len(base.rate_names)
        rims, axles = np.swapaxes(G[..., :n], -1, -2), np.swapaxes(G[..., n:], -1, -2)
        B = layout.scaled(rims) @ free_motions(layout, axles, HOLDING).projector
        motion, _ = inverse_of_rank(B, np.ones(B.shape[:-2]), SLIPLESS)  # a projector has scale 1, and so do rims
        twist = np.swapaxes(layout.twists(np.swapaxes(motion, -1, -2)), -1, -2)
        twist = twist * [w.radius for w in base.rolling if w.driven]
        N = self._with_platform(q, twist)
        if self.model.closures:
            independent = [PLATFORM, *(b.joint_name or b.name for b in self._driving)]
            N = velocity_map(self, q, independent) @ N[..., [0, 1, 2, *self._coordinates], :]
        return N

    @any_arrays_same_dtype
    def input_jacobian(self, q: ArrayLike, frame: str, reference: Reference = "local_world_aligned") -> Array:
        """J (..., 6, inputs): the twist of a frame for rates u of the wheels, the steering and the arms."""
        return np.asarray(self.jacobian(q, frame, reference=reference) @ self.input_map(q))

    @any_arrays_same_dtype
    def inverse_rates(
        self,
        q: ArrayLike,
        twist: ArrayLike,
        frame: str,
        weight: ArrayLike | None = None,
        preferred: ArrayLike | None = None,
        reference: Reference = "local_world_aligned",
    ) -> InputMotion:
        """Inputs for a twist (..., 6) of a frame: of all solutions, those nearest to `preferred` (inputs) in `weight`.

        The weight is a number for each input (..., inputs), or a matrix (..., inputs, inputs); by default wheels count
        more than the arm.  An infinite weight keeps an input at rest unless nothing else moves the frame.  The
        result satisfies the rolling constraints, up to the least slip of axles that do not meet in one point; the
        remaining twist is in the residual.
        """
        N = self.input_map(q)
        J = self.jacobian(q, frame, reference=reference) @ N
        t = real_array("twist", twist, 6, why="a twist is (ω, v)")
        wheels, n = len(self.platform.rate_names), J.shape[-1]
        usual = np.where(np.arange(n) < wheels, PLATFORM_WEIGHT, 1.0)
        F = weight_factor(usual if weight is None else weight, n, "input")
        u0 = np.zeros(n) if preferred is None else real_array("preferred", preferred, n, why="of inputs")
        missing = t - (J @ u0[..., None])[..., 0]
        u = u0 + nearest_solution(J, missing, F)
        residual = np.linalg.norm(t - (J @ u[..., None])[..., 0], axis=-1)
        v = (N @ u[..., None])[..., 0]
        return InputMotion(u, v, residual, np.asarray(self.slip(q, v)))

    @any_arrays_same_dtype
    def follow(self, q0: ArrayLike, twists: ArrayLike, frame: str, dt: float, **options: Any) -> Followed:
        """Positions and inputs along twists (steps, ..., 6) of a frame."""
        q, positions, inputs = real_array("q0", q0, self.nq, why=f"{self.name} has nq = {self.nq}"), [], []
        positive_number("dt", dt, "seconds")
        numbers = real_array("twists", twists, 6)
        if numbers.ndim < 2 or not len(numbers):
            raise ShapeError(f"twists has shape {numbers.shape}, but (steps ≥ 1, ..., 6) is needed")
        for t in numbers:
            motion = self.inverse_rates(q, t, frame, **options)
            q = self.integrate(q, motion.v * dt)
            if self.model.closures:
                q = self.assemble(q, [PLATFORM, *(b.joint_name or b.name for b in self._driving)]).q
            positions.append(q)
            inputs.append(motion.u)
        return Followed(np.stack(positions), np.stack(inputs))

    @any_arrays_same_dtype
    def reach(self, pose: ArrayLike, frame: str, q0: ArrayLike, radius: float = 1.0, **options: Any) -> ReachPlan:
        """Positions that put a frame at a pose, and the shortest path of the platform from `q0` to its pose there.

        Wheels do not constrain positions, only the path to them: inverse kinematics treats the pose of the platform
        like any joint, and the Reeds-Shepp planner with the turning `radius` finds the path.
        """
        q0 = real_array("q0", q0, self.nq, why=f"{self.name} has nq = {self.nq}")
        solution = self.ik(pose, frame, q0, method="numerical", **options)
        return ReachPlan(solution, reeds_shepp(q0[..., :3], solution.q[..., :3], radius))

    @lazy
    def _floating(self) -> Robot:
        """The same bodies with a free platform: inverse dynamics of its joint gives the wrench of the ground."""
        return Robot(with_free_root(self.sliding.model))

    @any_arrays_same_dtype
    def ground_wrench(
        self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None, external: Wrenches | None = None
    ) -> Array:
        """The wrench (..., 6) of the ground on the platform, (moment; force) about its origin, in its axes.

        It balances gravity, the motion (v, a) and `external` wrenches on the robot, keyed by frame.
        """
        q = real_array("q", q, self.nq, why=f"{self.name} has nq = {self.nq}")
        v, a = (
            np.zeros(self.nv) if x is None else real_array("v, a", x, self.nv, why=f"nv = {self.nv}") for x in (v, a)
        )
        q, v, a = np.broadcast_arrays(q, v, a)
        c, s, omega = np.cos(q[..., 2]), np.sin(q[..., 2]), v[..., 2]
        zero, half = np.zeros_like(c), q[..., 2] / 2.0
        place = np.stack([q[..., 0], q[..., 1], zero, zero, zero, np.sin(half), np.cos(half)], axis=-1)
        vx, vy = c * v[..., 0] + s * v[..., 1], c * v[..., 1] - s * v[..., 0]
        ax, ay = c * a[..., 0] + s * a[..., 1] + omega * vy, c * a[..., 1] - s * a[..., 0] - omega * vx
        motion = np.stack([zero, zero, omega, vx, vy, zero], axis=-1)
        change = np.stack([zero, zero, a[..., 2], ax, ay, zero], axis=-1)
        places, rates, changes = (
            np.concatenate([first, x[..., 3:]], axis=-1) for first, x in ((place, q), (motion, v), (change, a))
        )
        forces = self._floating.inverse_dynamics(places, rates, changes, external=external)
        return np.asarray(forces[..., :6])

    @lazy
    def supports(self) -> SupportPolygon:
        """The wheels as points that support the platform."""
        return SupportPolygon.of(self.platform)

    @any_arrays_same_dtype
    def support(
        self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None, external: Wrenches | None = None
    ) -> Support:
        """Loads of the wheels, the zero-moment point and the tip-over margin."""
        return self.supports.bears(self.ground_wrench(q, v, a, external))

    @any_arrays_same_dtype
    def inverse_force(
        self,
        q: ArrayLike,
        external: Wrenches | None = None,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        weight: ArrayLike | None = None,
    ) -> Effort:
        """Forces of motors and ground while `external` wrenches act on the robot, at rest or in a motion (v, a).

        The part of the ground's wrench in the plane is distributed over the lines of force of the wheels, with least
        norm in `weight`; the rest is carried by the wheels as supports.
        """
        zero, steer = np.zeros(self.nv), self.steering(q)
        tau = self.sliding.inverse_dynamics(q, zero if v is None else v, zero if a is None else a, external=external)
        wrench = self.ground_wrench(q, v, a, external)
        base, n = self.platform, len(self.platform.rate_names)
        planar = np.stack([wrench[..., 2], wrench[..., 3], wrench[..., 4]], axis=-1)
        solution = base.least_forces(planar, steer, weight)
        forces, missing = solution.force, solution.residual
        if np.any(missing > 1e-9):
            raise DegenerateError(
                f"the wheels of {base.name} cannot apply the wrench: {missing.max():.3g} N or N m are missing"
            )
        radii = np.array([w.radius for w in base.rolling if w.driven])
        support = self.supports.bears(wrench)
        return Effort(
            tau[..., self.arm_start :], forces[..., :n] * radii, forces, support, self._grip(forces, support, steer)
        )

    def _grip(self, forces: Array, support: Support, steer: Any) -> Array:
        """The horizontal force on each wheel over its load; NaN if the wheel has no load."""
        base = self.platform
        G = base.wrench_basis(steer)
        size = np.linalg.norm(G[..., 1:, :], axis=-2)
        square = np.zeros((*forces.shape[:-1], len(support.names)))
        number = {w.name: support.names.index(touching(w)) for w in base.wheels}
        for k, line in enumerate(base.line_names):
            square[..., number[line.rpartition(":")[0]]] += (forces[..., k] * size[..., k]) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(support.loads > 0.0, np.sqrt(square) / support.loads, np.nan)


def _in_world(q: Array, columns: Array) -> Array:
    """Rows (x, y, φ) from twists or wrenches (φ, x, y) in the platform's axes (..., 3, n)."""
    c, s = np.cos(q[..., 2])[..., None], np.sin(q[..., 2])[..., None]
    turn, x, y = (columns[..., k, :] for k in range(3))
    return np.stack([c * x - s * y, s * x + c * y, turn], axis=-2)
