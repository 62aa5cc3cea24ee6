"""The impulses or forces of contacts with friction, for a given Delassus matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, common_batch, positive_number, real_array, require_all, require_shape
from sixvec.arguments.result import Result
from sixvec.constraints.contacts.impulse_search import (
    LARGEST_SOLVED,
    MOST_NEWTON,
    impulse_stages,
    scaled_problem,
)
from sixvec.constraints.contacts.pyramid import pyramid_impulses
from sixvec.constraints.contacts.rounds import UNKNOWN, careful_round
from sixvec.constraints.contacts.row_terms import WIDTH, Kind, rates, row_misfit, row_terms
from sixvec.errors import ArgumentError, unknown
from sixvec.kernels import Iterated, Port, Staged
from sixvec.verdict import Verdict

TOLERANCE = 1e-10
"""The misfit at which impulses are accepted, relative to the largest velocity that they stop."""

RESTART_SIDES, RESTART_SIDES_OF_MANY = (32, 16, 64), (8,)
"""Sides of the pyramids whose impulses are other starts, one after the other, near enough to the cone for Newton's
step; with many rows few, since the time grows with the cube."""


@dataclass(frozen=True, eq=False, repr=False)
class ContactImpulses(Result):
    """Impulses p along the rows, the resulting velocities u = G p + b, and the residual.

    `residual` is the largest violation of complementarity and of Coulomb's law, as a velocity; if the verdict is not
    SOLVED, p is the best found, and NaN if G or b is not finite (INVALID).  For pyramids the residual refers to the
    cone's law, from which their shape deviates: SOLVED then means that the pyramids' own law holds.  With accelerations
    in place of velocities, p are forces.
    """

    force: Array
    velocity: Array
    residual: Array
    verdict: NDArray[np.int8]

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def __repr__(self) -> str:
        solved = int((self.verdict == Verdict.SOLVED).sum())
        worst = float(np.max(self.residual, initial=0.0))
        return f"<ContactImpulses: {solved} of {self.verdict.size} solved, residual {worst:.2g}>"


def contact_impulses(
    G: ArrayLike,
    b: ArrayLike,
    friction: ArrayLike,
    *,
    kinds: Sequence[Kind] | None = None,
    start: ArrayLike | None = None,
    tolerance: float = TOLERANCE,
    method: Literal["iteration", "pyramid"] = "iteration",
    sides: int = 8,
) -> ContactImpulses:
    """Impulses p (..., m) of contacts with Delassus matrix G (..., m, m) and free velocities b (..., m).

    Every contact has three rows, normal first; `friction` (..., contacts) are Coulomb's coefficients.  `kinds` names
    the blocks if not all are contacts: "stop" has one row and only pushes; "friction" has one row and "disc" two,
    with an impulse no larger than their entry of `friction`.  G may be singular: the velocities are unique except
    where friction is indeterminate.  `start` are initial impulses.

    The iteration (`impulse_search.py`) runs compiled, in lanes and threads: sweeps, then Newton's steps, as in
    rollouts.  `method="pyramid"` is exact in another sense: it replaces the cone by a pyramid with that many `sides`
    and solves the linear complementarity problem by pivoting (Stewart and Trinkle 1996; Lemke), one sample after the
    other.

    If the iteration does not converge, it restarts without sweeps, and finally from the impulses of pyramids.  With
    more than 24 rows only sweeps are compiled; samples that they do not solve use Newton's steps, one by one and on
    plain numbers.

    >>> import numpy as np
    >>> from sixvec.constraints.contacts import contact_impulses
    >>> solution = contact_impulses(np.eye(3), [-2.0, 0.5, 0.0], [0.4])
    >>> solution.force.round(9).tolist(), solution.velocity.round(9).tolist()
    ([2.0, -0.5, 0.0], [0.0, 0.0, 0.0])
    """
    arrays = (("G", G), ("b", b), ("friction", friction))
    G, b, mu = (real_array(f"contact_impulses: {name}", x) for name, x in arrays)
    tolerance = positive_number("contact_impulses: tolerance", tolerance)
    blocks: tuple[Kind, ...] = tuple(kinds or ["contact"] * (mu.shape[-1] if mu.ndim else 0))
    if not blocks:
        raise ArgumentError(
            f"contact_impulses: no contacts; friction of shape {mu.shape} must end in one number for each"
        )
    for kind in blocks:
        if kind not in get_args(Kind):
            raise ArgumentError(f"contact_impulses: unknown kind of block {kind!r}; kinds: {', '.join(get_args(Kind))}")
    m = sum([WIDTH[k] for k in blocks])
    why = f"{len(blocks)} blocks have {m} rows"
    for name, x, shape in (("G", G, (m, m)), ("b", b, (m,)), ("friction", mu, (len(blocks),))):
        require_shape(f"contact_impulses: {name}", x, *shape, why=why)
    require_all("contact_impulses: friction", mu, np.isfinite(mu) & (mu >= 0.0), "finite, and 0 or more")
    p = np.zeros(m) if start is None else real_array("contact_impulses: start", start, m, why="one for each row")
    leads = [G.shape[:-2], b.shape[:-1], mu.shape[:-1], p.shape[:-1]]
    shapes = [G.shape, b.shape, mu.shape, p.shape]
    common_batch("contact_impulses", leads, ["G", "b", "friction", "start"], shapes)
    if method == "pyramid":
        force, residual = pyramid_impulses(G, b, mu, blocks, sides)
        velocity = np.asarray((G @ force[..., None])[..., 0] + b)
        solution = ContactImpulses(force, velocity, residual, _verdicts(np.isfinite(force).all(axis=-1)))
    elif method == "iteration":
        solution = _by_iteration(G, b, mu, p, blocks, tolerance, warm=start is not None)
    else:
        raise ArgumentError(f"contact_impulses: {unknown('method', method, ('iteration', 'pyramid'))}")
    finite = np.isfinite(G).all(axis=(-1, -2)) & np.isfinite(b).all(axis=-1)
    return solution if finite.all() else _without(solution, np.broadcast_to(~finite, solution.verdict.shape))


def _without(solution: ContactImpulses, invalid: NDArray[np.bool_]) -> ContactImpulses:
    """The same with the samples marked as invalid: a comparison with NaN is false, which may look like convergence."""
    force, velocity = (np.where(invalid[..., None], np.nan, x) for x in (solution.force, solution.velocity))
    verdict = np.where(invalid, Verdict.INVALID, solution.verdict).astype(np.int8)
    return ContactImpulses(force, velocity, np.where(invalid, np.inf, solution.residual), verdict)


def _by_iteration(
    G: Array, b: Array, mu: Array, p: Array, blocks: tuple[Kind, ...], tolerance: float, warm: bool
) -> ContactImpulses:
    """All attempts in turn."""
    solution = _searched(G, b, mu, p, blocks, tolerance)
    if b.shape[-1] <= LARGEST_SOLVED:
        for sides in RESTART_SIDES:
            if not solution:
                solution = _again(solution, G, b, mu, blocks, tolerance, sides)
        return solution
    solution = _by_newton(solution, G, b, mu, blocks, tolerance)
    for sides in (*((0,) if warm else ()), *RESTART_SIDES_OF_MANY):
        if not solution:
            solution = _again(solution, G, b, mu, blocks, tolerance, sides)
            solution = _by_newton(solution, G, b, mu, blocks, tolerance)
    return solution


def _searched(G: Array, b: Array, mu: Array, p: Array, kinds: tuple[Kind, ...], tolerance: float) -> ContactImpulses:
    force, *of_step = _search(kinds)(p, G, b, mu, np.array(float(tolerance)))
    velocity, residual, most = of_step[0][..., 0, :], of_step[1][..., 0], of_step[2][..., 0]
    return ContactImpulses(force, velocity, residual, _verdicts(residual <= most))


@lru_cache(maxsize=64)
def _search(kinds: tuple[Kind, ...]) -> Iterated:
    """The search as a loop of one step."""
    m, n = sum(WIDTH[k] for k in kinds), len(kinds)
    inputs = (Port("p", (m,)), Port("G", (m, m)), Port("b", (m,)), Port("limits", (n,)), Port("tolerance", ()))
    outputs = (Port("impulse", (m,)), Port("velocity", (m,)), Port("residual", ()), Port("most", ()))
    step = Staged("contact_impulses", inputs, outputs, impulse_stages(kinds), f"{kinds}")
    return Iterated(step, 1, 1, name="contact_impulses")


def _again(
    solution: ContactImpulses, G: Array, b: Array, mu: Array, kinds: tuple[Kind, ...], tolerance: float, sides: int
) -> ContactImpulses:
    """The unsolved samples from the impulses of pyramids, or from zero without sides; the better of both results."""
    shape, failed = solution.verdict.shape, solution.verdict != Verdict.SOLVED
    G, b, mu = (np.broadcast_to(x, (*shape, *x.shape[x.ndim - k :])) for x, k in ((G, 2), (b, 1), (mu, 1)))
    failed = failed & np.isfinite(G).all(axis=(-1, -2)) & np.isfinite(b).all(axis=-1) & np.isfinite(mu).all(axis=-1)
    if not failed.any():
        return solution
    G, b, mu = G[failed], b[failed], mu[failed]
    start = np.nan_to_num(pyramid_impulses(G, b, mu, kinds, sides)[0]) if sides else np.zeros(b.shape)
    other = _searched(G, b, mu, start, kinds, tolerance)
    better = (other.residual < solution.residual[failed]) | np.isnan(solution.residual[failed])
    force, velocity, residual = (np.array(x, float) for x in (solution.force, solution.velocity, solution.residual))
    verdict = np.array(solution.verdict, np.int8)
    for to, new in ((force, other.force), (velocity, other.velocity)):
        to[failed] = np.where(better[:, None], new, to[failed])
    residual[failed] = np.where(better, other.residual, residual[failed])
    verdict[failed] = np.where(better, other.verdict, verdict[failed])
    return ContactImpulses(force, velocity, residual, verdict)


def _by_newton(
    solution: ContactImpulses, G: Array, b: Array, mu: Array, kinds: tuple[Kind, ...], tolerance: float
) -> ContactImpulses:
    """Newton's steps on plain numbers for the unsolved samples."""
    shape = solution.verdict.shape
    G, b, mu = (np.broadcast_to(x, (*shape, *x.shape[x.ndim - k :])) for x, k in ((G, 2), (b, 1), (mu, 1)))
    force, velocity, residual = (np.array(x, float) for x in (solution.force, solution.velocity, solution.residual))
    verdict = np.array(solution.verdict, np.int8)
    for at in np.ndindex(*shape):
        if verdict[at] == Verdict.SOLVED or not all(np.isfinite(x[at]).all() for x in (G, b, mu, force)):
            continue
        problem = G[at].tolist(), b[at].tolist(), mu[at].tolist()
        p, u, misfit, most = _rounds(*problem, force[at].tolist(), kinds, tolerance)
        if misfit < residual[at]:
            force[at], velocity[at], residual[at] = p, u, misfit
            verdict[at] = Verdict.SOLVED if misfit <= most else verdict[at]
    return ContactImpulses(force, velocity, residual, verdict)


def _rounds(
    G: list[list[float]], b: list[float], limits: list[float], p: list[float], kinds: Sequence[Kind], tolerance: float
) -> tuple[list[float], list[float], float, float]:
    """The best impulses of Newton's steps on plain numbers, with their velocities and misfit, and that accepted."""
    scaled, free, x, bounds, (speed, size) = scaled_problem(G, b, p, limits, kinds)
    terms, change, share = row_terms(scaled, kinds, bounds), UNKNOWN, 1.0
    best, (least, u), most = p, row_misfit(G, b, p, kinds, limits), tolerance * speed
    for _ in range(MOST_NEWTON):
        if least <= most:
            break
        try:
            w = rates(scaled, free, x)
            x, change, share = careful_round(terms, w, x, free, change, share, 0.0, _solved)
        except np.linalg.LinAlgError:
            break
        impulses = [y * size for y in x]
        misfit, velocities = row_misfit(G, b, impulses, kinds, limits)
        if misfit < least:
            best, least, u = impulses, misfit, velocities
    return best, u, least, most


def _solved(A: list[list[float]], c: list[float]) -> list[float]:
    solution: list[float] = np.linalg.solve(np.array(A), np.array(c)).tolist()
    return solution


def _verdicts(solved: Any) -> NDArray[np.int8]:
    return np.where(solved, Verdict.SOLVED, Verdict.NOT_CONVERGED).astype(np.int8)
