"""Motion operators: DRIVE, ROTATE, SLIDE and STEER, as vector fields with exact flows, and their commutators."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError, DegenerateError
from sixvec.kernels import Port
from sixvec.kernels.any_arrays import any_arrays_same_dtype, differentiable
from sixvec.kernels.function import CompiledFunction
from sixvec.mobile.kind import fixed_constraints, null_twists
from sixvec.mobile.least_slip import SLIPLESS, WheelLayout
from sixvec.mobile.odometry import arc
from sixvec.mobile.planar import PlanarTwist
from sixvec.mobile.steering import Ackermann
from sixvec.mobile.vector_field import VectorField
from sixvec.mobile.wheel import Direction, SteeredWheel, named
from sixvec.scalar import Scalar, cos, sin

if TYPE_CHECKING:
    from sixvec.mobile.platform import Platform


@lru_cache(256)
def _flow(operator: MotionOperator, n: int) -> CompiledFunction:
    def flow(q: Sequence[Scalar], amount: Scalar) -> list[Scalar]:
        # An operator either moves or steers, so its twist is constant along its flow.
        moved = arc(q[:3], operator.twist(q[3:]), amount)
        return [*moved, *(a + amount * operator.steer for a in q[3:])]

    return CompiledFunction(flow, (Port("q", (n,)), Port("amount", ())), (Port("end", (n,)),))


class MotionOperator(VectorField):
    """A field that moves the platform with a twist in the platform frame, or turns the steering.

    >>> import sixvec
    >>> do = sixvec.mobile.differential_drive(0.5, 0.1).operators
    >>> do["drive"].name
    'drive'
    """

    def __init__(self, name: str, twist: Callable[[Sequence[Scalar]], PlanarTwist], steer: float = 0.0) -> None:
        """`twist` is a function of the steering coordinates that follow (x, y, φ) in q."""
        self.twist, self.steer = twist, steer
        super().__init__(self._law, name)

    def _law(self, q: Sequence[Scalar]) -> list[Scalar]:
        t = self.twist(q[3:])
        c, s = cos(q[2]), sin(q[2])
        return [c * t.x - s * t.y, s * t.x + c * t.y, t.ang, *([self.steer] * len(q[3:]))]

    @any_arrays_same_dtype
    @differentiable(lambda self, q, amount: _flow(self, q.shape[-1])(q, amount))
    def move(self, q: ArrayLike, amount: ArrayLike) -> Array:
        """The configurations (..., n) after the operator has run for an amount (...), exactly."""
        return self._moved(q, amount)

    def _moved(self, q: ArrayLike, amount: ArrayLike) -> Array:
        """On NumPy arrays."""
        q = real_array(f"{self.name}: q", q, "n ≥ 3", why="(x, y, φ, steering)")
        amount = real_array(f"{self.name}: amount", amount)
        return np.asarray(_flow(self, q.shape[-1])(q, amount))

    def __repr__(self) -> str:
        return f"<MotionOperator {self.name}>"


def operators_of(platform: Platform) -> dict[str, VectorField]:
    """`Platform.operators`."""
    if platform.steered and isinstance(platform.steering, Ackermann):
        return _steered(partial(_car, platform.steering.wheelbase, platform.steering.axle))
    C, layout = fixed_constraints(platform), WheelLayout.of(platform)
    free = null_twists(platform)
    if len(platform.steered) == 1 and len(free) == 2:
        return _steered(_tricycle(C[0], platform.steered[0], layout))
    plain = {"drive": (0.0, 1.0, 0.0), "slide": (0.0, 0.0, 1.0), "rotate": (1.0, 0.0, 0.0)}
    rolled = {name: t for name, t in plain.items() if _rolls(C, np.array(t), layout)}
    if len(rolled) < len(free):
        rolled = {f"motion{k}": tuple(t) for k, t in enumerate(free)}
    return {name: MotionOperator(name, partial(_constant, PlanarTwist.of(t))) for name, t in rolled.items()}


def _rolls(C: Array, twist: Array, layout: WheelLayout) -> bool:
    """Whether a twist slips by no more than what counts as rolling."""
    return bool(np.linalg.norm(C @ twist) <= SLIPLESS * np.sqrt(len(C)) * np.linalg.norm(layout.motions(twist)))


def _steered(driven: Callable[[Sequence[Scalar]], PlanarTwist]) -> dict[str, VectorField]:
    return {
        "drive": MotionOperator("drive", driven),
        "steer": MotionOperator("steer", partial(_constant, PlanarTwist(0.0, 0.0, 0.0)), 1.0),
    }


def _tricycle(line: Array, wheel: SteeredWheel, layout: WheelLayout) -> Callable[[Sequence[Scalar]], PlanarTwist]:
    """The motion allowed by two axles, one fixed and one steered: their lines' cross product, of unit size ahead."""
    ahead = _product(line.tolist(), wheel, wheel.direction())
    size = math.copysign(math.hypot(*ahead), ahead.x)
    if not np.linalg.norm(layout.motions(np.array(list(ahead)))) > SLIPLESS * layout.size:
        raise DegenerateError(f"{named(wheel)} is on the line of the fixed axle: steering it turns nothing")
    return partial(_between_axles, line.tolist(), wheel, size)


def _between_axles(line: list[float], wheel: SteeredWheel, size: float, steer: Sequence[Scalar]) -> PlanarTwist:
    return _product(line, wheel, wheel.direction((cos(steer[0]), sin(steer[0])))) * (1.0 / size)


def _product(line: list[float], wheel: SteeredWheel, d: Direction) -> PlanarTwist:
    side = wheel.lateral(d)
    assert side is not None
    (a, b, c), (p, q, r) = line, side
    return PlanarTwist(b * r - c * q, c * p - a * r, a * q - b * p)


def _car(length: float, axle: float, steer: Sequence[Scalar]) -> PlanarTwist:
    bend = sin(steer[0]) / (cos(steer[0]) * length)
    return PlanarTwist(bend, 1.0, -bend * axle)


def _constant(t: PlanarTwist, steer: Sequence[Scalar]) -> PlanarTwist:
    return t


@any_arrays_same_dtype
def commutator(f: VectorField, g: VectorField, q: ArrayLike, a: ArrayLike, b: ArrayLike) -> Array:
    """The end of q after f by a, g by b, f by -a, g by -b, in this order: to lowest order  a b [f, g]  away.

    A platform moves in its own frame, so this is written  g⁻¹ f⁻¹ g f  if operators act to their right.

    >>> import sixvec
    >>> from sixvec.mobile import commutator
    >>> do = sixvec.mobile.differential_drive(0.5, 0.1).operators
    >>> commutator(do["drive"], do["rotate"], [0.0, 0.0, 0.0], 0.1, 0.2).round(8).tolist()  # slides to the right
    [0.00199334, -0.01986693, 0.0]
    """
    for operator in (f, g):
        if not isinstance(operator, MotionOperator):
            shown = getattr(operator, "name", repr(operator))
            raise ArgumentError(f"{shown} has no exact flow: give motion operators of a platform")
    assert isinstance(f, MotionOperator) and isinstance(g, MotionOperator)
    a, b = real_array("a", a), real_array("b", b)
    for operator, amount in ((f, a), (g, b), (f, -a), (g, -b)):
        q = operator._moved(q, amount)
    return np.asarray(q)
