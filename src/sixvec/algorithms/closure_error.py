"""How far the loops of a mechanism are from being closed."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.parts.closure_loop import Loop
from sixvec.algorithms.parts.closure_rows import rows_of
from sixvec.model import Closure, Model
from sixvec.scalar import Scalar


@kernel("q -> e[nconstraints]", loops="described")
def closure_error(model: Model, q: JointVector) -> Any:
    """The position errors of all closures, zero where every loop is closed:  f(q) = 0  (Bruyninckx (5.1), §5.5.4).

    A closure has one entry for each motion that its joint prevents, rotations (rad) before translations (m), in axes of
    its first frame; a gear gives  q_follower - ratio · q_leader - offset, a differential  Σ factor · q - offset.
    Closures are in the order of the model.  A hinge with antiparallel axes also counts as closed: start the search from
    a position where they are not antiparallel.

    >>> import sixvec
    >>> bars = sixvec.load("four_bar")
    >>> bars.closure_error(bars.neutral()).round(3).tolist()
    [0.0, 0.0, 0.02, 0.0, 0.0]
    """
    errors: list[Scalar] = []
    for c in model.closures:
        if isinstance(c, Closure):
            X_AB = Loop.of(model, q, c).X_AB
            errors += [row.error(X_AB) for row in rows_of(c.joint)]
        else:
            joints = [(q[model.by_name[body]][0], factor) for body, factor in c.terms]
            errors.append(sum((x * factor for x, factor in joints), -c.offset))
    return errors
