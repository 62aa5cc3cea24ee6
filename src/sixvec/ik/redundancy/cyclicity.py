"""Whether a closed path of the tool is closed in joint space: drift, and the condition of Shamir and Yomdin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, whole_number
from sixvec.arguments.result import Result
from sixvec.constraints.holonomy import Holonomy, symbolic_holonomy
from sixvec.errors import ArgumentError, MissingExtra
from sixvec.ik.redundancy.pose_error import pose_error
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot
from sixvec.solve.decomposition import singular_values
from sixvec.solve.direction import Directions, direction_rows


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Result):
    """The drift after a closed path of the tool: q_end ⊖ q_start in `joints`, the tool's six-vector error in `task`.

    `q` is the final joint position, the start of the next cycle.
    """

    joints: Array
    task: Array
    q: Array


def drift(
    robot: Robot,
    q0: ArrayLike,
    frame: str,
    velocity: Callable[[float], ArrayLike],
    resolve: Callable[[Array, ArrayLike], ArrayLike],
    period: float = 1.0,
    steps: int = 200,
) -> Drift:
    """Follow q̇ = resolve(q, velocity(time)) over one period, by Runge-Kutta steps of order 4.

    `velocity` is the task velocity along a closed path.  If `task` is small and `joints` is not, the resolution is
    not cyclic: repeated cycles end in different postures (Klein and Huang 1983).

    >>> import sixvec, numpy as np
    >>> from sixvec.ik.redundancy import drift
    >>> arm = sixvec.load("planar_2r")
    >>> around = lambda time: 0.6 * np.array([-np.sin(2 * np.pi * time), np.cos(2 * np.pi * time)])
    >>> rates = lambda q, t: np.linalg.solve(arm.jacobian(q, "tip")[[3, 5]], t)
    >>> bool(abs(drift(arm, [0.4, 1.2], "tip", around, rates).joints).max() < 1e-6)  # not redundant, hence cyclic
    True
    """
    whole_number("steps", steps, 1)
    start = np.asarray(q0, float)
    q, h = start, period / steps
    for k in range(steps):
        time = k * h
        k1 = np.asarray(resolve(q, velocity(time)))
        k2 = np.asarray(resolve(robot.integrate(q, h / 2 * k1), velocity(time + h / 2)))
        k3 = np.asarray(resolve(robot.integrate(q, h / 2 * k2), velocity(time + h / 2)))
        k4 = np.asarray(resolve(robot.integrate(q, h * k3), velocity(time + h)))
        q = robot.integrate(q, h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    gap = pose_error(robot.pose(start, frame), robot.pose(q, frame))
    return Drift(robot.difference(start, q), np.asarray(gap), q)


def cyclicity_defect(
    robot: Robot, q: ArrayLike, frame: str, directions: Directions = "pose", *, mass_weighted: bool = False
) -> Array:
    """How far q̇ = J^# t is from cyclic at q, 0 if it is: the size of Lie brackets that leave the motions it uses.

    J^# (with weight M = 1 or the mass matrix) uses the joint motions spanned by the columns Y of M⁻¹ Jᵀ.  It is
    cyclic exactly where these are closed under the bracket [Yᵢ, Yⱼ] (Shamir and Yomdin 1988), so that the joints stay
    on a surface.  The number is max |Nᵀ M [Yᵢ, Yⱼ]|, with Nᵀ M Y = 0, relative to the sizes of Y and its
    derivative; derivatives are exact.  Batches of positions; joints whose velocity is the rate of their coordinate.

    >>> import sixvec
    >>> from sixvec.ik.redundancy import cyclicity_defect
    >>> panda = sixvec.load("panda")
    >>> bool(cyclicity_defect(panda, [0.0, -0.8, 0.3, -2.4, 0.2, 1.6, 0.8], "panda_link8", "position") > 1e-3)
    True
    """
    require_tree(robot.model, "cyclicity_defect")
    if robot.nq != robot.nv:
        raise ArgumentError(f"{robot.name} has nq {robot.nq} and nv {robot.nv}: brackets are taken in joint "
                            "coordinates whose rates are the velocities; use drift instead")  # fmt: skip
    rows = direction_rows(directions)
    kernel = robot.kernel("jacobian", frame=frame)
    J, dJ = kernel(q)[..., rows, :], kernel.derivative("q")(q)[..., rows, :, :]
    Y, dY = np.swapaxes(J, -1, -2), np.swapaxes(dJ, -3, -2)
    M = np.broadcast_to(np.eye(robot.nv), (*J.shape[:-2], robot.nv, robot.nv))
    if mass_weighted:
        mass = robot.kernel("mass_matrix")
        M, dM = mass(q), mass.derivative("q")(q)
        Y = np.linalg.solve(M, Y)  # Y = M⁻¹ Jᵀ, hence M dY = dJᵀ - dM Y
        right = dY - np.einsum("...abk,...bi->...aik", dM, Y)
        dY = np.linalg.solve(M[..., None, :, :], right.swapaxes(-1, -3).swapaxes(-1, -2)).swapaxes(-1, -2)
        dY = dY.swapaxes(-1, -3)
    along = np.einsum("...ajk,...ki->...aij", dY, Y)  # (∂Yⱼ/∂q) Yᵢ
    brackets = along - np.swapaxes(along, -1, -2)
    # Directions M-orthogonal to the range of Y: the null space of Yᵀ M.
    _, sigma, Vt = singular_values(np.swapaxes(Y, -1, -2) @ M)
    outside = np.einsum("...na,...ab,...bij->...nij", Vt[..., sigma.shape[-1] :, :], M, brackets)
    size = np.abs(dY).max(axis=(-3, -2, -1), initial=0.0)
    for factor in (Y, M):
        size = size * np.abs(factor).max(axis=(-2, -1), initial=0.0)
    return np.asarray(np.abs(outside).max(axis=(-3, -2, -1), initial=0.0) / np.where(size > 0.0, size, 1.0))


def symbolic_cyclicity(
    robot: Robot, q: Sequence[Any], frame: str, directions: Directions = "pose", *, mass_weighted: bool = False
) -> Holonomy:
    """Frobenius' theorem with SymPy for the conditions Nᵀ M q̇ = 0 that a pseudo-inverse satisfies: cyclic if holonomic.

    Meant for small arms (planar, with two or three joints): expressions grow quickly.  The conditions A q̇ = 0 of an
    extended Jacobian need no robot: give them to `sixvec.constraints.symbolic_holonomy`.

    >>> import sixvec, sympy
    >>> from sixvec.ik.redundancy import symbolic_cyclicity
    >>> arm = sixvec.load("planar_2r")
    >>> symbolic_cyclicity(arm, sympy.symbols("a b", real=True), "tip", "x").holonomic  # one direction: always
    True
    """
    require_tree(robot.model, "symbolic_cyclicity")
    try:
        import sympy
    except ImportError as error:
        raise MissingExtra("symbolic_cyclicity needs SymPy", extra="symbolic") from error
    J = sympy.Matrix(robot.evaluate("jacobian", q, frame=frame)).extract(
        direction_rows(directions), list(range(robot.nv))
    )
    basis = J.applyfunc(_exact).nullspace(simplify=True)
    if not basis:
        return Holonomy(robot.nv, 0, 0)
    M = sympy.eye(robot.nv)
    if mass_weighted:
        M = sympy.Matrix(robot.evaluate("mass_matrix", q)).applyfunc(_exact)
    forms = [list(_without_denominators(N.T * M)) for N in basis]
    return symbolic_holonomy(lambda _: forms, q)


def _exact(x: Any) -> Any:
    """With floats replaced by rational numbers, and sums of angles inside the functions."""
    import sympy

    return sympy.fu(sympy.nsimplify(x, rational=True))


def _without_denominators(form: Any) -> Any:
    """A multiple of the form: the condition is the same, the derivatives are shorter."""
    import sympy

    simple = form.applyfunc(sympy.together)
    common = sympy.lcm_list([sympy.denom(x) for x in simple])
    return (simple * common).applyfunc(sympy.simplify)
