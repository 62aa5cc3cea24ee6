"""The equations of rolling as compiled functions of arrays, one set for each platform."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sixvec.kernels import Iterated, Port
from sixvec.kernels.function import CompiledFunction
from sixvec.mobile.planar import PlanarTwist
from sixvec.mobile.rolling import Lines, rates_of, twist_of, twist_of_shaft
from sixvec.scalar import Scalar, arctan2
from sixvec.spatial.norm import largest_size

if TYPE_CHECKING:
    from sixvec.mobile.platform import Platform

_KEPT = 256


@lru_cache(_KEPT)
def looped(step: CompiledFunction, steps: int, carried: int, each: int = 0, name: str = "") -> Iterated:
    """A step repeated, made once: `Iterated`."""
    return Iterated(step, steps, carried, each, name=name)


@lru_cache(_KEPT)
def wrench_basis(platform: Platform) -> CompiledFunction:
    def wrench_basis(steer: Sequence[Scalar]) -> Any:
        lines = Lines.of(platform.rolling, platform.steering, steer)
        return [list(row) for row in zip(*lines.traction, *lines.lateral, strict=True)]

    n = len(platform.line_names)
    return CompiledFunction(wrench_basis, (_steer(platform),), (Port("G", (3, n)),))


@lru_cache(_KEPT)
def forward_velocity(platform: Platform) -> CompiledFunction:
    def forward_velocity(rates: Sequence[Scalar], steer: Sequence[Scalar]) -> Any:
        twist, slip = twist_of(platform.rolling, platform.steering, steer, rates)
        driven = [w for w in platform.rolling if w.driven]
        return twist, slip, largest_size(slip), largest_size([r * w.radius for r, w in zip(rates, driven, strict=True)])

    inputs = (Port("rates", (len(platform.rate_names),)), _steer(platform))
    outputs = (Port("twist", (3,)), Port("slip", (len(platform.line_names),)), Port("residual", ()), Port("speed", ()))
    return CompiledFunction(forward_velocity, inputs, outputs)


@lru_cache(_KEPT)
def shaft_velocity(platform: Platform) -> CompiledFunction:
    def shaft_velocity(rate: Scalar, steer: Sequence[Scalar]) -> Any:
        twist, slip = twist_of_shaft(platform.rolling, platform.steering, steer, rate)
        radius = max(w.radius for w in platform.rolling if w.driven)
        return twist, slip, largest_size(slip), largest_size([rate * radius])

    sideways = len(platform.line_names) - len(platform.rate_names)
    outputs = (Port("twist", (3,)), Port("slip", (sideways,)), Port("residual", ()), Port("speed", ()))
    return CompiledFunction(shaft_velocity, (Port("rate", ()), _steer(platform)), outputs)


@lru_cache(_KEPT)
def wheel_angles(platform: Platform) -> CompiledFunction:
    def wheel_angles(steer: Sequence[Scalar]) -> Any:
        return [arctan2(s, c) for c, s in platform.steering.directions(platform.steered, steer)]

    return CompiledFunction(wheel_angles, (_steer(platform),), (Port("angles", (len(platform.steered),)),))


@lru_cache(_KEPT)
def inverse_velocity(platform: Platform, follow: bool) -> CompiledFunction:
    def inverse_velocity(twist: Sequence[Scalar], steer: Sequence[Scalar]) -> Any:
        t = PlanarTwist.of(twist)
        angles = platform.steering.following(platform.steered, t) if follow else steer
        rates, slip = rates_of(platform.rolling, platform.steering, angles, t)
        speeds = [v for w in platform.rolling for v in t.at(w.x, w.y)]
        return rates, angles, slip, largest_size(slip), largest_size(speeds)

    n, driven = len(platform.line_names), len(platform.rate_names)
    outputs = (
        Port("rates", (driven,)), Port("steer", (len(platform.steering_names),)), Port("slip", (n - driven,)),
        Port("residual", ()), Port("speed", ()),
    )  # fmt: skip
    return CompiledFunction(inverse_velocity, (Port("twist", (3,)), _steer(platform)), outputs)


def _steer(platform: Platform) -> Port:
    return Port("steer", (len(platform.steering_names),))
