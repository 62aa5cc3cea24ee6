"""Whether constraints determine the motion at a state as they do along it."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.constrained_motion import HARD, row_system
from sixvec.algorithms.parts.known_rank import ConstraintSystem
from sixvec.mechanism.row_rank import row_rank
from sixvec.model import Model
from sixvec.model.held_frame import Held
from sixvec.verdict import Verdict


@kernel("q -> verdict[]", loops="enforced", mimic="handled")
def constraint_verdict(model: Model, q: JointVector, hold: tuple[Held, ...] = ()) -> Any:
    """SINGULAR where the rank of loops and held frames is lower at q than along the motion, else SOLVED.

    At such a state, a dead point or one where branches of the motion meet, accelerations and forces of
    `constrained_dynamics` are not unique.  It is singular to the tolerance of loops: where the smallest pivot of
    A M⁻¹ Aᵀ is below 1e-10 of the rows' size, which is a relative singular value of 1e-5.

    >>> import sixvec
    >>> from sixvec.ik import Verdict
    >>> arm = sixvec.load("planar_2r")
    >>> print(Verdict(int(arm.constraint_verdict([0.3, 0.0], hold={"tip": "point"}))))
    singular
    """
    rank = row_rank(model, hold)
    solver, _, _ = row_system(model, q, rank.of_used(constraint_jacobian(model, q, hold=hold)), rank, HARD)
    assert isinstance(solver, ConstraintSystem)
    return solver.is_singular() * float(Verdict.SINGULAR)
