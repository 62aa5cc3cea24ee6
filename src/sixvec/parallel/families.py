"""Parallel robots under their names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, number_for_each, real_array, real_number
from sixvec.errors import ArgumentError, ShapeError
from sixvec.ik.machine import machine_of
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.devices import on_devices
from sixvec.lazy import lazy
from sixvec.parallel.design import dimension
from sixvec.parallel.leg import PUS, RUS, UPS, Leg
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Bounds, Planar, Translational
from sixvec.spatial import Vec3

if TYPE_CHECKING:
    from sixvec.parallel.forward_position import ForwardPosition


class StewartGough(ParallelRobot):
    """n telescopic legs (UPS) between pivots `base` and `platform`, (n, 3) each: six legs hold the platform.

    `offsets` (n,) of the encoders: q = length - offset.  `limits` are a pair of smallest and largest q.

    >>> import numpy as np
    >>> from sixvec.parallel import StewartGough
    >>> base = [[1, 0, 0], [-0.5, 0.9, 0], [-0.5, -0.9, 0], [0.9, 0.4, 0], [-0.8, 0.5, 0], [-0.1, -0.9, 0.1]]
    >>> hexapod = StewartGough(base, np.array(base)[[1, 2, 0, 4, 5, 3]] * 0.5)
    >>> X = np.eye(4); X[2, 3] = 1.0
    >>> hexapod.design, hexapod.inverse_position(X).shape, hexapod.wrench_basis(X).shape
    ('6-6', (6,), (6, 6))
    """

    def __init__(
        self, base: ArrayLike, platform: ArrayLike, *, offsets: ArrayLike = 0.0, limits: Bounds = None
    ) -> None:
        a, b = _points("base", base), _points("platform", platform)
        _require_equal(len(a), platform=len(b))
        actuators = _actuators(len(a), offsets, limits)
        rows = zip(a, b, actuators, strict=True)
        super().__init__(_numbered(UPS, [{"base": p, "platform": s, **g} for p, s, g in rows]))


class Parallel321(StewartGough):
    """Six telescopic legs of which three share the platform point t3, two t2 and one t1 (Bruyninckx §8.5).

    `platform` (3, 3) are t3, t2 and t1, in the order of the legs that end there.  The dual of an arm with a wrist:
    forward position in closed form, eight poses.

    >>> from sixvec.parallel import Parallel321
    >>> b = [[1, 0, 0], [-.5, 0, .9], [-.5, 0, -.9], [1.5, 0, 1.2], [.2, 0, 1.9], [1.6, 0, -1.1]]
    >>> Parallel321(b, [[0, 0, 0], [.7, 0, .35], [.55, 0, -.45]]).design
    '321'
    """

    def __init__(
        self, base: ArrayLike, platform: ArrayLike, *, offsets: ArrayLike = 0.0, limits: Bounds = None
    ) -> None:
        a, t = _points("base", base), _points("platform", platform)
        if len(a) != 6 or len(t) != 3:
            raise ShapeError(f"a 321 has 6 base pivots and 3 platform points, not {len(a)} and {len(t)}")
        super().__init__(a, t[[0, 0, 0, 1, 1, 2]], offsets=offsets, limits=limits)

    @property
    def apices(self) -> tuple[Vec3, Vec3, Vec3]:
        """t3, t2 and t1."""
        return self.legs[0].platform, self.legs[3].platform, self.legs[5].platform

    @lazy
    def has_tetrahedron(self) -> bool:
        """Whether the first three base pivots are a triangle; on a line they leave t3 free to turn about it."""
        return dimension(self.roots[:3], self.rounding) == 2


class Hexa(ParallelRobot):
    """n cranks on motors of the base, each with a rod to the platform (RUS).

    `base` and `platform` (n, 3) are the motors and the pivots, `axes` (n, 3) the motor axes, `crank` and `rod` the
    lengths (one each or one for all).  At q = 0 cranks point along `zeros` (n, 3), by default away from the centre of
    the base, perpendicular to the axis.

    >>> import numpy
    >>> from sixvec.parallel import Hexa
    >>> angle = numpy.arange(6) * numpy.pi / 3.0
    >>> ring = numpy.stack([numpy.cos(angle), numpy.sin(angle), 0.0 * angle], axis=-1)
    >>> tangent = numpy.stack([-numpy.sin(angle), numpy.cos(angle), 0.0 * angle], axis=-1)
    >>> robot = Hexa(ring, 0.4 * ring, tangent, 0.5, 1.0)
    >>> X = numpy.eye(4)
    >>> X[2, 3] = -0.7
    >>> numpy.asarray(robot.inverse_position(X)).round(3).tolist()
    [-2.542, -2.542, -2.542, -2.542, -2.542, -2.542]
    """

    def __init__(
        self,
        base: ArrayLike,
        platform: ArrayLike,
        axes: ArrayLike,
        crank: ArrayLike,
        rod: ArrayLike,
        *,
        zeros: ArrayLike | None = None,
        offsets: ArrayLike = 0.0,
        limits: Bounds = None,
    ) -> None:
        super().__init__(_cranks(base, platform, axes, crank, rod, zeros, offsets, limits))


class Hexaglide(ParallelRobot):
    """n sliders on rails of the base, each with a rod to the platform (PUS).

    Slider i is at `origins[i] + axes[i] q`, with unit vectors along `axes` (n, 3).

    >>> import numpy
    >>> from sixvec.parallel import Hexaglide
    >>> angle = numpy.arange(6) * numpy.pi / 3.0
    >>> ring = numpy.stack([numpy.cos(angle), numpy.sin(angle), 0.0 * angle], axis=-1)
    >>> robot = Hexaglide(ring, 0.5 * ring, [[0.0, 0.0, 1.0]] * 6, 0.8)
    >>> X = numpy.eye(4)
    >>> X[2, 3] = -0.5
    >>> numpy.asarray(robot.inverse_position(X)).round(3).tolist()
    [0.124, 0.124, 0.124, 0.124, 0.124, 0.124]
    """

    def __init__(
        self,
        origins: ArrayLike,
        platform: ArrayLike,
        axes: ArrayLike,
        rod: ArrayLike,
        *,
        offsets: ArrayLike = 0.0,
        limits: Bounds = None,
    ) -> None:
        o, b, a = _points("origins", origins), _points("platform", platform), _points("axes", axes)
        _require_equal(len(o), platform=len(b), axes=len(a))
        rods, actuators = _numbers("rod", rod, len(o)), _actuators(len(o), offsets, limits)
        rows = zip(o, b, a, rods, actuators, strict=True)
        super().__init__(
            _numbered(PUS, [{"origin": p, "platform": s, "axis": x, "rod": r, **g} for p, s, x, r, g in rows])
        )


class Delta(ParallelRobot):
    """Three cranks and three rods in parallelograms: a platform that only translates (Clavel's Delta).

    Motors are on a circle of `base_radius` at `angles`, axes tangential so that q > 0 rotates a crank down, cranks
    point outwards at q = 0; the rods end on a circle of `platform_radius`.  Poses are (..., 4, 4) without rotation, or
    positions (..., 3); velocities and forces have three numbers.

    >>> from sixvec.parallel import Delta
    >>> delta = Delta(0.2, 0.05, 0.25, 0.6)
    >>> X = delta.forward_position([0.3, 0.3, 0.3]).pose
    >>> X[:3, 3].round(4).tolist()
    [0.0, 0.0, -0.5308]
    >>> delta.inverse_position(X).q.round(6).tolist()
    [0.3, 0.3, 0.3]
    """

    usual_branch = 1

    def __init__(
        self,
        base_radius: float,
        platform_radius: float,
        crank: ArrayLike,
        rod: ArrayLike,
        *,
        angles: ArrayLike = (0.0, 2.0 * math.pi / 3.0, 4.0 * math.pi / 3.0),
        offsets: ArrayLike = 0.0,
        limits: Bounds = None,
    ) -> None:
        turns = real_array("angles", angles, 3, batch=False, finite=True, why="a Delta has three arms")
        for name, radius in (("base_radius", base_radius), ("platform_radius", platform_radius)):
            if not real_number(name, radius) >= 0.0:
                raise ArgumentError(f"{name} is {radius}; it must not be negative: opposite arms have other angles")
        out = np.array([[math.cos(a), math.sin(a), 0.0] for a in turns])
        axes = np.cross([0.0, 0.0, 1.0], out)
        legs = _cranks(out * base_radius, out * platform_radius, axes, crank, rod, out, offsets, limits)
        super().__init__(legs, Translational())

    @any_arrays_same_dtype
    @on_devices()
    def forward_position(
        self, q: ArrayLike, X0: ArrayLike | None = None, *, tolerance: float = 1e-12, iterations: int = 100
    ) -> ForwardPosition:
        """The pose below the elbows, in closed form; with X0, the pose near it (there is another one above)."""
        if X0 is not None:
            return super().forward_position(q, X0, tolerance=tolerance, iterations=iterations)
        if machine_of(q).is_device:
            raise ArgumentError("forward_position: the closed form computes on the CPU; give X0=, a pose nearby")
        from sixvec.parallel.closed_forms import lower_delta

        return lower_delta(self, real_array("q", q, 3, why="one for each arm"))


class Planar3RPR(ParallelRobot):
    """Three telescopic legs in the plane: `base` and `platform` (3, 2); poses (x, y, φ).

    >>> from sixvec.parallel import Planar3RPR
    >>> robot = Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]])
    >>> robot.inverse_position([1.0, 1.0, 0.0]).round(4).tolist()
    [1.4142, 2.2361, 1.118]
    """

    def __init__(
        self, base: ArrayLike, platform: ArrayLike, *, offsets: ArrayLike = 0.0, limits: Bounds = None
    ) -> None:
        a, b = _points("base", base, True), _points("platform", platform, True)
        actuators = _actuators(3, offsets, limits)
        rows = zip(a, b, actuators, strict=True)
        super().__init__(_numbered(UPS, [{"base": p, "platform": s, **g} for p, s, g in rows]), Planar())


class Planar3RRR(ParallelRobot):
    """Three cranks in the plane, each with a rod to the platform: `base` and `platform` (3, 2); poses (x, y, φ).

    Angles of the cranks are measured from the x axis.

    >>> import numpy
    >>> from sixvec.parallel import Planar3RRR
    >>> robot = Planar3RRR([[0, 0], [4, 0], [2, 3]], [[-0.5, -0.3], [0.5, -0.3], [0, 0.6]], 1.5, 1.5)
    >>> numpy.asarray(robot.inverse_position([2.0, 1.0, 0.0])).round(3).tolist()
    [1.423, -2.592, -0.486]
    """

    def __init__(
        self,
        base: ArrayLike,
        platform: ArrayLike,
        crank: ArrayLike,
        rod: ArrayLike,
        *,
        offsets: ArrayLike = 0.0,
        limits: Bounds = None,
    ) -> None:
        a, b = _points("base", base, True), _points("platform", platform, True)
        axes, zeros = np.tile([0.0, 0.0, 1.0], (3, 1)), np.tile([1.0, 0.0, 0.0], (3, 1))
        super().__init__(_cranks(a, b, axes, crank, rod, zeros, offsets, limits), Planar())


def _cranks(
    base: Any, platform: Any, axes: Any, crank: Any, rod: Any, zeros: Any, offsets: Any, limits: Any
) -> list[Leg]:
    a, b, x = _points("base", base), _points("platform", platform), _points("axes", axes)
    z = a - a.mean(axis=0) if zeros is None else _points("zeros", zeros)
    _require_equal(len(a), platform=len(b), axes=len(x), zeros=len(z))
    lengths, rods = _numbers("crank", crank, len(a)), _numbers("rod", rod, len(a))
    actuators = _actuators(len(a), offsets, limits)
    rows = zip(a, b, x, z, lengths, rods, actuators, strict=True)
    names = ("base", "platform", "axis", "zero", "crank", "rod")
    return _numbered(RUS, [{**dict(zip(names, row[:-1], strict=True)), **row[-1]} for row in rows])


def _numbered(kind: type[Leg], rows: list[dict[str, Any]]) -> list[Leg]:
    """Legs of one kind; errors name the number of the leg."""
    legs: list[Leg] = []
    for k, row in enumerate(rows):
        try:
            legs.append(kind(**row))
        except ArgumentError as problem:
            raise ArgumentError(f"leg {k}: {problem}") from None
    return legs


def _points(name: str, coordinates: ArrayLike, planar: bool = False) -> Array:
    points = real_array(name, coordinates)
    if points.shape[1:] != (3,) or not len(points) if not planar else points.shape != (3, 2):
        needed = "a planar robot has three legs, (3, 2)" if planar else "give a point for each leg, (n, 3)"
        raise ShapeError(f"{name} has shape {points.shape}; {needed}")
    if not np.isfinite(points).all():
        raise ArgumentError(f"{name}[{int(np.argwhere(~np.isfinite(points))[0][0])}] is not finite")
    return np.pad(points, ((0, 0), (0, 1))) if planar else points


def _require_equal(n: int, **counts: int) -> None:
    for name, count in counts.items():
        if count != n:
            raise ShapeError(f"{name} has {count} rows for {n} legs; give one for each leg")


def _numbers(name: str, values: Any, n: int) -> list[float]:
    return [float(x) for x in number_for_each(name, values, n, "legs")]


def _actuators(n: int, offsets: Any, limits: Any) -> list[dict[str, float]]:
    try:
        low, high = (-math.inf, math.inf) if limits is None else limits
    except (TypeError, ValueError):
        raise ArgumentError(f"limits are {limits!r}; give (smallest, largest) positions of the actuators") from None
    rows = zip(_numbers("offsets", offsets, n), _numbers("limits", low, n), _numbers("limits", high, n), strict=True)
    return [{"offset": o, "lower": a, "upper": b} for o, a, b in rows]
