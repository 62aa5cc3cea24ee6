"""Completing a constraint: from the twists it allows to its constraint wrenches, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sixvec.constraints.constraint import KinematicConstraint, TwistSpace, WrenchSpace
from sixvec.model.joints import Joint
from sixvec.spatial.force import Force
from sixvec.spatial.motion import Motion

SAME_SCREW = 1e-10
"""Screws are dependent when, as unit rows, they leave a singular value below this."""


def constraint_of_twists(twists: Iterable[Motion], length: float = 1.0) -> KinematicConstraint:
    """All wrenches without power on the given twists, together with the twists.

    Dependent twists are replaced by an independent set for the same space.  `length`, in metres, is the scale for a
    unit of rotation in the test of dependence; the spaces themselves do not depend on it.  The basis of the completed
    space is one of many.  Bruyninckx §4.6, §4.13.

    >>> from sixvec.constraints import constraint_of_twists
    >>> from sixvec.spatial import Motion, Vec3
    >>> slide = constraint_of_twists([Motion(Vec3.zero(), Vec3(0.0, 0.0, 1.0))])
    >>> len(slide.wrenches.basis), [abs(w.lin.z) < 1e-12 for w in slide.wrenches.basis]
    (5, [True, True, True, True, True])
    """
    basis, complement = _both_spans(list(twists), length)
    return KinematicConstraint(
        TwistSpace(tuple(Motion.of(row) for row in basis)), WrenchSpace(tuple(Force.of(row) for row in complement))
    )


def constraint_of_wrenches(wrenches: Iterable[Force], length: float = 1.0) -> KinematicConstraint:
    """All twists on which the given wrenches have no power, together with the wrenches.

    >>> from sixvec.constraints import constraint_of_wrenches
    >>> from sixvec.spatial import Force, Vec3
    >>> constraint_of_wrenches([Force(Vec3.zero(), Vec3(0.0, 0.0, 1.0))]).freedom
    5
    """
    # Forces scale the other way: a moment is divided by the length that multiplies a rotation.
    basis, complement = _both_spans(list(wrenches), 1.0 / length)
    return KinematicConstraint(
        TwistSpace(tuple(Motion.of(row) for row in complement)), WrenchSpace(tuple(Force.of(row) for row in basis))
    )


def constraint_of_joint(joint: Joint, q: Sequence[float]) -> KinematicConstraint:
    """The twists and constraint wrenches of a joint at position q, in the coordinates of its body.

    >>> from sixvec.constraints import constraint_of_joint
    >>> from sixvec.model.joints import Revolute
    >>> constraint_of_joint(Revolute(), [0.3]).freedom
    1
    """
    return constraint_of_twists(joint.subspace(q))


def _both_spans(screws: Sequence[Iterable[Any]], length: float) -> tuple[list[list[float]], list[list[float]]]:
    """An independent set for the span of the screws, and one for its reciprocal space."""
    scale = np.array([length] * 3 + [1.0] * 3)
    span: Any = np.array([[*s] for s in screws], float).reshape(-1, 6)
    rows = span * scale
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(sizes > 0.0, sizes, 1.0)
    _, singular, directions = np.linalg.svd(rows)
    rank = int((singular > SAME_SCREW).sum())
    # The pairing Σ sᵢ wᵢ is invariant if a screw is scaled and its dual divided.
    basis = span if rank == len(screws) else directions[:rank] / scale
    return basis.tolist(), (directions[rank:] * scale).tolist()
