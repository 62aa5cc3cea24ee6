"""Accelerations under given joint forces in a mechanism with loops and held frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.closure_error import closure_error
from sixvec.algorithms.constraint_terms import constraint_bias, constraint_jacobian, shared_slip
from sixvec.algorithms.declaration import JointVector, kernel, size
from sixvec.algorithms.parts.constrained_motion import METHODS, Acting, Softness, fewest_operations, reached
from sixvec.algorithms.parts.constrained_motion import least_motion as least_motion  # re-exported
from sixvec.algorithms.parts.external import Wrenches
from sixvec.algorithms.parts.factorization import dot
from sixvec.algorithms.parts.reference import Reference
from sixvec.algorithms.parts.row_weights import is_matrix, require_weight
from sixvec.algorithms.passive_forces import added, passive_forces
from sixvec.errors import ArgumentError, unknown
from sixvec.mechanism.row_rank import row_rank
from sixvec.model import Model
from sixvec.model.held_frame import Held
from sixvec.scalar import Scalar, where


@kernel("q v tau external target -> a force[nrows] residual[]", loops="enforced", mimic="handled")
def constrained_dynamics(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: JointVector,
    external: Wrenches | None = None,
    target: Sequence[Scalar] | None = None,
    hold: tuple[Held, ...] = (),
    external_reference: Reference = "local",
    passive: bool = False,
    method: str = "auto",
    weight: tuple[Any, ...] = (),
    damping: float = 0.0,
    stabilisation: tuple[float, ...] = (),
) -> Any:
    """Accelerations a, and constraint forces:  M a + c = tau + Aᵀ force  with  A a + γ = target.

    The rows of A are those of `constraint_jacobian`: closures and wheels of the model, then frames in `hold`, a
    dictionary from a frame, or a pair of frames, to "weld", "point", "vertical", "vertical slide" or a tuple of
    directions in the frame's axes ("x", "turn z", …) or the world's ("world x", "turn world z", …).  A vector may
    replace the letter: (1, 1, 0), ("turn", (1, 1, 0)), ("turn world", (1, 1, 0)); its length does not matter.  `force`
    acts on the robot along the rows, in N or N m; `residual` is the largest |A a + γ - target|, in m/s² or rad/s².

    `target`, zero by default, is the derivative of A v for every row, whichever others are held with it.  Along an axis
    of the frame, which turns with it, that is the rate of a component of its velocity.  The acceleration of the frame's
    origin along such an axis, larger by u · (ω × v), is the row "acceleration x" or ("acceleration", (1, 1, 0)); along
    an axis of the world the two are the same.

    There are two methods; "auto" selects the one with fewer operations for this robot and these rows.  "recursion" is
    Popov's and Vereshchagin's, O(n) with loops solved where their branches join (`popov_vereshchagin.py`).  "kkt" uses
    M = Lᵀ D L, which keeps the zeros of the tree, so  Z = L⁻ᵀ Aᵀ  has entries on the paths
    of the rows only, and  A M⁻¹ Aᵀ = Zᵀ D⁻¹ Z.  Both solve in proximal form, a fixed number of steps without pivoting,
    so rows may depend on each other: a is unique all the same, and `force` has least norm, each row scaled by its
    mobility.  float32 arrays are computed in double precision.

    Where the rank at this state is lower than along the motion, the result is not unique: `constraint_verdict` says so.
    Loops that are open raise an error, unless `stabilisation` (α, β), in 1/s, closes
    them:  A a + γ = target - 2 α ė - β² e  (Baumgarte 1972), with the rates ė = A v of all rows and the errors e of the
    loops; α = β is critically damped.

    Constraints that cannot be satisfied leave a residual, and their forces have no meaning.  `weight` distributes the
    error e = A a + γ - target:  eᵀ W e  is least, with W a positive number for each row or a positive definite matrix
    of all rows.  With `damping` the constraints are compliant,  e = -damping W⁻¹ force,  and forces stay bounded.  A
    matrix takes "kkt".
    Bruyninckx (6.36)-(6.50); Featherstone (34).

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> q, zeros = robot.neutral() + 0.3, numpy.zeros(7)
    >>> r = robot.constrained_dynamics(q, zeros, zeros, hold={"panda_link8": "point"})
    >>> r.a.shape, r.force.shape, bool(r.residual < 1e-9)
    ((7,), (3,), True)
    """
    rows = size(model, "nrows", hold)
    _check(model.name, rows, method, weight, damping, stabilisation)
    acting = Acting(external, external_reference)
    gamma = constraint_bias(model, q, v, hold=hold)
    right = [-g for g in gamma] if target is None else [b - g for b, g in zip(target, gamma, strict=True)]
    if stabilisation:
        right = _drawn_back(model, q, v, hold, right, *stabilisation)
    soft = Softness.of("constrained_dynamics", weight, damping)
    if method == "auto":
        method = "kkt" if soft.mixing else fewest_operations(model, hold, bool(weight or damping))
    forces = added(tau, passive_forces(model, q, v)) if passive else list(tau)
    a, force, gained = METHODS[method](model, q, v, forces, acting, hold, right, soft)
    residual: Scalar = 0.0
    slipping = shared_slip(model, q, v, a, hold)
    for k, (x, b) in enumerate(zip(gained, right, strict=True)):
        length = abs(x - b + slipping[k]) if k in slipping else abs(x - b)
        # the last branch is for equal numbers and for NaN, which is passed on
        residual = where(length < residual, residual, where(residual < length, length, (length + residual) * 0.5))
    return a, force, residual


def constrained_acceleration(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: JointVector,
    external: Wrenches | None = None,
    external_reference: Reference = "local",
    passive: bool = False,
    stabilisation: tuple[float, ...] = (),
) -> Any:
    """`forward_dynamics` of a mechanism with loops."""
    acting = {"external": external, "external_reference": external_reference, "passive": passive}
    return constrained_dynamics(model, q, v, tau, **acting, stabilisation=stabilisation)[0]


def _drawn_back(
    model: Model,
    q: JointVector,
    v: JointVector,
    hold: tuple[Held, ...],
    right: list[Scalar],
    alpha: float,
    beta: float,
) -> list[Scalar]:
    """Row accelerations with  -2 α ė - β² e  added: held frames have no error, the place where they are is theirs."""
    rates = [dot(row, v) for row in constraint_jacobian(model, q, hold=hold)]
    errors = [*closure_error(model, q), *(0.0 for _ in right)]
    return [w - (2.0 * alpha) * r - (beta * beta) * e for w, r, e in zip(right, rates, errors, strict=False)]


def acceleration_in_step(
    model: Model,
    q: JointVector,
    v: JointVector,
    tau: Sequence[Scalar],
    acting: Acting,
    hold: tuple[Held, ...],
    dt: Scalar,
) -> list[Scalar]:
    """The accelerations of `constrained_dynamics` in a time step, which may pass a singular state (`reached`)."""
    q, v = JointVector(q, model.q_slices), JointVector(v, model.v_slices)
    right = [-g for g in constraint_bias(model, q, v, hold=hold)]
    soft = Softness(reach=reached(row_rank(model, hold), v, dt))
    return METHODS[fewest_operations(model, hold)](model, q, v, list(tau), acting, hold, right, soft).a


def _check(name: str, rows: int, method: Any, weight: Sequence[Any], damping: Any, stabilisation: Any) -> None:
    rates = stabilisation if isinstance(stabilisation, tuple | list) else (stabilisation,)
    if len(rates) not in (0, 2) or not all(isinstance(x, int | float) and 0.0 <= x < math.inf for x in rates):
        raise ArgumentError(
            f"constrained_dynamics: stabilisation must be a pair (α, β) of rates in 1/s, not {stabilisation!r}"
        )
    if method not in ("auto", *METHODS):
        raise ArgumentError(f"constrained_dynamics: {unknown('method', method, ('auto', *METHODS))}")
    require_weight("constrained_dynamics", name, rows, weight, damping)
    if method == "recursion" and is_matrix(weight):
        raise ArgumentError('constrained_dynamics: a weight matrix takes method="kkt", which mixes the rows')
