"""Trailers behind a platform: any number, hitched on the axle or behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, common_batch, one_number, positive_number, real_array
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, ModelError
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import any_arrays_same_dtype, differentiable
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.mobile.controllability import controllability
from sixvec.mobile.inputs import as_twist, require_platform
from sixvec.mobile.kernels import looped
from sixvec.mobile.odometry import arc, histories
from sixvec.mobile.operators import MotionOperator
from sixvec.mobile.planar import PlanarPose, PlanarTwist
from sixvec.mobile.platform import Platform
from sixvec.mobile.rolling import twist_of
from sixvec.mobile.trailing import fastest_turn, hinges_after, substeps
from sixvec.mobile.vector_field import Controllability, VectorField
from sixvec.scalar import Scalar, cos, sin

_MOST_PARTS = 2e7
"""Parts of all steps of a history, at most: half a gigabyte of rates."""


@dataclass(frozen=True)
class Trailer:
    """One axle, `length` behind the hitch, which is `hitch` behind the axle in front: 0 for on-axle.

    >>> from sixvec.mobile import car
    >>> car(3.0, 1.8).with_trailer(hitch=0.5, length=6.0).trailers
    (Trailer(hitch=0.5, length=6.0),)
    """

    hitch: float
    length: float

    def __post_init__(self) -> None:
        if not 0.0 < one_number("the length of a trailer", self.length, "metres") < math.inf:
            raise ModelError(f"the length of a trailer is {self.length}; it must be positive and finite, in metres")
        if not math.isfinite(one_number("the hitch of a trailer", self.hitch, "metres")):
            raise ModelError(f"the hitch of a trailer is at {self.hitch}; it must be finite, in metres behind the axle")

    def pulled(self, angle: Scalar, v: Scalar, omega: Scalar, slip: Scalar = 0.0) -> tuple[Scalar, Scalar]:
        """Speed and turning rate of the trailer: the velocity of the hitch, along the trailer and across it."""
        across = slip - omega * self.hitch
        c, s = cos(angle), sin(angle)
        return v * c - across * s, (v * s + across * c) / self.length


@dataclass(frozen=True, eq=False, repr=False)
class TruckPath(Result):
    """Poses (..., steps, 3) of the platform and angles (..., steps, trailers) of the hinges, after each step."""

    pose: Array
    angles: Array


@lru_cache(128)
def _rates_kernel(truck: Truck) -> CompiledFunction:
    def rates(angles: Sequence[Scalar], twist: Sequence[Scalar]) -> Any:
        return truck._rates(angles, PlanarTwist.of(twist))

    n = len(truck.trailers)
    inputs = (Port("angles", (n,)), Port("twist", (3,)))
    return CompiledFunction(rates, inputs, (Port("rates", (n,)), Port("speeds", (n,))))


@dataclass(frozen=True)
class Truck:
    """A platform with trailers.  Its configuration is (x, y, φ, hinge angles); an angle is φ in front minus φ behind.

    >>> import sixvec
    >>> truck = sixvec.mobile.differential_drive(0.5, 0.1).with_trailer(hitch=0.0, length=0.8)
    >>> truck.angle_rates([0.3257], [0.4, 1.0, 0.0]).round(4).tolist()
    [0.0]
    """

    platform: Platform
    trailers: tuple[Trailer, ...]

    def __post_init__(self) -> None:
        require_platform(self.platform, "a truck")
        trailers = self.trailers
        if not isinstance(trailers, tuple) or not trailers or not all(isinstance(t, Trailer) for t in trailers):
            raise ModelError(f"the trailers of a truck must be a tuple of Trailer, at least one, not {trailers!r}")

    def __reduce__(self) -> Any:
        return Truck, (self.platform, self.trailers)

    def __repr__(self) -> str:
        many = "1 trailer" if len(self.trailers) == 1 else f"{len(self.trailers)} trailers"
        return f"<Truck: {self.platform.name} with {many}>"

    def with_trailer(self, hitch: float = 0.0, *, length: float) -> Truck:
        """One more behind the last."""
        return Truck(self.platform, (*self.trailers, Trailer(hitch, length)))

    def _rates(self, angles: Sequence[Scalar], twist: PlanarTwist) -> tuple[list[Scalar], list[Scalar]]:
        """Rates of the hinge angles and speeds of the trailers."""
        v, omega, slip = twist.x, twist.ang, twist.y
        rates, speeds = [], []
        for trailer, angle in zip(self.trailers, angles, strict=True):
            v, turned = trailer.pulled(angle, v, omega, slip)
            rates.append(omega - turned)
            speeds.append(v)
            omega, slip = turned, 0.0
        return rates, speeds

    @any_arrays_same_dtype
    @differentiable(lambda self, angles, twist: _rates_kernel(self)(angles, twist)[0])
    def angle_rates(self, angles: ArrayLike, twist: ArrayLike) -> Array:
        """The rates of the hinge angles (..., trailers) for a twist (..., 3) of the platform."""
        return np.asarray(_rates_kernel(self)(self._angles(angles), as_twist(twist))[0])

    @any_arrays_same_dtype
    @differentiable(lambda self, angles, twist: _rates_kernel(self)(angles, twist)[1])
    def speeds(self, angles: ArrayLike, twist: ArrayLike) -> Array:
        """The speed (..., trailers) of each trailer along its own heading."""
        return np.asarray(_rates_kernel(self)(self._angles(angles), as_twist(twist))[1])

    @any_arrays_same_dtype
    def poses(self, pose: ArrayLike, angles: ArrayLike) -> Array:
        """Poses (..., trailers, 3) of the axles of the trailers."""
        pose = real_array("pose", pose, 3, why="a planar pose is (x, y, φ)")
        angles = self._angles(angles)
        poses, (x, y, heading) = [], np.moveaxis(pose, -1, 0)
        for trailer, angle in zip(self.trailers, np.moveaxis(angles, -1, 0), strict=True):
            x, y = x - trailer.hitch * np.cos(heading), y - trailer.hitch * np.sin(heading)
            heading = heading - angle
            x, y = x - trailer.length * np.cos(heading), y - trailer.length * np.sin(heading)
            poses.append(np.stack(np.broadcast_arrays(x, y, heading), axis=-1))
        return np.stack(poses, axis=-2)

    @any_arrays_same_dtype
    def steady_angles(self, curvature: ArrayLike) -> Array:
        """Hinge angles (..., trailers) of a steady circle with the curvature (...) of the platform's path, 1/m.

        With r the radius, the next trailer has  √(r² + hitch² - length²): it cuts the corner if its hitch is nearer
        to the axle in front than to its own.  NaN if the circle is too narrow for the trailer.
        """
        bend = real_array("curvature", curvature)
        angles = []
        with np.errstate(divide="ignore", invalid="ignore"):
            for t in self.trailers:
                # sin(angle) - bend hitch cos(angle) = bend length, times the radius
                size = np.hypot(1.0, bend * t.hitch)
                angle = np.arctan2(bend * t.hitch, 1.0) + np.arcsin(bend * t.length / size)
                angles.append(angle)
                bend = bend / (np.cos(angle) + bend * t.hitch * np.sin(angle))
        return np.stack(angles, axis=-1)

    @any_arrays_same_dtype
    def steady_radii(self, curvature: ArrayLike) -> Array:
        """Radii (..., trailers) of the circles of the axles of the trailers in a steady circle.

        NaN from the first trailer that the circle is too narrow for: those behind have nothing to follow.
        """
        radii = []
        with np.errstate(divide="ignore", invalid="ignore"):
            square = 1.0 / real_array("curvature", curvature) ** 2
            for t in self.trailers:
                square = square + t.hitch**2 - t.length**2
                square = np.where(square < 0.0, np.nan, square)
                radii.append(np.sqrt(square))
        return np.stack(radii, axis=-1)

    @any_arrays_same_dtype
    def jackknifed(self, angles: ArrayLike, limit: float = math.pi / 2) -> NDArray[np.bool_]:
        """Whether each hinge is folded beyond the limit: pulling straightens it only below 90°."""
        return np.asarray(np.abs(self._angles(angles)) >= positive_number("limit", limit, "radians"))

    @any_arrays_same_dtype
    def odometry(
        self, rates: ArrayLike, dt: float, pose0: ArrayLike, angles0: ArrayLike, steer: ArrayLike | None = None
    ) -> TruckPath:
        """Poses and hinge angles from wheel rates (..., steps, wheels), in one compiled loop.

        The platform moves along exact arcs, and the first hinge has a closed form on them, for steps of any length.
        Trailers behind it are integrated by the classical Runge-Kutta method, in parts of a step that are short for
        all of them (`sixvec.mobile.trailing`).
        """
        each = histories(self.platform, rates, steer)
        if real_array("dt", dt).ndim or not 0.0 < one_number("dt", dt, "seconds") < np.inf:
            raise ArgumentError(f"dt is {dt}; the trailers take one positive number, in seconds, for all steps")
        pose0 = real_array("pose0", pose0, 3, why="a planar pose is (x, y, φ)")
        angles = self._angles(angles0)
        parts = self._parts(float(dt), each)
        if (parts == parts.flat[0]).all():
            return TruckPath(*self._rolled(int(parts.flat[0]), pose0, angles, float(dt), each))
        axes = [1, 1, *[2] * len(each)]
        arrays = [pose0, angles, *each]
        leads = [x.shape[: x.ndim - n] for x, n in zip(arrays, axes, strict=True)]
        batch = common_batch("odometry", leads, ["pose0", "angles0", "rates", "steer"][: len(leads)])
        arrays = [np.broadcast_to(x, (*batch, *x.shape[len(a) :])) for x, a in zip(arrays, leads, strict=True)]
        parts = np.broadcast_to(parts, batch)
        steps = each[0].shape[-2]
        poses, hinges = np.empty((*batch, steps, 3)), np.empty((*batch, steps, len(self.trailers)))
        for many in np.unique(parts):  # every history has the parts that it needs alone
            same = parts == many
            start, at, *others = (x[same] for x in arrays)
            poses[same], hinges[same] = self._rolled(int(many), start, at, float(dt), others)
        return TruckPath(poses, hinges)

    def _parts(self, dt: float, each: list[Array]) -> Array:
        """The number of parts of each step (...); an error if there are too many."""
        if len(self.trailers) == 1:
            return np.ones(())
        parts = substeps(np.asarray(_fastest(self)(*each)), dt)
        if parts.max(initial=1.0) * each[0].shape[-2] > _MOST_PARTS:
            raise ArgumentError(
                f"dt is {dt} s, too long for the trailers: at these speeds a step has {parts.max():.3g} parts, and all "
                f"{each[0].shape[-2]} steps may have {_MOST_PARTS:.0e}; give shorter steps"
            )
        return parts

    def _rolled(self, parts: int, pose: Array, angles: Array, dt: float, each: list[Array]) -> tuple[Array, Array]:
        """Poses and angles after each step, which is done in equal parts."""
        if parts > 1:
            each = [np.repeat(x, parts, axis=-2) for x in each]
        path = looped(_step(self), each[0].shape[-2], 2, len(each))(pose, angles, dt / parts, *each)
        return path[2][..., parts - 1 :: parts, :], path[3][..., parts - 1 :: parts, :]

    @lazy
    def operators(self) -> dict[str, VectorField]:
        """The fields of the platform on (x, y, φ, steering, hinge angles)."""
        return {name: self._field(name, f) for name, f in self.platform.operators.items()}

    def _field(self, name: str, f: VectorField) -> VectorField:
        assert isinstance(f, MotionOperator)
        return VectorField(partial(self._law, f, 3 + self._steering), name)

    @property
    def _steering(self) -> int:
        """The number of steering angles in a configuration."""
        return len(self.platform.steering_names) if self.platform.kind.steerability == 1 else 0

    def _law(self, f: MotionOperator, index: int, q: Sequence[Scalar]) -> list[Scalar]:
        return [*f.at(q[:index]), *self._rates(q[index:], f.twist(q[3:index]))[0]]

    def controllability(self, q: ArrayLike, depth: int | None = None) -> Controllability:
        """The rank of the Lie algebra at a configuration, by brackets of up to `depth` fields.

        Trailers on the axle are controllable everywhere, but with all hinges at 90° only brackets of 3, 5, 8, 13, …
        fields show it for one, two, three, four, … of them (Fibonacci numbers: Jean 1996).  The default is enough for
        three; beyond, the verdict there is "undecided".
        """
        at, n = real_array("q", q, "n ≥ 1", batch=False), len(self.trailers)
        if self._steering and len(at) > 3:
            self.platform.checked_steer(at[3 : 3 + self._steering])
        usual = max(n + 4, 8) if n > 2 else n + 4
        return controllability(list(self.operators.values()), at, usual if depth is None else depth)

    def last_axle(self, q: Sequence[Scalar]) -> list[Scalar]:
        """The position of the last axle at a configuration: the output of the chained form of on-axle trailers."""
        X = PlanarPose.of(q[:3])
        for t, angle in zip(self.trailers, q[len(q) - len(self.trailers) :], strict=True):
            X = X @ PlanarPose(-t.hitch, 0.0, 1.0, 0.0) @ PlanarPose.of([0.0, 0.0, -angle])
            X = X @ PlanarPose(-t.length, 0.0, 1.0, 0.0)
        return [X.x, X.y]

    def _angles(self, angles: Any) -> Array:
        return real_array("angles", angles, len(self.trailers), why=f"there are {len(self.trailers)} trailers")


@lru_cache(128)
def _fastest(truck: Truck) -> CompiledFunction:
    base = truck.platform

    def fastest(rates: Any, steer: Any = ()) -> Any:
        return fastest_turn(twist_of(base.rolling, base.steering, steer, rates)[0], truck.trailers)

    return CompiledFunction(fastest, _each(base), (Port("fastest", ()),))


def _each(base: Platform) -> tuple[Port, ...]:
    """The inputs of each step."""
    k = len(base.steering_names)
    return (Port("rates", (len(base.rate_names),)), *([Port("steer", (k,))] if k else []))


@lru_cache(128)
def _step(truck: Truck) -> CompiledFunction:
    base, n = truck.platform, len(truck.trailers)

    def step(pose: Any, angles: Any, dt: Scalar, rates: Any, steer: Any = ()) -> Any:
        twist = twist_of(base.rolling, base.steering, steer, rates)[0]
        end, turned = arc(pose, twist, dt), hinges_after(angles, twist, truck.trailers, truck._rates, dt)
        return end, turned, end, turned

    state = (Port("pose", (3,)), Port("angles", (n,)))
    return CompiledFunction(step, (*state, Port("dt", ()), *_each(base)), (*state, *state))
