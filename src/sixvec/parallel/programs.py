"""The kinematic maps of a parallel robot as compiled programs: one for each robot, map and reference."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments.rigid_poses import ROTATION_DEVIATION
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.parallel.leg import Leg, Legs, gain, leverage
from sixvec.parallel.newton import corrected
from sixvec.parallel.space import Space
from sixvec.scalar import Scalar, where
from sixvec.spatial import Vec3
from sixvec.spatial.linear import inverse_and_conditioning, times, transpose
from sixvec.tolerances import RANK

AT_ROOT = 1e-14
"""Length of a telescopic leg, relative to the distances of its pivots from their origins, that is rounding."""

NOT_RIGID = (10.0 * ROTATION_DEVIATION) ** 2
"""The `deviation` of matrices that are not poses."""


def placed(legs: Legs, space: Space, X: Any, branch: Any, reference: Reference) -> tuple[Any, ...]:
    """For each leg: q, its gain, and the wrench of a unit force along its rod."""
    rows = []
    for k, leg in enumerate(legs):
        S = space.pivot(X, leg.platform)
        q = leg.position(S, branch[k] if branch else 0.0)
        e, _ = direction(leg, S, q)
        rows.append((q, gain(leg, q, e), space.force(X, leg.platform, e, reference)))
    return tuple(zip(*rows, strict=True))


def direction(leg: Leg, S: Vec3, q: Scalar) -> tuple[Vec3, Scalar]:
    """The unit vector along the rod towards the platform, and the distance of the pivot from the sphere's centre."""
    d = S - leg.sphere(q)[0]
    length = d.norm()
    if leg.kind == "UPS":  # a pivot on its root has no direction; rounding would give it one
        length = where(length > AT_ROOT * (leg.root.norm() + leg.platform.norm()), length, math.nan)
    return d * (1.0 / length), length


@lru_cache(maxsize=256)
def program(
    name: str, legs: Legs, space: Space, reference: Reference, size: float, fixed: tuple[float, ...] = ()
) -> CompiledFunction:
    """One of the MAPS.  `size` is the length, in metres, equivalent to a radian in the conditioning.

    With `fixed`, the branch of each leg, branches are constants and no input.
    """
    function, inputs, outputs = MAPS[name](legs, space, reference, size)
    branch = (Port("branch", (len(legs),)),) if legs.has_branches and not fixed and name not in UNBRANCHED else ()

    def run(X: Any, *others: Any) -> Any:
        return function(X, others[-1], *others[:-1]) if branch else function(X, fixed, *others)

    run.__name__ = name
    identity = f"parallel {name} {legs} {type(space).__name__} {reference} {size} {fixed}"
    return CompiledFunction(run, (space.port, *inputs, *branch), outputs, identity)


@lru_cache(maxsize=256)
def where_it_exists(
    name: str, legs: Legs, space: Space, reference: Reference, size: float, fixed: tuple[float, ...] = ()
) -> CompiledFunction:
    """The result of a map alone, NaN at poses that are not rigid or at which it does not exist: no value is looked at.

    For derivatives, and for arrays whose values are not known.
    """
    of = program(name, legs, space, reference, size, fixed)

    def run(X: Any, *others: Any) -> Any:
        result, measure = of.function(X, *others)
        exists = where(space.deviation(X) < NOT_RIGID, 1.0, 0.0)
        if name in SOLVED:
            exists = where(measure > RANK**2, exists, 0.0)
        elif name != "inverse_position":
            for leg, x in zip(legs, measure, strict=True):
                exists = where(abs(x) > RANK * leg.gain_size, exists, 0.0)
        rows = result if name == "wrench_basis" else [result]
        values = [[where(exists > 0.5, x, math.nan) for x in row] for row in rows]
        return values if name == "wrench_basis" else values[0]

    run.__name__ = name
    compiled = CompiledFunction(run, of.inputs, of.outputs[:1], f"{of.identity} where it exists")
    compiled.needs_double = True
    return compiled


Map = tuple[Callable[..., Any], tuple[Port, ...], tuple[Port, ...]]


def _inverse_position(legs: Legs, space: Space, reference: Reference, size: float) -> Map:
    def run(X: Any, branch: Any) -> Any:
        return placed(legs, space, X, branch, reference)[0], space.deviation(X)

    return run, (), (Port("q", (len(legs),)), Port("deviation", ()))


def _wrench_basis(legs: Legs, space: Space, reference: Reference, size: float) -> Map:
    def run(X: Any, branch: Any) -> Any:
        _, gains, forces = placed(legs, space, X, branch, reference)
        return transpose([[x / g for x in f] for g, f in zip(gains, forces, strict=True)]), gains

    return run, (), (Port("G", (space.freedoms, len(legs))), Port("gain", (len(legs),)))


def _lines(legs: Legs, space: Space, reference: Reference, size: float) -> Map:
    def run(X: Any, branch: Any) -> Any:
        _, gains, forces = placed(legs, space, X, branch, reference)
        return transpose(forces), gains

    return run, (), (Port("A", (space.freedoms, len(legs))), Port("gain", (len(legs),)))


def _inverse_velocity(legs: Legs, space: Space, reference: Reference, size: float) -> Map:
    def run(X: Any, branch: Any, twist: Any) -> Any:
        _, gains, forces = placed(legs, space, X, branch, reference)
        return [x / g for g, x in zip(gains, times(forces, twist), strict=True)], gains  # Bruyninckx (8.10)

    return run, (Port("twist", (space.freedoms,)),), (Port("qd", (len(legs),)), Port("gain", (len(legs),)))


def _forward_force(legs: Legs, space: Space, reference: Reference, size: float) -> Map:
    def run(X: Any, branch: Any, tau: Any) -> Any:
        _, gains, forces = placed(legs, space, X, branch, reference)
        return times(transpose(forces), [t / g for t, g in zip(tau, gains, strict=True)]), gains  # Bruyninckx (8.8)

    return run, (Port("tau", (len(legs),)),), (Port("w", (space.freedoms,)), Port("gain", (len(legs),)))


def _forward_velocity(legs: Legs, space: Space, reference: Reference, size: float) -> Map:
    def run(X: Any, branch: Any, qd: Any) -> Any:
        gains, forces = _centred(legs, space, X, branch)
        inverse, conditioning = _inverse(legs, space, size, forces)
        twist = times(inverse, [g * x for g, x in zip(gains, qd, strict=True)])  # Bruyninckx (8.23)
        twist = [x * (1.0 / size) if k < space.turns else x for k, x in enumerate(twist)]
        return space.twist_from(X, twist, legs.middles[1], reference), conditioning

    return run, (Port("qd", (len(legs),)),), (Port("twist", (space.freedoms,)), Port("conditioning", ()))


def _inverse_force(legs: Legs, space: Space, reference: Reference, size: float) -> Map:
    def run(X: Any, branch: Any, w: Any) -> Any:
        gains, forces = _centred(legs, space, X, branch)
        inverse, conditioning = _inverse(legs, space, size, forces)
        w = space.wrench_to(X, w, legs.middles[1], reference)
        scaled = [x * (1.0 / size) if k < space.turns else x for k, x in enumerate(w)]
        return [g * f for g, f in zip(gains, times(transpose(inverse), scaled), strict=True)], conditioning

    return run, (Port("w", (space.freedoms,)),), (Port("tau", (len(legs),)), Port("conditioning", ()))


def _newton_step(legs: Legs, space: Space, reference: Reference, size: float) -> Map:
    def run(X: Any, branch: Any, q: Any) -> Any:
        here, (base, platform) = legs.centred, legs.middles
        balls = [leg.sphere(x) for leg, x in zip(here, q, strict=True)]
        X1, _, error = corrected(here, space, size, space.between(X, base, platform), balls)
        return space.between(X1, -base, -platform), error

    return run, (Port("q", (len(legs),)),), (Port("X1", space.port.shape), Port("error", ()))


def _centred(legs: Legs, space: Space, X: Any, branch: Any) -> tuple[Any, Any]:
    """Gains, and wrenches of unit forces along the rods about the middle of the platform's pivots.

    There the conditioning does not depend on where the frames are.
    """
    _, gains, forces = placed(legs.centred, space, space.between(X, *legs.middles), branch, "local_world_aligned")
    return gains, forces


def _inverse(legs: Legs, space: Space, size: float, forces: Any) -> tuple[list[list[Scalar]], Scalar]:
    """The inverse of the scaled rows, and their conditioning; also small if all moments about a ball joint are."""
    rows = _scaled(forces, space, size)
    inverse, conditioning = inverse_and_conditioning(rows)
    if space.only_turns:
        share = sum(x * x for row in rows for x in row) * (1.0 / leverage(legs, size) ** 2)
        conditioning = conditioning * where(share < 1.0, share, 1.0)
    return inverse, conditioning


def _scaled(forces: Any, space: Space, size: float) -> list[list[Scalar]]:
    """Rows with moments in units of force."""
    return [[x * (1.0 / size) if k < space.turns else x for k, x in enumerate(row)] for row in forces]


MAPS: dict[str, Callable[[Legs, Space, Reference, float], Map]] = {
    "inverse_position": _inverse_position,
    "wrench_basis": _wrench_basis,
    "lines": _lines,
    "inverse_velocity": _inverse_velocity,
    "forward_velocity": _forward_velocity,
    "forward_force": _forward_force,
    "inverse_force": _inverse_force,
    "newton_step": _newton_step,
}

UNBRANCHED = ("newton_step",)
"""Maps from actuator positions, which need no branch."""

SOLVED = ("forward_velocity", "inverse_force")
"""Maps that solve the equations of the others: as many legs as freedoms, and a pose that is not singular."""
