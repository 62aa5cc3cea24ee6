"""Why an arm has no closed form: the geometric obstacle, with the names of the joints."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.recognise import PARALLEL, Geometry, Triple, freedoms, spread
from sixvec.quoting import joined

FAMILIES = "6R with three neighbouring axes that meet or are parallel; three joints of any kind next to a spherical \
wrist; three slides with up to three turns; planar arms with two or three joints, and SCARA; three joints that place a \
tip; 7R with spherical shoulder and wrist"


def reason(shape: Geometry) -> str:
    """One sentence that names the obstacle, what was found, and what would be solvable."""
    return f"{_obstacle(shape)}. Found: {shape}. Solvable: {FAMILIES}"


def _obstacle(shape: Geometry) -> str:
    chain, n = shape.chain, len(shape.chain)
    if n == 0:
        return "no joint moves it"
    if "coincide" in shape.pairs:
        i = shape.pairs.index("coincide")
        return f"{chain.names[i]} and {chain.names[i + 1]} turn about the same line: one of them is redundant"
    slides = [i for i, kind in enumerate(chain.kinds) if kind == "P"]
    if len(slides) > 3:
        return f"{listed(chain, slides)} all slide: three slides reach every position, so lock the rest"
    if n > 6:
        return f"{n} joints are more than six{_seven(shape)}; lock {n - 6} of them with locked={{name: position}}"
    if len(slides) == 3:
        return _three_slides(chain, slides)
    if n == 6:
        return _six(shape)
    if n == 3:
        return f"{listed(chain, range(3))} can not move the tip in every direction, and do not move in one plane either"
    if n == 2:
        return f"{listed(chain, range(2))} do not move in one plane, so the tip reaches a curved surface only"
    if n == 1:
        return f"one joint, {chain.names[0]}, moves the tip along a curve: there is nothing to choose"
    return f"{n} joints cannot reach every pose, and do not move in one plane either; use numerical inverse kinematics"


def _seven(shape: Geometry) -> str:
    if shape.chain.kinds != "RRRRRRR":
        return ""
    apart = [t for t in (0, 4) if Triple(t, parallel=False) not in shape.triples]
    return "".join(f", and {_apart(shape.chain, t)}" for t in apart)


def _three_slides(chain: SerialChain, slides: Sequence[int]) -> str:
    turning = [i for i, kind in enumerate(chain.kinds) if kind == "R"]
    for i, j in pairwise(turning):
        if np.linalg.norm(np.cross(chain.axes[i], chain.axes[j])) < PARALLEL:
            return f"{listed(chain, (i, j))} turn about parallel axes, so one of them is redundant with three slides"
    return f"{listed(chain, slides)} slide in one plane: no slide leads out of it"


def _six(shape: Geometry) -> str:
    chain = shape.chain
    if (rank := freedoms(chain)) < 6:
        return _fewer_freedoms(shape, rank)
    if chain.kinds == "RRRRRR":
        why = "no three neighbouring revolute axes meet or are parallel (Pieper's test), so there is no closed form"
        return f"{why}: " + "; ".join(_apart(chain, t) for t in range(4))
    ends = [t for t in (3, 0) if chain.kinds[t : t + 3] == "RRR"]
    if not ends:
        order = f"six joints in the order {chain.kinds} (R turning, P sliding)"
        return f"{order} have no three turns in a row at either end that could meet in a wrist"
    return "six joints with a slide need a spherical wrist at one end: " + "; ".join(_apart(chain, t) for t in ends)


def _fewer_freedoms(shape: Geometry, rank: int) -> str:
    """Six joints that move the frame in fewer directions, at every position."""
    coordinates = {0: range(3, 6), 3: range(3)}
    many = "so a pose that can be reached has infinitely many solutions"
    for t in reversed(shape.triples):
        if not t.parallel and t.first in coordinates:
            block = listed(shape.chain, range(t.first, t.first + 3))
            others = listed(shape.chain, coordinates[t.first])
            return f"{block} meet in one point, which {others} cannot move in every direction, {many}"
    return f"the six joints move the frame in {rank} directions at most, {many}"


def _apart(chain: SerialChain, first: int) -> str:
    """The distance of three adjacent axes from a common point."""
    joints = tuple(range(first, first + 3))
    for i, j in pairwise(joints):
        if np.linalg.norm(np.cross(chain.axes[i], chain.axes[j])) < PARALLEL:
            return f"{listed(chain, joints)} do not meet, since {listed(chain, (i, j))} are parallel"
    _, off = spread(chain, joints)
    return f"{listed(chain, joints)} stay {_length(2.0 * off)} apart"


def _length(metres: float) -> str:
    return f"{metres:.3g} m" if metres >= 0.1 else f"{1e3 * metres:.3g} mm"


def listed(chain: SerialChain, joints: Sequence[int]) -> str:
    """Names of joints in a sentence: a, b and c."""
    return joined([chain.names[i] for i in joints])
