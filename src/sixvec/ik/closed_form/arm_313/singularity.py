"""Singular configurations of the 313 structure: four families.  Bruyninckx §7.19.2 announces them without equations."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sixvec.constraints import constraint_of_twists
from sixvec.ik.closed_form.arm_313.geometry import Arm313
from sixvec.ik.closed_form.arm_313.position import wrist_from_shoulder
from sixvec.ik.closed_form.arm_313.velocity import hand_from_wrist, null_vector, wrist_twists
from sixvec.ik.closed_form.arm_321.singularity import ArmSingularity
from sixvec.ik.closed_form.arm_input import require_angles
from sixvec.scalar import Scalar, sin, sqrt
from sixvec.spatial import Motion

NAMES = ("arm-extended", "shoulder-locked", "wrist-locked", "shoulder-and-wrist-extended")
"""s4 = 0;  s2 = 0 and c3 = 0;  s6 = 0 and c5 = 0;  s2 = 0 and s6 = 0."""


def volume(arm: Arm313, q: Sequence[Scalar]) -> Scalar:
    """√det(J Jᵀ) = l2 l3 L |sin q4| |n|, with L from shoulder to wrist and n the null vector: zero where J loses rank.

    The six-by-six minors of J are the entries of n times one factor.  As n vanishes in the last three sets alone,
    there are no singularities besides the four sets.

    >>> from sixvec.ik.closed_form.arm_313 import Arm313, volume
    >>> volume(Arm313(0.36, 0.42, 0.40, 0.126), (0.3, 0.5, -0.4, 0.0, 0.2, 0.7, -0.6))
    0.0
    """
    n = null_vector(arm, q)
    line = wrist_from_shoulder(arm, q).norm()
    return arm.l2 * arm.l3 * line * abs(sin(q[3])) * sqrt(sum((x * x for x in n), 0.0))


def singularity(arm: Arm313, q: Sequence[float], tolerance: float = 1e-9) -> ArmSingularity:
    """The singular sets that q lies on, the rank of J, the wrenches carried and the twists lost.

    A straight shoulder or wrist alone is not singular, nor is the wrist above the shoulder: the self-motion replaces
    the lost motion.  It cannot if the middle axis of the straight joint is normal to the elbow's, so that rotation
    about the line from shoulder to wrist has no component along the missing direction.

    >>> import math
    >>> from sixvec.ik.closed_form.arm_313 import Arm313, singularity
    >>> arm = Arm313(0.36, 0.42, 0.40, 0.126)
    >>> singularity(arm, (0.3, 0.0, 0.5, 0.9, 0.2, 0.7, 0.1)).rank
    6
    >>> singularity(arm, (0.3, 0.0, math.pi / 2.0, 0.9, 0.2, 0.7, 0.1)).sets
    ('shoulder-locked',)
    """
    require_angles(q, 7, "313")
    s2, s4, s6 = (abs(math.sin(q[i])) <= tolerance for i in (1, 3, 5))
    c3, c5 = (abs(math.cos(q[i])) <= tolerance for i in (2, 4))
    sets = tuple(n for n, here in zip(NAMES, (s4, s2 and c3, s6 and c5, s2 and s6), strict=True) if here)
    carried = constraint_of_twists(wrist_twists(arm, tuple(map(float, q))), arm.reach).wrenches.basis
    r = hand_from_wrist(arm, q)
    # In units of the arm's reach, the twist with the same six numbers as a wrench does work on that wrench and, the
    # wrenches being orthogonal in these units, on no other.
    square = arm.reach * arm.reach
    lost = (Motion(w.ang, w.lin * square).shifted(r) for w in carried)
    return ArmSingularity(sets, 6 - len(carried), tuple(w.shifted(r) for w in carried), tuple(lost))
