"""A mobile platform: a list of wheels, and everything that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError, ModelError
from sixvec.kernels.any_arrays import any_arrays_same_dtype, differentiable
from sixvec.lazy import lazy
from sixvec.mobile import kernels
from sixvec.mobile.answer import CasterRates, EquivalentLegs, LineForces, PlatformVelocity, WheelRates
from sixvec.mobile.ball_wheel import BallWheel, separate_rollers
from sixvec.mobile.controllability import controllability
from sixvec.mobile.inputs import as_twist, steering_inputs
from sixvec.mobile.kind import Kind, fixed_constraints, kind_of
from sixvec.mobile.least_slip import HOLDING, FreeMotions, WheelLayout, free_motions
from sixvec.mobile.odometry import OdometryPath, odometry
from sixvec.mobile.operators import operators_of
from sixvec.mobile.steering import Independent, Steering
from sixvec.mobile.vector_field import Controllability, VectorField
from sixvec.mobile.wheel import Caster, FixedWheel, SteeredWheel, Wheel
from sixvec.solve.decomposition import weight_factor
from sixvec.solve.weighted_solution import nearest_solution

if TYPE_CHECKING:
    from sixvec.mobile.trailer import Truck

_MISSING = 1e-8
"""The part of a wrench, relative to its largest entry, that is more than rounding."""


@dataclass(frozen=True)
class Platform:
    """A rigid platform on wheels.  Its frame has x forward and y to the left; twists are (ω, vx, vy) in it.

    `rates` are those of the driven wheels, in the order of the list (`rate_names`), rad/s; `steer` are the inputs of
    the steering (`steering_names`), rad: an angle for every steered wheel, unless a linkage couples them.  `wheels` has
    the two rollers of a `BallWheel` in its place.

    >>> from sixvec.mobile import FixedWheel, Platform
    >>> base = Platform([FixedWheel(0.0, 0.25, radius=0.1), FixedWheel(0.0, -0.25, radius=0.1)])
    >>> base.forward_velocity([7.0, 12.0]).twist.round(12).tolist()
    [1.0, 0.95, 0.0]
    """

    wheels: tuple[Wheel, ...]
    steering: Steering
    name: str

    def __init__(
        self, wheels: Sequence[Wheel | BallWheel], steering: Steering | None = None, name: str = "platform"
    ) -> None:
        if not isinstance(name, str):
            raise ModelError(f"the name of a platform must be a text, not {name!r}")
        if not isinstance(wheels, Iterable) or isinstance(wheels, str):
            raise ModelError(f"{name} needs wheels, a list of them, not {wheels!r}")
        named = tuple(wheels)
        for w in named:
            if not isinstance(w, FixedWheel | BallWheel | Caster):
                kinds = "FixedWheel, SteeredWheel, OmniWheel, BallWheel or Caster"
                raise ModelError(f"{name}: {w!r} is not a wheel: give {kinds}")
        if steering is not None and not all(callable(getattr(steering, f, None)) for f in ("inputs", "directions")):
            raise ModelError(f"{name}: steering must be Independent() or Ackermann(wheelbase), not {steering!r}")
        named = tuple(w if w.name else replace(w, name=f"wheel{i}") for i, w in enumerate(named))
        object.__setattr__(self, "wheels", separate_rollers(named))
        object.__setattr__(self, "steering", steering or Independent())
        object.__setattr__(self, "name", name)
        self._check()

    def _check(self) -> None:
        if not self.rolling:
            raise ModelError(f"{self.name} has no wheel that guides it: give a fixed, steered or omni wheel")
        names = [w.name for w in self.wheels]
        if twice := sorted({n for n in names if names.count(n) > 1}):
            raise ModelError(f'{self.name} has several wheels of the name "{twice[0]}"')
        C, layout = fixed_constraints(self), WheelLayout.of(self)
        motions = free_motions(layout, C)
        if not motions.free.any():
            names = [w.name for w in self.rolling if not isinstance(w, SteeredWheel) and w.lateral((1.0, 0.0))]
            still = layout.twists(motions.motions[-1])  # the twist with the least slip for its speed
            slip = ", ".join(f"{n} {x:.3g} m/s" for n, x in zip(names, C @ still, strict=True))
            raise ModelError(
                f"{self.name}: the fixed wheels {', '.join(names)} cannot roll together, since their axles do not meet "
                f"in one point; the motion (ω, vx, vy) = ({', '.join(f'{x:.3g}' for x in still)}), which costs the "
                f"least slip, has {slip} sideways"
            )

    def __reduce__(self) -> Any:
        return Platform, (self.wheels, self.steering, self.name)

    def __repr__(self) -> str:
        return f"<Platform {self.name}: {', '.join(w.name for w in self.wheels)}>"

    @lazy
    def rolling(self) -> tuple[FixedWheel, ...]:
        """The wheels that guide the platform: all but casters."""
        return tuple(w for w in self.wheels if isinstance(w, FixedWheel))

    @lazy
    def casters(self) -> tuple[Caster, ...]:
        return tuple(w for w in self.wheels if isinstance(w, Caster))

    @lazy
    def rate_names(self) -> tuple[str, ...]:
        """The driven wheels."""
        return tuple(w.name for w in self.rolling if w.driven)

    @lazy
    def steered(self) -> tuple[SteeredWheel, ...]:
        return tuple(w for w in self.rolling if isinstance(w, SteeredWheel))

    @lazy
    def steering_names(self) -> tuple[str, ...]:
        """The inputs of the steering."""
        return self.steering.inputs(self.steered) if self.steered else ()

    @lazy
    def line_names(self) -> tuple[str, ...]:
        """Names of the columns of the wrench basis."""
        sideways = (w.name for w in self.rolling if w.lateral((1.0, 0.0)) is not None)
        return (*(f"{n}: rim" for n in self.rate_names), *(f"{n}: sideways" for n in sideways))

    @lazy
    def kind(self) -> Kind:
        """Campion's type: degrees of mobility and steerability, constraints, and how many of them are nonholonomic."""
        return kind_of(self)

    @any_arrays_same_dtype
    @differentiable(lambda self, steer=None: kernels.wrench_basis(self)(self._inputs(steer)))
    def wrench_basis(self, steer: ArrayLike | None = None) -> Array:
        """G (..., 3, n): wrenches (m, fx, fy) of unit forces, at the rims of driven wheels, then along all axles.

        The transpose maps a twist to the speeds of the rims and to the slip: power is the same on both sides.
        For wheels with rollers the line of force is along the roller that touches the ground.
        Bruyninckx (9.10)-(9.12).
        """
        return np.asarray(kernels.wrench_basis(self)(self.checked_steer(steer)))

    def lateral_lines(self, steer: ArrayLike | None = None) -> Array:
        """The constraints (..., n, 3) on twists: no slip along any axle."""
        return self.wrench_basis(steer)[..., len(self.rate_names) :].swapaxes(-1, -2)

    @any_arrays_same_dtype
    @differentiable(
        lambda self, rates, steer=None: self._velocity(kernels.forward_velocity(self)(rates, self._inputs(steer)))
    )
    def forward_velocity(self, rates: ArrayLike, steer: ArrayLike | None = None) -> PlatformVelocity:
        """The twist from the rates (..., driven wheels), rad/s: least squares over rims and axles, with their slip.

        If all wheels can roll it is exact, and the verdict is SOLVED.  Otherwise the twist is that with
        the least sum of squares of slips, and the result names the slipping wheels and their slip.  Where the wheels do
        not determine the twist, its entries are NaN and the verdict is SINGULAR.  Bruyninckx (9.15)-(9.17).
        """
        names = self.rate_names
        rates = real_array("rates", rates, len(names), why=lambda: f"{self.name} drives {', '.join(names)}")
        return self._velocity(kernels.forward_velocity(self)(rates, self.checked_steer(steer)))

    def _velocity(self, results: tuple[Any, ...]) -> PlatformVelocity:
        """A result in the library of its arrays, with the slip along all lines, or along the axles alone."""
        twist, slip, residual, speed = results
        unknown = (twist - twist).sum(-1)  # NaN or 0: lines may all miss what is unknown
        return PlatformVelocity(
            slip, residual + unknown, speed, self.line_names[len(self.line_names) - slip.shape[-1] :], twist
        )

    @any_arrays_same_dtype
    @differentiable(lambda self, rate, steer=None: self._of_shaft(rate, self._inputs(steer)))
    def shaft_velocity(self, rate: ArrayLike, steer: ArrayLike | None = None) -> PlatformVelocity:
        """The twist if a differential gear drives the wheels: `rate` (...) is the mean of theirs, rad/s.

        Bruyninckx (9.17) for the car.

        >>> import sixvec
        >>> sixvec.mobile.car(1.3, 0.8).shaft_velocity(1.0, 0.4).twist[:2].round(4).tolist()
        [0.3252, 1.0]
        """
        if not self.rate_names:
            raise ArgumentError(f"shaft_velocity: {self.name} has no driven wheels")
        rate = real_array("rate", rate)
        return self._of_shaft(rate, self.checked_steer(steer))

    def _of_shaft(self, rate: Any, steer: Any) -> PlatformVelocity:
        return self._velocity(kernels.shaft_velocity(self)(rate, steer))

    @any_arrays_same_dtype
    @differentiable(lambda self, steer: kernels.wheel_angles(self)(self._inputs(steer)))
    def wheel_angles(self, steer: ArrayLike) -> Array:
        """The angle of each steered wheel (..., steered wheels), rad: for a car those of both front wheels.

        >>> import sixvec
        >>> sixvec.mobile.car(2.5, 1.5).wheel_angles(0.4).round(4).tolist()
        [0.4509, 0.3589]
        """
        if not self.steered:
            raise ArgumentError(f"wheel_angles: no wheel of {self.name} is steered")
        return np.asarray(kernels.wheel_angles(self)(self.checked_steer(steer)))

    @any_arrays_same_dtype
    @differentiable(lambda self, twist, steer=None: self._rates(twist, steer, [0.0] * len(self.steering_names)))
    def inverse_velocity(self, twist: ArrayLike, steer: ArrayLike | None = None) -> WheelRates:
        """Rates and steering for a twist (..., 3), and the lateral slip of the twist.

        Without `steer` the steered wheels are turned along their own velocities.  With `steer`, or for a measured
        twist, the same map gives the rates of the wheels and the slip of each.  Bruyninckx (9.13).
        """
        checked = None if steer is None and self.steered else self.checked_steer(steer)
        return self._rates(as_twist(twist), checked, np.zeros(len(self.steering_names)))

    def _rates(self, twist: Any, steer: Any, straight: Any) -> WheelRates:
        """An answer in the library of its arrays; wheels follow if there is no `steer`."""
        follow = steer is None and bool(self.steered)
        inputs = straight if follow else self._inputs(steer)
        rates, angles, slip, residual, speed = kernels.inverse_velocity(self, follow)(twist, inputs)
        names = self.line_names[len(self.rate_names) :]
        limits = tuple(self.steering.limits(self.steered)) if follow else ()
        return WheelRates(slip, residual, speed, names, rates, angles, limits)

    @any_arrays_same_dtype
    def filter(self, twist: ArrayLike, weight: ArrayLike | None = None, steer: ArrayLike | None = None) -> Array:
        """The nearest twist without slip (..., 3), in the metric `weight`, (3) or (3, 3); by default in rad/s and m/s.

        Without `steer` the steered wheels follow and only fixed wheels restrict the motion.  The kinetostatic filter:
        idempotent, and the result satisfies the rolling constraints.  Of wheels that cannot roll together it has
        the least slip for its speed (`rolling_twist`), and is zero if that exceeds `HOLDING`.
        """
        twist, layout = as_twist(twist), WheelLayout.of(self)
        lines = fixed_constraints(self) if steer is None else self.lateral_lines(steer)
        P = free_motions(layout, lines, HOLDING).projector
        F = weight_factor(weight, 3, "twist")
        metric = F @ layout.twists(np.eye(3)).T
        motion, rest = layout.motions(twist), np.eye(3) - P
        change = nearest_solution(rest, -(rest @ motion[..., None])[..., 0], metric)
        return layout.twists(motion + change)

    def free_motions(self, steer: ArrayLike | None = None) -> FreeMotions:
        """The motions that the axles allow at steering angles (..., inputs): those with the least slip for their speed.

        Bruyninckx (9.14).

        >>> import sixvec
        >>> swerve = sixvec.mobile.swerve(0.6, 0.4, 0.05)
        >>> swerve.free_motions([0.0, 0.0, 0.0, 1e-4]).rank  # it drives straight ahead, nearly
        array(2)
        """
        return free_motions(WheelLayout.of(self), self.lateral_lines(steer), HOLDING)

    @any_arrays_same_dtype
    def icr(self, twist: ArrayLike) -> Array:
        """The instantaneous centre of rotation (..., 2) on the platform; infinite for translations, NaN at rest.

        Bruyninckx (9.8).
        """
        twist = as_twist(twist)
        omega, vx, vy = np.moveaxis(twist, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            centre = np.stack([-vy / omega, vx / omega], axis=-1) + 0.0  # no negative zero
        moving = (vx != 0.0) | (vy != 0.0)
        return np.where(np.isnan(centre) & (moving & ~np.isnan(twist).any(axis=-1))[..., None], 0.0, centre)

    @any_arrays_same_dtype
    def rolling_twist(self, steer: ArrayLike | None = None) -> PlatformVelocity:
        """The unit twist with the least slip sideways for its speed: zero if and only if all axles are concurrent.

        The speed is the root mean square of the velocities of all wheels (`sixvec.mobile.least_slip`).  Arms on the
        platform and its dynamics move it along this twist.
        """
        C, layout = self.lateral_lines(steer), WheelLayout.of(self)
        if C.shape[-2] == 0:
            raise ArgumentError(f"{self.name} has no wheel with a lateral constraint: every twist rolls")
        twist = layout.twists(free_motions(layout, C).motions[..., -1, :])
        twist = twist / np.linalg.norm(twist, axis=-1, keepdims=True)
        slip = (C @ twist[..., None])[..., 0]
        speed = np.linalg.norm(layout.motions(twist), axis=-1)
        names = self.line_names[len(self.rate_names) :]
        return PlatformVelocity(slip, np.abs(slip).max(axis=-1), speed, names, twist)

    @any_arrays_same_dtype
    def forward_force(self, forces: ArrayLike, steer: ArrayLike | None = None) -> Array:
        """The wrench (m, fx, fy) that forces (..., n) along the lines apply to the platform: G f.  Bruyninckx (9.9)."""
        G = self.wrench_basis(steer)
        forces = real_array("forces", forces, G.shape[-1], why=f"{self.name} has {G.shape[-1]} lines of force")
        return np.asarray((G @ forces[..., None])[..., 0])

    @any_arrays_same_dtype
    def inverse_force(
        self, wrench: ArrayLike, steer: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> Array:
        """The forces (..., n) along the lines that apply a wrench to the platform; the least ones in `weight`.

        NaN for a wrench that no forces along the lines apply.

        >>> import sixvec
        >>> sixvec.mobile.differential_drive(0.5, 0.1).inverse_force([1.0, 0.0, 0.0]).round(12).tolist()
        [-2.0, 2.0, 0.0, 0.0]
        """
        forces = self.least_forces(wrench, steer, weight)
        return np.where((forces.residual > 0.0)[..., None], np.nan, forces.force)

    @any_arrays_same_dtype
    def least_forces(
        self, wrench: ArrayLike, steer: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> LineForces:
        """The forces (..., n) along the lines whose wrench is nearest, and the part of it that is missing."""
        wrench = real_array("wrench", wrench, 3, why="a planar wrench is (m, fx, fy)")
        G = self.wrench_basis(steer)
        forces = nearest_solution(G, wrench, weight_factor(weight, G.shape[-1], "force"))
        missing = np.abs((G @ forces[..., None])[..., 0] - wrench).max(axis=-1)
        return LineForces(forces, np.where(missing > _MISSING * np.abs(wrench).max(axis=-1), missing, 0.0))

    @any_arrays_same_dtype
    def equivalent_legs(self, steer: ArrayLike | None = None) -> EquivalentLegs:
        """The planar parallel robot with the same velocities.

        A leg lies along each line of force, currently a metre long; a leg along an axle keeps its length.  The
        ground pivots move with the platform, so this robot is valid for velocities but not for positions.
        """
        G = self.wrench_basis(steer)
        m, fx, fy = (G[..., k, :] for k in range(3))
        square = fx**2 + fy**2
        foot = np.stack([m * fy / square, -m * fx / square], axis=-1)
        return EquivalentLegs(foot - np.stack([fx, fy], axis=-1), foot)

    @any_arrays_same_dtype
    def caster_rates(self, twist: ArrayLike, angles: ArrayLike) -> CasterRates:
        """Rolling and swivelling rates of casters that point to `angles` on the platform.

        The wheel trails behind its pivot, so its angle follows the motion and the platform is not constrained.
        """
        twist = as_twist(twist)
        angles = real_array("angles", angles, len(self.casters), why=f"{self.name} has {len(self.casters)} casters")
        return CasterRates.of(self.casters, twist, angles)

    @any_arrays_same_dtype
    def odometry(
        self,
        rates: ArrayLike,
        dt: ArrayLike,
        pose0: ArrayLike = (0.0, 0.0, 0.0),
        *,
        steer: ArrayLike | None = None,
        covariance: ArrayLike | None = None,
        noise: ArrayLike | None = None,
    ) -> OdometryPath:
        """Poses (..., steps, 3) from rates (..., steps, driven wheels), each held for `dt` seconds: exact arcs.

        One compiled loop for whole histories and batches of them.  `dt` is a number, or (..., steps); `steer`
        (inputs) is constant, or (..., steps, inputs).  With `covariance` (..., 3, 3) of the pose at the start
        and `noise`, the standard deviation of the rates (rad/s), independent in every step, the covariance of every
        pose is propagated to first order.  Bruyninckx (9.18).

        >>> import sixvec
        >>> base = sixvec.mobile.differential_drive(0.5, 0.1)
        >>> base.odometry([[7.5, 11.5]], 1.0, [2.0, 1.0, 0.3]).end.round(8).tolist()
        [2.70737849, 1.59581669, 1.1]
        """
        return odometry(self, rates, dt, pose0, steer, covariance, noise)

    @lazy
    def operators(self) -> dict[str, VectorField]:
        """The motions of the platform as vector fields: "drive", "slide", "rotate" on (x, y, φ), as far as possible.

        A car and a tricycle have "drive" and "steer" on (x, y, φ, steering angle).  Several independently steered
        wheels follow.
        """
        return operators_of(self)

    def controllability(self, q: ArrayLike | None = None, depth: int = 6) -> Controllability:
        """The span of operators and brackets of up to `depth` of them at a configuration; by default at zero steering.

        >>> import sixvec
        >>> print(sixvec.mobile.car(1.3, 0.8).controllability().growth)
        (2, 3, 4)
        """
        at = np.zeros(4 if "steer" in self.operators else 3) if q is None else real_array("q", q, "n ≥ 1", batch=False)
        if "steer" in self.operators and len(at) > 3:
            self.checked_steer(at[3:4])
        return controllability(list(self.operators.values()), at, depth)

    def with_trailer(self, hitch: float = 0.0, *, length: float) -> Truck:
        """This platform with a trailer whose axle is `length` behind a hitch, `hitch` behind the platform's frame."""
        from sixvec.mobile.trailer import Trailer, Truck

        return Truck(self, (Trailer(hitch, length),))

    def _inputs(self, steer: Any) -> Any:
        """Steering inputs of any library, with their axis: of one input a number will do."""
        if steer is None:
            return self.checked_steer(None).tolist()  # an error if there are any
        alone = np.ndim(steer) == 0 and len(self.steering_names) == 1
        return (steer[None] if hasattr(steer, "shape") else [steer]) if alone else steer

    def checked_steer(self, steer: ArrayLike | None) -> Array:
        """The steering inputs as an array that fits, within the limits."""
        return steering_inputs(self, steer)
