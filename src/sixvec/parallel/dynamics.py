"""The dynamics of parallel robots: as a tree with loops, and by virtual work in the motion of the platform."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.classical_acceleration import classical_acceleration
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.jacobian import jacobian
from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import any_arrays_same_dtype, differentiable
from sixvec.kernels.function import CompiledFunction, compiled
from sixvec.lazy import lazy
from sixvec.model import Body, Closure, Frame, Limits, Model
from sixvec.model.canonical import canonical
from sixvec.model.joints import Free, Prismatic, Revolute, Spherical
from sixvec.parallel.leg_chain import Inertias, LegChain, leg_chain
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.pivot_spheres import spheres
from sixvec.parallel.shapes import shapes
from sixvec.parallel.space import Branch, Planar, Spatial
from sixvec.parallel.working_mode import traced
from sixvec.robot import Robot
from sixvec.scalar import Scalar
from sixvec.spatial import Mat3, Motion, Pose, Quaternion, RigidInertia, Rotation, Vec3
from sixvec.spatial.linear import eliminate, transpose

LegInertias = Inertias | Sequence[Inertias]
"""Of the body at the base and of the rod: one pair for all legs, or one for each."""


class PlatformDynamics:
    """A parallel robot with masses, near the pose X0 at which the joints of its rods are at zero.

    `robot` is the tree with closures; the methods here use the platform's motion, leg by leg: the wrench that
    the platform and its legs require is  w = M(X) A + h(X, V) = G τ.  Twists V and their rates A are those of the maps:
    angular first, at the platform's origin, in the axes of the base; A is the derivative of V.
    """

    def __init__(
        self,
        parallel: ParallelRobot,
        leg_inertias: LegInertias,
        platform_inertia: RigidInertia,
        X0: ArrayLike | None = None,
        branch: Branch = None,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
    ) -> None:
        if not isinstance(platform_inertia, RigidInertia):
            raise ArgumentError(f"platform_inertia is {platform_inertia!r}; give a RigidInertia")
        self.parallel, self.platform_inertia = parallel, platform_inertia
        self.gravity = Vec3.of(real_array("gravity", gravity, 3, batch=False, why="one for each axis").tolist())
        home = home_pose(parallel, branch) if X0 is None else parallel.space.one(X0, "X0")
        q = np.asarray(parallel.inverse_position(home, branch), float)
        if not np.isfinite(q).all():
            raise ArgumentError(f"leg {int(np.argmin(np.isfinite(q)))} cannot reach its pivot at X0")
        self._rods = np.asarray(spheres(parallel.legs)(q)[1])
        pairs = _inertia_pairs(leg_inertias, parallel.n)
        self._default_branch = None if branch is None else np.asarray(branch)
        self.chains: tuple[LegChain, ...] = tuple(
            leg_chain(leg, k, parallel.space.pivot(home.tolist(), leg.platform), float(x), pair, self._is_planar)
            for k, (leg, x, pair) in enumerate(zip(parallel.legs, q, pairs, strict=True))
        )

    @property
    def _is_planar(self) -> bool:
        return isinstance(self.parallel.space, Planar)

    @property
    def _has_quaternion(self) -> bool:
        """Whether the platform's joint is a ball or free."""
        return self.parallel.space.turns == 3

    @lazy
    def robot(self) -> Robot:
        """A tree of platform and legs, with a ball joint at each pivot to close it: a `sixvec.Robot` like any other."""
        bodies = [Body("base"), *self._platform_bodies(), *(b for c in self.chains for b in c.bodies)]
        pivots = [
            Frame(f"pivot{c.index}", "platform", Pose.translation(c.leg.platform)) for c in self.chains
        ]  # fmt: skip
        frames = [*(Frame(b.name, b.name) for b in bodies), *pivots, *(c.tip for c in self.chains)]
        closures = [Closure(f"ball{c.index}", c.tip.name, f"pivot{c.index}", Spherical()) for c in self.chains]
        name = type(self.parallel).__name__.lower()
        drawn = shapes(self.chains, self.parallel.roots, self.parallel.platform, self._rods)
        return Robot(Model(name, tuple(bodies), tuple(frames), self.gravity, closures=tuple(closures), geoms=drawn))

    def _platform_bodies(self) -> list[Body]:
        if isinstance(self.parallel.space, Spatial):
            return [Body("platform", "base", Free(), inertia=self.platform_inertia)]
        if self.parallel.space.only_turns:
            idle = Limits(effort=(0.0, 0.0, 0.0))
            return [Body("platform", "base", Spherical(), inertia=self.platform_inertia, limits=idle)]
        idle = Limits(effort=(0.0,))
        axes = [Prismatic(Vec3(1.0, 0.0, 0.0)), Prismatic(Vec3(0.0, 1.0, 0.0))]
        last = Revolute(Vec3(0.0, 0.0, 1.0)) if self._is_planar else Prismatic(Vec3(0.0, 0.0, 1.0))
        return [
            Body("platform_x", "base", axes[0], limits=idle),
            Body("platform_y", "platform_x", axes[1], limits=idle),
            Body("platform", "platform_y", last, inertia=self.platform_inertia, limits=idle),
        ]

    @any_arrays_same_dtype
    def position(self, X: ArrayLike, branch: Branch = None) -> Array:
        """Positions q (..., nq) of the robot's joints at poses of the platform."""
        X = self.parallel.space.checked(X, "position: X")
        still = np.zeros(self.parallel.space.freedoms)
        legs = np.asarray(self._motion(X, still, *self._branches(branch))[0])
        platform = X
        if self._has_quaternion:
            platform = np.asarray(_quaternion(X[..., :3, :3]))
            if not self.parallel.space.only_turns:
                platform = np.concatenate([X[..., :3, 3], platform], axis=-1)
        return np.concatenate([np.broadcast_to(platform, (*legs.shape[:-1], platform.shape[-1])), legs], axis=-1)

    @any_arrays_same_dtype
    def velocity(self, X: ArrayLike, twist: ArrayLike, branch: Branch = None) -> Array:
        """Velocities v (..., nv) of the robot's joints for a twist of the platform."""
        X = self.parallel.space.checked(X, "velocity: X")
        t = real_array("twist", twist, self.parallel.space.freedoms, why="one for each freedom of the platform")
        legs = np.asarray(self._motion(X, t, *self._branches(branch))[1])
        platform = t
        if self._has_quaternion:  # velocities of ball and free joints are in the platform's axes
            R = np.swapaxes(X[..., :3, :3], -1, -2)[..., None, :, :]
            parts = t.reshape(*t.shape[:-1], -1, 3)  # angular, linear
            platform = (R @ parts[..., None])[..., 0]
            platform = platform.reshape(*platform.shape[:-2], -1)
        elif self._is_planar:
            platform = np.concatenate([t[..., 1:], t[..., :1]], axis=-1)
        return np.concatenate([np.broadcast_to(platform, (*legs.shape[:-1], platform.shape[-1])), legs], axis=-1)

    @any_arrays_same_dtype
    @differentiable(
        lambda self, X, twist, acceleration, branch=None: self._followed_wrench(X, twist, acceleration, branch)
    )
    def wrench(self, X: ArrayLike, twist: ArrayLike, acceleration: ArrayLike, branch: Branch = None) -> Array:
        """w = M A + h (..., 6): the wrench at the platform for its motion, legs and gravity included."""
        m = self.parallel.space.freedoms
        X = self.parallel.space.checked(X, "wrench: X")
        t, a = (
            real_array(n, x, m, why="one for each freedom of the platform")
            for x, n in ((twist, "twist"), (acceleration, "acceleration"))
        )
        return np.asarray(self._wrench(X, t, a, *self._branches(branch)))

    def _followed_wrench(self, X: Any, twist: Any, acceleration: Any, branch: Any) -> Any:
        """In the library of its arrays, with derivatives."""
        space = self.parallel.space
        X, chosen = traced(self.parallel, space.entries(X), self._chosen(branch), len(space.port.shape))
        return self._wrench(X, twist, acceleration, *[chosen] * self.parallel.legs.has_branches)

    @any_arrays_same_dtype
    @differentiable(
        lambda self, X, twist, acceleration, weight=None, branch=None: self._forces(
            X, twist, acceleration, weight, branch
        )
    )
    def inverse_dynamics(
        self,
        X: ArrayLike,
        twist: ArrayLike,
        acceleration: ArrayLike,
        weight: ArrayLike | None = None,
        branch: Branch = None,
    ) -> Array:
        """Actuator forces τ (..., n) for this motion of the platform; distributed by `weight` if legs are redundant."""
        return self._forces(X, twist, acceleration, weight, branch)

    def _forces(self, X: Any, twist: Any, acceleration: Any, weight: Any, branch: Any) -> Array:
        """In the library of its arrays."""
        w = self.wrench(X, twist, acceleration, branch)
        return self.parallel.inverse_force(X, w, weight=weight, branch=self._chosen(branch))

    @any_arrays_same_dtype
    def mass_matrix(self, X: ArrayLike, branch: Branch = None) -> Array:
        """M (..., 6, 6) of platform and legs, with respect to the platform's accelerations."""
        m = self.parallel.space.freedoms
        X = self.parallel.space.checked(X, "mass_matrix: X")
        poses = X[(..., None, *[slice(None)] * len(self.parallel.space.port.shape))]
        w = self.wrench(poses, np.zeros(m), np.concatenate([np.zeros((1, m)), np.eye(m)]), branch)
        return np.swapaxes(w[..., 1:, :] - w[..., :1, :], -1, -2)

    @any_arrays_same_dtype
    def forward_dynamics(self, X: ArrayLike, twist: ArrayLike, tau: ArrayLike, branch: Branch = None) -> Array:
        """The rate A (..., 6) of the twist under actuator forces:  M A = G τ - h."""
        m = self.parallel.space.freedoms
        w = self.parallel.forward_force(X, tau, branch=self._chosen(branch))
        h = self.wrench(X, twist, np.zeros(m), branch)
        return np.asarray(np.linalg.solve(self.mass_matrix(X, branch), (w - h)[..., None])[..., 0])

    def _chosen(self, branch: Any) -> Any:
        return self._default_branch if branch is None else branch

    def _branches(self, branch: Any) -> tuple[Array, ...]:
        return (self.parallel._branch(self._chosen(branch)),) if self.parallel.legs.has_branches else ()

    @property
    def _ports(self) -> tuple[Port, ...]:
        return (Port("branch", (self.parallel.n,)),) if self.parallel.legs.has_branches else ()

    @lazy
    def _motion(self) -> CompiledFunction:
        space, count = self.parallel.space, sum(c.freedoms for c in self.chains)

        def leg_motion(X: Any, twist: Any, *branch: Any) -> Any:
            q: list[Scalar] = []
            v: list[Scalar] = []
            for chain in self.chains:
                position, speed, _, _ = _leg_state(self, chain, X, twist, None, branch)
                q, v = q + position, v + speed
            return q, v

        inputs = (space.port, Port("twist", (space.freedoms,)), *self._ports)
        return CompiledFunction(leg_motion, inputs, (Port("q", (count,)), Port("v", (count,))))

    @lazy
    def _wrench(self) -> CompiledFunction:
        space = self.parallel.space

        def platform_wrench(X: Any, twist: Any, acceleration: Any, *branch: Any) -> Any:
            pose = space.pose(X)
            moment, force = _body_wrench(pose, self.platform_inertia, self.gravity, space, twist, acceleration)
            for chain in self.chains:
                arm = pose.rot @ chain.leg.platform
                push = _leg_force(self, chain, X, twist, acceleration, branch)
                moment, force = moment + arm.cross(push), force + push
            return space.wrench(moment, force)

        inputs = (space.port, *(Port(n, (space.freedoms,)) for n in ("twist", "acceleration")), *self._ports)
        return CompiledFunction(platform_wrench, inputs, (Port("w", (space.freedoms,)),))


def home_pose(parallel: ParallelRobot, branch: Any) -> Array:
    """A pose away from singularities, directly above or below the middle of the base."""
    middle = parallel.roots.mean(axis=0)
    spread = parallel.roots - middle
    normal = np.zeros(3) if isinstance(parallel.space, Planar) else np.linalg.svd(spread)[2][-1]
    normal = normal * (1.0 if normal[np.abs(normal).argmax()] > 0.0 else -1.0)
    heights = HEIGHTS * (np.sqrt((spread**2).sum(axis=-1).mean()) + parallel.size)
    points = middle - parallel.platform.mean(axis=0) + np.concatenate([heights, -heights])[:, None] * normal
    if isinstance(parallel.space, Planar):
        X = np.concatenate([points[:1, :2] + np.zeros((9, 1)), np.linspace(-0.8, 0.8, 9)[:, None]], axis=-1)
    elif isinstance(parallel.space, Spatial):
        X = np.tile(np.eye(4), (len(points), 1, 1))
        X[:, :3, 3] = points
    elif parallel.space.turns:
        X = _quarter_turns()
    else:
        X = points
    A = np.asarray(parallel.run_map("lines", X, branch=branch)[0])
    finite = np.asarray(np.isfinite(A).all(axis=(-1, -2)))
    if not finite.any():
        tried = "turned by quarters" if parallel.space.only_turns else "straight above or below the middle of the base"
        raise ArgumentError(f"no pose {tried} is reached; give X0")
    A = np.swapaxes(parallel.twist_shift(X), -1, -2) @ A
    values = np.linalg.svd(parallel._scale[:, None] * np.where(finite[:, None, None], A, 0.0), compute_uv=False)
    return np.asarray(X[np.where(finite, values[:, -1], -1.0).argmax()])


def _quarter_turns() -> Array:
    """The 24 rotations of a cube."""
    every = [
        np.eye(3)[[*order]] * signs for order in permutations(range(3)) for signs in product((1.0, -1.0), repeat=3)
    ]
    return np.array([R for R in every if np.linalg.det(R) > 0.0])


HEIGHTS = np.linspace(0.1, 2.0, 20)
"""Heights tried for a home pose, in sizes of base and platform together."""


def _leg_state(
    dynamics: PlatformDynamics, chain: LegChain, X: Any, twist: Any, acceleration: Any, branch: Any
) -> tuple[list[Scalar], list[Scalar], list[Scalar], list[list[Scalar]]]:
    """Positions, velocities, accelerations of the chain's joints, and the Jacobian of its tip's velocity."""
    space = dynamics.parallel.space
    S = space.pivot(X, chain.leg.platform)
    q0 = chain.leg.position(S, branch[0][chain.index] if branch else 0.0)
    model = canonical(chain.model(dynamics.gravity))
    q = JointVector(chain.coordinates(S, q0), model.q_slices)
    rows = jacobian(model, q, frame=chain.tip.name)[3 : 3 + chain.freedoms]
    w, u = space.motion(twist)
    arm = S - space.pose(X).pos
    speed = [*(u + w.cross(arm))][: chain.freedoms]
    v = JointVector([x[0] for x in eliminate(rows, [[s] for s in speed])], model.v_slices)
    if acceleration is None:
        return list(q), list(v), [], rows
    alpha, linear = space.motion(acceleration)
    zeros = JointVector([0.0] * chain.freedoms, model.v_slices)
    bias = classical_acceleration(model, q, v, zeros, frame=chain.tip.name).lin
    change = linear + alpha.cross(arm) + w.cross(w.cross(arm)) - bias
    a = [x[0] for x in eliminate(rows, [[s] for s in [*change][: chain.freedoms]])]
    return list(q), list(v), a, rows


def _leg_force(dynamics: PlatformDynamics, chain: LegChain, X: Any, twist: Any, acceleration: Any, branch: Any) -> Vec3:
    """The force at the pivot that moves the leg with zero actuator force:  J⁻ᵀ times the forces of its joints."""
    q, v, a, rows = _leg_state(dynamics, chain, X, twist, acceleration, branch)
    model = canonical(chain.model(dynamics.gravity))
    tau = inverse_dynamics(
        model, JointVector(q, model.q_slices), JointVector(v, model.v_slices), JointVector(a, model.v_slices)
    )
    force = [x[0] for x in eliminate(transpose(rows), [[t] for t in tau])]
    return Vec3.of([*force, 0.0][:3])


def _body_wrench(
    pose: Pose, inertia: RigidInertia, gravity: Vec3, space: Any, twist: Any, acceleration: Any
) -> tuple[Vec3, Vec3]:
    """Moment and force, at the platform's origin in base axes, for the body's motion, gravity included."""
    w, u = space.motion(twist)
    alpha, linear = space.motion(acceleration)
    back = pose.rot.inv()
    V = Motion(back @ w, back @ u)
    A = Motion(back @ alpha, back @ (linear - gravity - w.cross(u)))
    F = (inertia @ A) + V.cross(inertia @ V)
    return pose.rot @ F.ang, pose.rot @ F.lin


def _inertia_pairs(inertias: Any, n: int) -> list[Inertias]:
    pairs = [inertias] * n if _is_pair(inertias) else list(inertias) if isinstance(inertias, Sequence) else []
    if len(pairs) != n or not all(map(_is_pair, pairs)):
        raise ArgumentError(
            f"leg_inertias is a pair of RigidInertia, of the body at the base and of the rod, or {n} such pairs"
        )
    return [(a, b) for a, b in pairs]


def _is_pair(x: Any) -> bool:
    return isinstance(x, Sequence) and len(x) == 2 and all(isinstance(y, RigidInertia) for y in x)


@compiled("R[3,3] -> q[4]")
def _quaternion(R: Any) -> Any:
    return [*Quaternion.from_rotation(Rotation(Mat3(*(x for row in R for x in row))))]
