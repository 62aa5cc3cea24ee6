"""All poses of platforms with more legs than freedoms: those of as many legs at which the others close as well."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, islice

import numpy as np

from sixvec.arguments import Array
from sixvec.parallel.assembly_modes import AssemblyModes
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.pivot_spheres import missing, spheres
from sixvec.verdict import Verdict

CLOSED, OPEN = 1e-9, 1e-6
"""The largest error of a leg that closes, and the least of one that surely does not, in sizes of the platform."""

CHOICES = 12
"""Sets of legs that are tried where the first ones do not hold the platform."""


def consistent_modes(
    robot: ParallelRobot, q: Array, solve: Callable[[ParallelRobot, Array], AssemblyModes]
) -> AssemblyModes:
    """The modes for one sample q (n).  As the list of fewer legs is complete, this one is.

    Positions that disagree leave no pose; `forward_position` finds the nearest one.
    """
    count = robot.space.freedoms
    for chosen in islice(combinations(range(robot.n), count), CHOICES):
        few = ParallelRobot([robot.legs[k] for k in chosen], robot.space)
        modes = solve(few, q[list(chosen)])
        if not modes.self_motion:
            break
    centre, radius = (np.asarray(x) for x in spheres(robot.legs)(q))
    X = robot.space.checked(modes.poses, "assembly_modes") if modes.count else modes.poses
    errors = (
        missing(robot, X, np.broadcast_to(centre, (len(X), *centre.shape)), np.broadcast_to(radius, (len(X), robot.n)))
        if modes.count else np.zeros((0, robot.n))
    )  # fmt: skip
    worst = errors.max(axis=-1, initial=0.0)
    closes = worst <= CLOSED * robot.size
    clear = bool((closes | (worst > OPEN * robot.size)).all())
    none = Verdict.UNREACHABLE if modes.certified and clear else Verdict.NOT_CONVERGED
    closed = int(closes.sum())
    return AssemblyModes(
        modes.poses[closes], closed, modes.complex_count, bool(modes.certified) and clear,
        tuple(label for label, c in zip(modes.labels, closes, strict=True) if c),
        float(worst[closes].max(initial=0.0)), modes.self_motion, q,
        Verdict.SOLVED if closed or modes.self_motion else (modes.verdict if modes.verdict else none),
        modes.leg, modes.other, robot,
    )  # fmt: skip
