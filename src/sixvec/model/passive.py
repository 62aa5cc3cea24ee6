"""Passive forces beyond the parameters of a joint: friction as any function, 6x6 springs."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sixvec.errors import FrameNotFound, ModelError, unknown
from sixvec.model.body import Body
from sixvec.scalar import Scalar
from sixvec.spatial.pose import Pose
from sixvec.tolerances import EQUAL

Resistance = Callable[[Sequence[Scalar], Sequence[Scalar]], Sequence[Scalar]]
"""(q, v) of one joint -> a force for each of its freedoms, positive against positive velocities."""

_SIX = 6


@dataclass(frozen=True, slots=True, init=False)
class FrictionLaw:
    """Friction of one joint, named by its body, as a function of its position and velocity: tau = -resistance(q, v).

    The function is run on symbols, as algorithms are: it is written with the functions of `sixvec.scalar` (`where`
    instead of `if` on numbers) and becomes part of every program with `passive=True`.  It is added to the parameters in
    `JointDynamics`.  Any law is possible: a constant, Stribeck's curve, friction that grows with the load or towards
    the end of the stroke (Bruyninckx §1.1).

    >>> import sixvec
    >>> from dataclasses import replace
    >>> from sixvec.model import FrictionLaw
    >>> from sixvec.scalar import sqrt
    >>> arm = sixvec.load("planar_2r")
    >>> law = FrictionLaw("link2", lambda q, v: [0.5 * v[0] / sqrt(v[0] * v[0] + 0.01)])
    >>> rubbing = sixvec.Robot(replace(arm.model, passive=(law,)))
    >>> rubbing.passive_forces([0.0, 0.0], [1.0, 1.0]).round(3).tolist()
    [0.0, -0.498]
    """

    bodies: tuple[str, ...]
    """The body of the joint; where a joint is split into several, all of them in the order of the freedoms."""
    resistance: Resistance

    def __init__(self, body: str | tuple[str, ...], resistance: Resistance) -> None:
        object.__setattr__(self, "bodies", (body,) if isinstance(body, str) else tuple(body))
        object.__setattr__(self, "resistance", resistance)


@dataclass(frozen=True, slots=True)
class BodySpring:
    """A spring between two frames, with a symmetric 6x6 stiffness in the second one's axes: the flexibility of a link.

    With X the pose of `second` in `first` and t = log(rest⁻¹ X), the six numbers of the displacement (rotation vector;
    translation), it stores ½ tᵀ K t and pulls with the wrench that is minus the gradient, at large displacements too.
    For small ones that is  w = -K t.  A flexible link is two bodies with a free (or any other) joint and this spring
    between them (Bruyninckx §1.1: flexibility lumped at a body point).  `stiffness` is anything with six rows of six
    numbers, angular first: an array, or `Stiffness(…).as_matrix()`.
    """

    first: str
    second: str
    stiffness: tuple[tuple[float, ...], ...]
    rest: Pose = field(default_factory=Pose.identity)

    def __post_init__(self) -> None:
        rows = tuple(tuple(map(float, row)) for row in self.stiffness)
        if [len(row) for row in rows] != [_SIX] * _SIX:
            raise ModelError(f"{self}: the stiffness must have six rows of six numbers")
        numbers = [x for row in rows for x in row]
        if not all(math.isfinite(x) for x in numbers):
            raise ModelError(f"{self}: the stiffness has an entry that is not finite")
        size = max(map(abs, numbers))
        if any(abs(rows[i][j] - rows[j][i]) > EQUAL * size for i in range(_SIX) for j in range(i)):
            raise ModelError(f"{self}: the stiffness must be symmetric, or the spring would make work of nothing")
        object.__setattr__(self, "stiffness", rows)

    def __str__(self) -> str:
        return f'spring between "{self.first}" and "{self.second}"'


Passive = FrictionLaw | BodySpring


def renamed_passive(p: Passive, body: Callable[[str], str], frame: Callable[[str], str]) -> Passive:
    """The same with other names of bodies and frames."""
    if isinstance(p, FrictionLaw):
        return FrictionLaw(tuple(map(body, p.bodies)), p.resistance)
    return replace(p, first=frame(p.first), second=frame(p.second))


def kept_passive(passive: Sequence[Passive], moving: set[str], frames: set[str]) -> tuple[Passive, ...]:
    """Those whose joints still move, or whose frames still exist."""
    return tuple(
        p for p in passive
        if (set(p.bodies) <= moving if isinstance(p, FrictionLaw) else {p.first, p.second} <= frames)
    )  # fmt: skip


def validate_passive(
    passive: Sequence[Passive], bodies: Mapping[str, Body], frames: Collection[str], where: str
) -> None:
    """Raise an error for laws of joints that are not independent, and springs between unknown frames."""
    for p in passive:
        if isinstance(p, BodySpring):
            for name in (p.first, p.second):
                if name not in frames:
                    raise FrameNotFound(unknown("frame", name, frames, where))
            continue
        for name in p.bodies:
            if name not in bodies:
                raise ModelError(unknown("body", name, bodies, where) + " (in a friction law)")
            if not bodies[name].joint.nv or bodies[name].mimic:
                why = "mimics another" if bodies[name].mimic else "does not move"
                raise ModelError(f'{where}: the joint of "{name}" {why}; a friction law needs one that moves itself')
