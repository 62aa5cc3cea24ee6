"""A robot whose dynamics respect the rolling of its wheels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms import REGISTRY
from sixvec.algorithms.parts.singular import require_mass
from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.errors import ShapeError
from sixvec.kernels.any_arrays import any_arrays
from sixvec.kernels.derivative import named_tuple
from sixvec.kernels.kernel import Kernel
from sixvec.kernels.store import find_algorithm
from sixvec.lazy import lazy
from sixvec.mobile.platform import Platform
from sixvec.mobile.rolling_algorithms import RollingEffect, effect_of, refused, with_rolling_rows
from sixvec.model import Model
from sixvec.robot import Robot
from sixvec.solve.decomposition import pseudo_inverse
from sixvec.spatial import Pose
from sixvec.verdict import Verdict

if TYPE_CHECKING:
    from sixvec.algorithms.parts.held_frames import Rolling


PLATFORM = "platform"
"""The name of the platform's body, joint and frame."""

SLIPPING = 1e-6
"""An acceleration slips if A a + γ is larger than this fraction of its terms, and than this many m/s²; a hundred times
as much in single precision."""


@dataclass(frozen=True, eq=False, repr=False)
class DrivingForces(Result):
    """Forces of the motors (..., motors) and of the rolling (..., rows) for a motion; NaN if the motion slips."""

    tau: Array
    force: Array
    residual: Array
    """The largest part (...) that motors and ground cannot provide, N m or N."""
    slip: Array
    """A a + γ (..., rows), m/s²: the acceleration of the slip."""
    verdict: NDArray[np.int8]
    """SOLVED, UNREACHABLE if `a` slips, INVALID if it is not finite."""

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def __repr__(self) -> str:
        solved = self.verdict == Verdict.SOLVED
        left = float(np.max(np.asarray(self.residual)[solved], initial=0.0))
        slip = "" if solved.all() else f", {int((~solved).sum())} of {solved.size} slip"
        return f"<DrivingForces: residual up to {left:.3g}{slip}>"


class RollingRobot(Robot):
    """A robot with wheels that roll: motions do not slip, and the ground provides the necessary forces.

    Forward dynamics, its derivatives, rollouts and all that takes `hold` include the rows of `rolling`, after those of
    loops and before those of `hold`; inverse dynamics gives the motor forces beyond those of the ground.  Terms of the
    mechanism (places, rates, energies, mass matrix, bias) are the same without wheels.  Everything else is refused, by
    method, kernel and `evaluate` alike: it would be that of a robot that slides, which `sliding` has
    (`sixvec.mobile.rolling_algorithms`).

    >>> import numpy, sixvec
    >>> from sixvec.mobile import RollingRobot
    >>> cart = sixvec.mobile.mount(sixvec.load("planar_2r"), sixvec.mobile.mecanum(0.6, 0.4, 0.05), numpy.eye(4))
    >>> isinstance(cart, RollingRobot), cart.nv
    (True, 5)
    """

    platform: Platform

    @property
    def rolling(self) -> Mapping[str, Rolling]:
        raise NotImplementedError

    @lazy
    def sliding(self) -> Robot:
        """The same robot without the rolling: it slides freely."""
        return Robot.of(self._kernels)

    @classmethod
    def on(cls, mechanism: Model, platform: Platform) -> Self:
        """The robot with this mechanism and this platform's wheels."""
        robot = cls(mechanism)
        robot.platform = platform
        return robot

    def with_gravity(self, gravity: Sequence[Any]) -> Self:
        """The same robot on wheels under another gravity."""
        return self.on(self.sliding.with_gravity(gravity).model, self.platform)

    def with_frame(self, name: str, on: str, pose: Pose | Sequence[Sequence[Any]] | None = None) -> Self:
        """The same robot on wheels with one more frame."""
        return self.on(self.sliding.with_frame(name, on, pose).model, self.platform)

    def with_limits(self, joint: str, **limits: Any) -> Self:
        """The same robot on wheels with other limits of one joint."""
        return self.on(self.sliding.with_limits(joint, **limits).model, self.platform)

    def verify(self, *, samples: int = 20, peers: bool = True) -> Any:
        """`Robot.verify` of the mechanism, whose identities are those of a robot that slides."""
        return self.sliding.verify(samples=samples, peers=peers)

    def motor_basis(self, q: ArrayLike) -> Array:
        """B (..., nv, motors): the generalised forces of unit motor forces."""
        raise NotImplementedError

    @any_arrays
    def slip(self, q: ArrayLike, v: ArrayLike) -> Array:
        """The slip of the wheels along each row of the rolling (..., rows), m/s; zero if they roll.

        The rows are those of `constraint_names()` after the loops.
        """
        v = real_array("v", v, self.nv, why=f"{self.name} has nv = {self.nv}")
        return np.asarray((self._rows(q, self._unshared) @ v[..., None])[..., 0])

    @any_arrays
    def rolling_velocity(self, q: ArrayLike, v: ArrayLike) -> Array:
        """The velocity nearest to v, in the metric of the mass matrix, at which all wheels roll and no loop opens."""
        v = real_array("v", v, self.nv, why=f"{self.name} has nv = {self.nv}")
        require_mass(self.model)
        A = np.asarray(self.sliding.constraint_jacobian(q, hold=self.rolling))
        back = np.linalg.solve(np.asarray(self.mass_matrix(q)), np.swapaxes(A, -1, -2))
        return np.asarray(v - (back @ (pseudo_inverse(A @ back) @ (A @ v[..., None])))[..., 0])

    @any_arrays
    def driving_forces(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, **options: Any) -> DrivingForces:
        """Inverse dynamics of rolling: forces of the motors alone, and of the ground, for an acceleration a (..., nv).

        The acceleration must satisfy rolling:  A a + γ = 0.  For one that slips (`SLIPPING`) forces are NaN, `slip` has
        the acceleration of the slip, and the verdict is UNREACHABLE.  The part that motors and ground cannot provide is
        the residual, N m.  Of several solutions the one of least norm is returned.
        """
        needed = np.asarray(self.sliding.inverse_dynamics(q, v, a, **options), float)
        found, B = self._shared(q, needed)
        slip, slips = self._slipping(q, v, a)
        residual = np.abs((B @ found[..., None])[..., 0] - needed).max(axis=-1)
        found = np.where(slips[..., None], np.nan, found)
        n = B.shape[-1] - self._rows(q).shape[-2]
        verdict = np.where(slips, Verdict.UNREACHABLE, Verdict.SOLVED)
        verdict = np.where(np.isfinite(needed).all(axis=-1), verdict, Verdict.INVALID).astype(np.int8)
        return DrivingForces(found[..., :n], found[..., n:], residual, slip, verdict)

    def _slipping(self, q: Any, v: Any, a: Any) -> tuple[Array, NDArray[np.bool_]]:
        """A a + γ (..., rows), and whether `a` slips (...)."""
        a = real_array("a", a, self.nv, why=f"{self.name} has nv = {self.nv}")
        A, gamma = self._rows(q), np.asarray(self.sliding.constraint_bias(q, v, hold=self.rolling))[..., self._loops :]
        slip = (A @ a[..., None])[..., 0] + gamma
        least = SLIPPING if A.dtype == np.float64 else 100.0 * SLIPPING
        most = least * np.maximum((np.abs(A) @ np.abs(a)[..., None])[..., 0] + np.abs(gamma), 1.0)
        return slip, (np.abs(slip) > most).any(axis=-1)

    def _shared(self, q: Any, needed: Array) -> tuple[Array, Array]:
        """Forces of motors and ground for joint forces, and the matrix that maps them to joint forces."""
        A, motors = self._rows(q), self.motor_basis(q)
        lead = np.broadcast_shapes(A.shape[:-2], motors.shape[:-2])
        parts = [np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (motors, np.swapaxes(A, -1, -2))]
        B = np.concatenate(parts, axis=-1)
        return (pseudo_inverse(B) @ needed[..., None])[..., 0], B

    def _rows(self, q: Any, wheels: Mapping[str, Rolling] | None = None) -> Array:
        hold = self.rolling if wheels is None else wheels
        return np.asarray(self.sliding.constraint_jacobian(q, hold=hold))[..., self._loops :, :]

    @lazy
    def _unshared(self) -> dict[str, Rolling]:
        """The wheels with all of their slip, also that of the motion with the least."""
        return {name: replace(r, shared=None) for name, r in self.rolling.items()}

    @property
    def _loops(self) -> int:
        """Rows of the loops, which precede those of the wheels."""
        return sum(c.constraints for c in self.model.closures)

    if not TYPE_CHECKING:  # the signatures are those of Robot's methods, which are generated

        def forward_dynamics(self, q, v, tau, external=None, external_reference="local", passive=False, *, out=None):
            """Accelerations under joint forces tau while the wheels roll: those of `constrained_dynamics`.

            Where wheels cannot roll together they are those that slip least; its `residual` is not zero then.
            """
            acting = {"external": external, "external_reference": external_reference, "passive": passive}
            if not self.rolling:
                return self.sliding.forward_dynamics(q, v, tau, out=out, **acting)
            a = self.constrained_dynamics(q, v, tau, **acting).a
            return a if out is None else _into(out, a, "forward_dynamics", "a")

        def forward_dynamics_derivatives(
            self, q, v, tau, external=None, external_reference="local", passive=False, *, out=None
        ):
            """∂a/∂q, ∂a/∂v and ∂a/∂tau while the wheels roll: the first parts of `constrained_dynamics_derivatives`."""
            acting = {"external": external, "external_reference": external_reference, "passive": passive}
            if not self.rolling:
                return self.sliding.forward_dynamics_derivatives(q, v, tau, out=out, **acting)
            parts = self.constrained_dynamics_derivatives(q, v, tau, **acting)[:3]
            name = "forward_dynamics_derivatives"
            outputs = REGISTRY[name].outputs
            if out is not None:
                names = [o.name for o in outputs]
                if not isinstance(out, tuple | list) or len(out) != len(names):
                    raise ShapeError(f"{name}: out must hold {len(names)} arrays ({', '.join(names)})")
                parts = [_into(*each) for each in zip(out, parts, [name] * len(names), names, strict=True)]
            return named_tuple(name, outputs)(*parts)

        @any_arrays
        def inverse_dynamics(self, q, v, a, external=None, external_reference="local", passive=False, *, out=None):
            """Joint forces that produce rolling accelerations `a`, at the motors where possible.

            The part of the tree's joint forces carried by the ground is omitted: forward dynamics returns `a`.
            Accelerations that slip (`SLIPPING`) have no forces: their samples are NaN; `driving_forces` has the slip.
            """
            acting = {"external": external, "external_reference": external_reference, "passive": passive}
            needed = self.sliding.inverse_dynamics(q, v, a, **acting)
            if self.rolling:
                force, _ = self._shared(q, np.asarray(needed, float))
                A = self._rows(q)
                ground = np.swapaxes(A, -1, -2) @ force[..., force.shape[-1] - A.shape[-2] :, None]
                rolled = np.asarray(needed - ground[..., 0], np.asarray(needed).dtype)
                needed = np.where(self._slipping(q, v, a)[1][..., None], np.nan, rolled).astype(rolled.dtype)
            return needed if out is None else _into(out, needed, "inverse_dynamics", "tau")

        aba, rnea = forward_dynamics, inverse_dynamics

    def kernel(self, name: str, *, external: Sequence[str] = (), **options: Any) -> Kernel:
        """`Robot.kernel` while the wheels roll: their rows come before those of `hold`."""
        _, options = self._with_rows(name, (), options)
        return super().kernel(name, external=external, **options)

    def evaluate(self, name: str, *scalars: Any, **options: Any) -> Any:
        """`Robot.evaluate` while the wheels roll: their rows come before those of `hold`."""
        scalars, options = self._with_rows(name, scalars, options)
        return super().evaluate(name, *scalars, **options)

    def _with_rows(self, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The arguments of an algorithm, with the wheels; an error if it would slide."""
        algorithm = find_algorithm(name)
        effect = effect_of(algorithm) if self.rolling else RollingEffect.NONE
        if effect is RollingEffect.REFUSED:
            raise refused(name, self.name)
        if effect is RollingEffect.NONE:
            return args, options
        return with_rolling_rows(algorithm, self.model, self.rolling, args, options)


def _of_wheels(name: str) -> Any:
    def method(self: RollingRobot, *args: Any, **options: Any) -> Any:
        args, options = self._with_rows(name, args, options)
        return getattr(self.sliding, name)(*args, **options)

    method.__name__, method.__doc__ = name, f"`Robot.{name}` while the wheels roll, or an error if it cannot."
    return method


def _refused(name: str) -> Any:
    def method(self: RollingRobot, *args: Any, **options: Any) -> Any:
        if self.rolling:
            raise refused(name, self.name)
        return getattr(self.sliding, name)(*args, **options)

    method.__name__, method.__doc__ = name, f"`Robot.{name}`, for platforms whose wheels do not constrain them."
    return method


for _algorithm in REGISTRY.values():
    if effect_of(_algorithm) is not RollingEffect.NONE:
        for _name in {_algorithm.name, *_algorithm.aliases} - {*vars(RollingRobot)}:
            setattr(RollingRobot, _name, _of_wheels(_name))

for _name in (
    "forward_dynamics_second_derivatives",
    "inverse_dynamics_second_derivatives",
    "with_parameters",
    "with_payload",
):
    setattr(RollingRobot, _name, _refused(_name))


def _into(out: Any, found: Array, where: str, name: str) -> Array:
    """`found`, written to the array that the caller gave."""
    if not isinstance(out, np.ndarray) or (out.dtype, out.shape) != (found.dtype, found.shape):
        given = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ShapeError(f"{where}: out for {name} must be a {found.dtype} array {found.shape}, not {given}")
    out[...] = found
    return out
