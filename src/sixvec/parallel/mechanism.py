"""Parallel robots: several legs between a base and a platform, one actuator each."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, real_array, require_all
from sixvec.errors import ArgumentError, DegenerateError, KernelNotFound, ShapeError, unknown
from sixvec.ik.machine import CPU, Machine, machine_of
from sixvec.kernels.any_arrays import any_arrays_same_dtype, differentiable
from sixvec.kernels.devices import on_devices
from sixvec.kernels.function import CompiledFunction
from sixvec.kernels.portable import library_of
from sixvec.lazy import lazy
from sixvec.parallel.dimensions import Dimensions
from sixvec.parallel.maps import (
    SINGULAR_BECAUSE,
    arguments_of,
    evaluated,
    require_enough_legs,
    shaped,
    without_singular,
)
from sixvec.parallel.programs import MAPS, SOLVED, program, where_it_exists
from sixvec.parallel.space import SURELY_RIGID, Bounds, Branch, Space
from sixvec.parallel.working_mode import WorkingMode, spread, traced, wrapped
from sixvec.solve.decomposition import weight_factor
from sixvec.spatial import RigidInertia
from sixvec.tolerances import RANK

if TYPE_CHECKING:
    from sixvec.parallel.assembly_modes import AssemblyModes
    from sixvec.parallel.dynamics import LegInertias, PlatformDynamics
    from sixvec.parallel.forward_position import ForwardPosition
    from sixvec.parallel.singularity import ParallelSingularity
    from sixvec.robot import Robot


def compiled_map(name: str) -> Callable[..., Any]:
    """How a map is computed from arrays of other libraries where derivatives are needed."""

    def through(robot: ParallelRobot, X: Any, branch: Any = None, reference: Any = None, **options: Any) -> Any:
        options.pop("weight", None)  # without effect on as many legs as freedoms
        if options.pop("limits", None) is not None or (name in SOLVED and robot.n != robot.space.freedoms):
            return None
        fixed = robot._usual if branch is None else ()
        space = robot.space.written_as(X)
        X, chosen = traced(robot, X, branch, len(space.port.shape))
        several = [chosen] if robot.legs.has_branches and not fixed else []
        compiled = where_it_exists(name, robot.legs, space, reference or "local_world_aligned", robot.size, fixed)
        result = compiled.call(X, *options.values(), *several)
        return robot._in_mode(result, branch) if name == "inverse_position" else result

    return through


class ParallelRobot(Dimensions):
    """Legs of any kinds that share a base and a platform.

    Twists and wrenches are angular first, in the axes of the base at the origin of the platform's frame, as everywhere
    in the library; `reference="world"` uses the origin of the base, `reference="local"` also the axes of the platform.
    `forward_force` is the wrench that the legs apply to the platform: the platform can resist its opposite.

    >>> import numpy as np
    >>> from sixvec.parallel import PUS, UPS, ParallelRobot
    >>> from sixvec.spatial import Vec3
    >>> slide = PUS(origin=Vec3(0.0, 0.0, 0.0), axis=Vec3(1.0, 0.0, 0.0), rod=1.0, platform=Vec3(0.0, 0.0, 0.0))
    >>> ParallelRobot([slide]).inverse_position(np.eye(4)).q.tolist()
    [1.0]
    """

    usual_branch: ClassVar[int] = 0
    """The default branch of all legs."""

    @any_arrays_same_dtype
    @on_devices()
    @differentiable(compiled_map("inverse_position"))
    def inverse_position(self, X: ArrayLike, branch: Branch = None) -> Array | WorkingMode:
        """Actuator positions q (..., n) at poses X.  Bruyninckx (8.2)-(8.7).

        For telescopic legs, which have one position, the result is the array.  Cranks and sliders have two: `branch`
        (..., n) of 0 and 1 selects one (`usual_branch` by default), and the result is a `WorkingMode` with `q`,
        `branch` and the `leg` that cannot reach.
        """
        machine, space = machine_of(X, branch), self.space.written_as(X)
        X = shaped(space, X, "inverse_position: X", machine)
        q, deviation = self.run_map("inverse_position", X, branch=branch, space=space, machine=machine)
        if not bool((deviation <= SURELY_RIGID).all()):
            checked = space.checked(machine.host(X), "inverse_position: X")
            if space is self.space:  # other forms of poses spread what is not finite in the kernel
                X = machine.send(checked)
                q, _ = self.run_map("inverse_position", X, branch=branch, machine=machine)
        mode = self._in_mode(q, machine.host(branch))
        return machine.sent(mode) if machine.is_device and isinstance(mode, WorkingMode) else mode

    def _in_mode(self, q: Any, branch: Any) -> Array | WorkingMode:
        """Positions, with their branches if a leg has several."""
        if self.legs.has_branches:
            chosen = branch if library_of(branch) not in (None, "numpy") else self._branch(branch)
            return WorkingMode(q, spread(chosen, q))
        return q  # type: ignore[no-any-return]

    @any_arrays_same_dtype
    def working_modes(self, X: ArrayLike) -> WorkingMode:
        """All working modes, (..., 2ᵏ, n) for k legs with two positions each; NaN where a leg cannot reach."""
        X = self.space.checked(X, "working_modes: X")
        branches = np.array([*product(*(range(leg.branches) for leg in self.legs))])
        inner = len(self.space.port.shape)
        spread = np.repeat(np.expand_dims(X, X.ndim - inner), len(branches), axis=X.ndim - inner)
        mode = self.inverse_position(spread, branches)
        return mode if isinstance(mode, WorkingMode) else WorkingMode(mode, np.zeros(mode.shape, np.int8))

    @any_arrays_same_dtype
    def branch(self, X: ArrayLike, q: ArrayLike) -> Array:
        """(..., n): the branch of each leg nearest to the actuator positions q at the pose X."""
        most = np.array([leg.branches - 1 for leg in self.legs])
        modes = [np.asarray(self.inverse_position(X, np.minimum(k, most))) for k in (0, 1)]
        positions = real_array("branch: q", q, self.n, why="one for each leg")
        off = [np.abs(wrapped(positions - m, self.legs)) for m in modes]
        with np.errstate(invalid="ignore"):
            return np.asarray(off[1] < off[0], np.int8)

    @any_arrays_same_dtype
    @on_devices()
    @differentiable(compiled_map("wrench_basis"))
    def wrench_basis(self, X: ArrayLike, branch: Branch = None, reference: Reference = "local_world_aligned") -> Array:
        """G (..., 6, n): columns are the wrenches of unit actuator forces on the platform, moment first.

        G_i = (S×e; e) / gain for each leg (Bruyninckx §8.8): e along the rod, S the platform pivot; the gain is 1 for
        UPS, e·a for PUS with axis a, and e·(r×c) for RUS with axis r and crank c.  Bruyninckx (8.9).
        """
        return evaluated(self, "wrench_basis", X, branch=branch, reference=reference)

    @any_arrays_same_dtype
    def singularity(self, X: ArrayLike, branch: Branch = None, tolerance: float = RANK) -> ParallelSingularity:
        """The singularities at one pose: a `ParallelSingularity` (.types .gained .unheld .legs .distance …)."""
        from sixvec.parallel.singularity import singularity

        return singularity(self, X, branch, tolerance)

    @lazy
    def is_architecturally_singular(self) -> bool:
        """Whether telescopic legs are singular at every pose (Bruyninckx §8.19)."""
        from sixvec.parallel.singularity import is_architecturally_singular

        return is_architecturally_singular(self)

    @any_arrays_same_dtype
    def internal_forces(self, X: ArrayLike, branch: Branch = None) -> Array:
        """(n, n - rank): actuator forces at one pose that apply no wrench to the platform (Bruyninckx (8.29))."""
        from sixvec.parallel.redundancy import internal_forces

        G = self.wrench_basis(X, branch)
        if G.ndim != 2:
            raise ShapeError(f"internal_forces is for one pose; X has shape {np.shape(X)}")
        if not np.isfinite(G).all():
            raise DegenerateError("internal_forces: the legs do not reach this pose, or one of them is singular there")
        return internal_forces(self.twist_shift(self.space.checked(X, "internal_forces: X")).T @ G, self._scale)

    @any_arrays_same_dtype
    @on_devices()
    def stiffness(
        self, X: ArrayLike, k: ArrayLike, branch: Branch = None, reference: Reference = "local_world_aligned"
    ) -> Array:
        """K = G diag(k) Gᵀ (..., 6, 6): the wrench w = K δ that the legs' springs oppose to a small displacement δ.

        `k` are the stiffnesses of the actuators, N/m or N m/rad, one for all or (..., n).  Without preload (Bruyninckx
        §8.21): actuator forces at rest add a geometric stiffness, which is not included.
        """
        machine = machine_of(X, k, branch)
        springs = machine.send(self.stiffnesses(real_array("stiffness: k", machine.host(k))))
        G = evaluated(self, "wrench_basis", X, branch=branch, reference=reference)
        K: Array = np.multiply(G, springs[..., None, :]) @ G.swapaxes(-1, -2)
        return K

    def stiffnesses(self, k: Array) -> Array:
        """Stiffnesses of the actuators, checked, one for each."""
        if k.shape[-1:] not in ((), (1,), (self.n,)):
            raise ShapeError(f"stiffness: k has shape {k.shape}; give one number, or one for each of {self.n} legs")
        require_all("stiffness: k", k, np.isfinite(k) & (k >= 0.0), "finite, and 0 or more")
        return np.broadcast_to(k, (*k.shape[:-1], self.n)) if k.ndim else np.full(self.n, k)

    @any_arrays_same_dtype
    @on_devices()
    def forward_position(
        self, q: ArrayLike, X0: ArrayLike, *, tolerance: float = 1e-12, iterations: int = 100
    ) -> ForwardPosition:
        """One pose near X0 for actuator positions q (..., n): a `ForwardPosition` (.pose .verdict .residual .leg).

        Newton's iteration with the wrench basis, damped far from the solution or near singularities (Bruyninckx §8.12,
        8.13).  Positions of more legs than freedoms that disagree are the verdict `CONTRADICTORY`, with the pose near
        X0 whose positions are nearest to them.  `tolerance` is the largest error of a leg, in sizes of the platform.
        Bruyninckx (8.15)-(8.19).
        """
        from sixvec.parallel.forward_position import near

        return near(self, q, X0, tolerance, iterations)

    @any_arrays_same_dtype
    def assembly_modes(self, q: ArrayLike) -> AssemblyModes:
        """All real poses for actuator positions q (..., n): `AssemblyModes` (.poses .count .certified .labels …)."""
        from sixvec.parallel.assembly import assembly_modes

        return assembly_modes(self, real_array("q", q, self.n, why="one for each leg"))

    def dynamics(
        self,
        leg_inertias: LegInertias,
        platform_inertia: RigidInertia,
        X0: ArrayLike | None = None,
        *,
        branch: Branch = None,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
    ) -> PlatformDynamics:
        """Dynamics with masses of the legs and the platform: `PlatformDynamics`, with `robot`, `inverse_dynamics`, …

        `leg_inertias` are a pair of `RigidInertia` (or one for each leg): of the body at the base, in a frame at the
        base pivot, and of the rod, in a frame at its joint (at the platform pivot for telescopes); z points along the
        leg, x along a crank.  X0 is a pose in the robot's working range, at which universal joints are at zero.
        """
        from sixvec.parallel.dynamics import PlatformDynamics

        return PlatformDynamics(self, leg_inertias, platform_inertia, X0, branch, gravity)

    def robot(
        self,
        leg_inertias: LegInertias,
        platform_inertia: RigidInertia,
        X0: ArrayLike | None = None,
        *,
        branch: Branch = None,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
    ) -> Robot:
        """A `sixvec.Robot`: the tree of platform and legs with a ball joint at each pivot to close its loops.

        The same as `dynamics(…).robot`; `dynamics(…).position(X)` are its joint positions at a pose.
        """
        return self.dynamics(leg_inertias, platform_inertia, X0, branch=branch, gravity=gravity).robot

    @any_arrays_same_dtype
    @on_devices()
    @differentiable(compiled_map("inverse_velocity"))
    def inverse_velocity(
        self, X: ArrayLike, twist: ArrayLike, branch: Branch = None, reference: Reference = "local_world_aligned"
    ) -> Array:
        """q̇ = Gᵀ t (..., n): actuator speeds for a twist of the platform; NaN where a leg is singular.

        Bruyninckx (8.10).  Bruyninckx (8.14).
        """
        return evaluated(self, "inverse_velocity", X, twist, branch, reference)

    @any_arrays_same_dtype
    @on_devices()
    @differentiable(compiled_map("forward_velocity"))
    def forward_velocity(
        self, X: ArrayLike, qd: ArrayLike, branch: Branch = None, reference: Reference = "local_world_aligned"
    ) -> Array:
        """t with Gᵀ t = q̇ (Bruyninckx (8.23)), least squares for more legs than freedoms; NaN at singular poses.

        The warning `SingularPose` lists them.  Bruyninckx (8.24).
        """
        if self.n <= self.space.freedoms or machine_of(X, qd, branch).is_device:
            return evaluated(self, "forward_velocity", X, qd, branch, reference)
        from sixvec.parallel.redundancy import nearest_twist

        poses, (rates,) = arguments_of(self, "forward_velocity", X, qd, CPU)
        A, gain = self.run_map("lines", poses, branch=branch, reference=reference)
        T = self.twist_shift(poses, reference)
        t, singular = nearest_twist(_times(T, A), np.asarray(gain), rates, self._scale, self.gain_sizes, self.leverage)
        why = SINGULAR_BECAUSE["forward_velocity"]
        return without_singular((T @ t[..., None])[..., 0], singular, "forward_velocity", why)

    @any_arrays_same_dtype
    @on_devices()
    @differentiable(compiled_map("forward_force"))
    def forward_force(
        self, X: ArrayLike, tau: ArrayLike, branch: Branch = None, reference: Reference = "local_world_aligned"
    ) -> Array:
        """w = G τ (..., 6): the wrench (moment; force) that actuator forces apply to the platform.

        Bruyninckx (8.8).
        """
        return evaluated(self, "forward_force", X, tau, branch, reference)

    @any_arrays_same_dtype
    @on_devices()
    @differentiable(compiled_map("inverse_force"))
    def inverse_force(
        self,
        X: ArrayLike,
        w: ArrayLike,
        weight: ArrayLike | None = None,
        limits: Bounds = None,
        branch: Branch = None,
        reference: Reference = "local_world_aligned",
    ) -> Array:
        """τ with G τ = w (..., n); for more legs than freedoms the one of least τᵀ K⁻¹ τ, K the `weight`.

        Bruyninckx (8.31), (8.32).

        `limits` are the smallest and largest forces, for example (0, inf) for cables, which only pull, with
        signs reversed; with limits a quadratic program is solved.  NaN, with a warning,
        if no forces satisfy the equation: at singular poses, or within those limits.
        """
        if machine_of(X, w, branch).is_device and not (weight is None and limits is None):
            raise ArgumentError(
                "inverse_force: weight= and limits= compute on the CPU; give NumPy arrays: cupy.asnumpy"
            )
        if weight is not None:
            weight_factor(weight, self.n, "leg")  # checked even where it has no effect
        if limits is None and (self.n <= self.space.freedoms or machine_of(X, w, branch).is_device):
            return evaluated(self, "inverse_force", X, w, branch, reference)
        from sixvec.parallel.redundancy import distributed

        poses, (wrench,) = arguments_of(self, "inverse_force", X, w, CPU)
        require_enough_legs(self, "inverse_force")
        A, gain = self.run_map("lines", poses, branch=branch, reference=reference)
        T = self.twist_shift(poses, reference)
        wrench = _times(T, wrench[..., None])[..., 0]
        return distributed(_times(T, A), np.asarray(gain), wrench, weight, limits, self._scale, self.leverage)

    @property
    def _scale(self) -> Array:
        """The scale of a wrench about the middle of the platform's pivots: moments by the size of the platform."""
        s = self.space
        return np.array([1.0 / self.size] * s.turns + [1.0] * (s.freedoms - s.turns))

    def kernel(
        self, name: str, reference: Reference = "local_world_aligned", *, matrices: bool = False
    ) -> CompiledFunction:
        """The compiled program of a map, with `count()`, `source("c")`, `source("cuda")`, `derivative("X")`.

        Inputs are the pose, the vector of the map, if any, and `branch` if legs have two positions; "newton_step" of
        X and q is the next pose, and the largest error of a leg at X.  Poses of a platform that only translates are
        positions (3,), or with `matrices` (4, 4).
        """
        if name not in MAPS:
            raise KernelNotFound(unknown("map", name, MAPS, type(self).__name__))
        space = self.space.written_as(np.eye(4)) if matrices else self.space
        return program(name, self.legs, space, reference, self.size)

    def run_map(
        self,
        name: str,
        X: Any,
        *vectors: Any,
        branch: Any = None,
        reference: Reference = "local_world_aligned",
        space: Space | None = None,
        machine: Machine = CPU,
    ) -> Any:
        """The outputs of one of the MAPS at checked arguments."""
        space = space or self.space
        if branch is None:
            return machine.run(program(name, self.legs, space, reference, self.size, self._usual))(X, *vectors)
        values = machine.send(self._branch(machine.host(branch)))  # of telescopic legs checked, and no input
        compiled = program(name, self.legs, space, reference, self.size)
        return machine.run(compiled)(X, *vectors, *[values] * self.legs.has_branches)

    @lazy
    def _usual(self) -> tuple[float, ...]:
        """The default branches; none if no leg has several."""
        usual = tuple(float(min(self.usual_branch, leg.branches - 1)) for leg in self.legs)
        return usual if self.legs.has_branches else ()

    def _branch(self, branch: Any) -> Array:
        if branch is None:
            return np.array(self._usual or [0.0] * self.n)
        array = real_array("branch", branch, self.n, why="0 or 1 for each leg")
        most = np.array([leg.branches - 1 for leg in self.legs])
        if (bad := ~((array == 0.0) | (array == most))).any():
            k = int(np.argwhere(bad)[0][-1])
            raise ArgumentError(f"branch of leg {k} is {array[bad][0]:g}; a {self.legs[k].kind} leg has "
                                f"{'branch 0' if most[k] == 0 else 'branches 0 and 1'}")  # fmt: skip
        return array

    @lazy
    def gain_sizes(self) -> Array:
        """(n,): the gains of the legs at their best."""
        return np.array([leg.gain_size for leg in self.legs])

    def __repr__(self) -> str:
        kinds = ", ".join(sorted({leg.kind for leg in self.legs}))
        return f"<{type(self).__name__} {self.design}: {self.n} legs {kinds}>"


def _times(T: Array, w: Any) -> Array:
    """Tᵀ w: wrenches about the middle of the platform's pivots."""
    return np.asarray(np.swapaxes(T, -1, -2) @ np.asarray(w))
