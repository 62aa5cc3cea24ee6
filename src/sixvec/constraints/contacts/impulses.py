"""The impulses or forces of contacts with friction, for a given Delassus matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, common_batch, positive_number, real_array, require_all, require_shape
from sixvec.arguments.result import Result
from sixvec.constraints.contacts.impulse_step import BILATERAL, LARGEST_SOLVED, UNKNOWN, WIDTH, Kind, improved
from sixvec.constraints.contacts.pyramid import pyramid_impulses
from sixvec.errors import ArgumentError, unknown
from sixvec.kernels import Iterated, Port
from sixvec.kernels.function import CompiledFunction
from sixvec.scalar import Scalar, where
from sixvec.verdict import Verdict

TOLERANCE = 1e-10
"""The misfit at which impulses are accepted, relative to the largest velocity that they stop."""

MOST_STEPS, MOST_SWEEPS = 400, 100
"""Most steps: a few are usual, stacks need tens; and most with too many rows for Newton's step, where a few
sweeps suffice unless heavy bodies rest on light ones."""

MOST_NEWTON = 60
"""Largest number of uncompiled steps of a sample with many rows: a few are usual, and each takes milliseconds."""

ACCEPTED = 1e-10
"""In m/s: steps of rollouts with smaller misfits are not repeated, since what is left is rounding."""

PATIENCE, CAUTIOUS = 60.0, 0.1
"""Steps after which the search restarts from zero, twice: convergent searches need fewer if
Newton's step is used.  The second time sweeps along normals are scaled by this factor to avoid cycles."""

RESTART_SIDES, RESTART_SIDES_OF_MANY = 32, 8
"""Sides of the pyramids whose impulses are another start, near enough to the cone for Newton's step; with many rows
fewer, since the time grows with the cube."""

NEVER_ZERO = 1e-12
"""In m/s: smaller velocities are ignored."""


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

    The iteration (`impulse_step.py`) runs compiled, in lanes and threads.  `method="pyramid"` is exact in
    another sense: it replaces the cone by a pyramid with that many `sides` and solves the linear complementarity
    problem by pivoting (Stewart and Trinkle 1996; Lemke), one sample after the other.

    If the iteration does not converge, it restarts without `start`, and finally from the impulses of pyramids.  With
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
    G: Array,
    b: Array,
    mu: Array,
    p: Array,
    blocks: tuple[Kind, ...],
    tolerance: float,
    warm: bool,
    enough: float = 0.0,
) -> ContactImpulses:
    """All attempts in turn; samples with a misfit of `enough` m/s or less count as solved."""
    solution = _iterated(G, b, mu, p, blocks, tolerance)
    if enough:
        solution = replace(
            solution, verdict=_verdicts((solution.residual <= enough) | (solution.verdict == Verdict.SOLVED))
        )
    if b.shape[-1] <= LARGEST_SOLVED:
        return _again(solution, G, b, mu, blocks, tolerance, cold=False)
    solution = _by_newton(solution, G, b, mu, blocks, tolerance, enough)
    for cold in [True, False] if warm else [False]:
        if not solution:
            solution = _again(solution, G, b, mu, blocks, tolerance, cold)
            solution = _by_newton(solution, G, b, mu, blocks, tolerance, enough)
    return solution


def impulses_with_restarts(kinds: tuple[Kind, ...]) -> Callable[..., tuple[Array, ...]]:
    """A function with the arguments and results of `impulse_loop` that tries all that `contact_impulses` does."""

    def solved(
        p: Array, _: Any, __: Any, ___: Any, ____: Any, G: Array, b: Array, limits: Array, tolerance: Array
    ) -> Any:
        solution = _by_iteration(G, b, limits, p, kinds, float(np.max(tolerance)), warm=True, enough=ACCEPTED)
        return solution.force, solution.residual, solution.velocity, solution.residual, solution.residual

    return solved


def _iterated(G: Array, b: Array, mu: Array, p: Array, kinds: tuple[Kind, ...], tolerance: float) -> ContactImpulses:
    unknown = np.array(UNKNOWN)
    start = (p, unknown, b, unknown, np.array(0.0))
    force, residual, velocity, most, _ = _loop(kinds)(*start, G, b, mu, np.array(float(tolerance)))
    return ContactImpulses(force, velocity, residual, _verdicts(residual <= most))


def _again(
    solution: ContactImpulses, G: Array, b: Array, mu: Array, kinds: tuple[Kind, ...], tolerance: float, cold: bool
) -> ContactImpulses:
    """The unsolved samples from another start; the better of both results."""
    shape, failed = solution.verdict.shape, solution.verdict != Verdict.SOLVED
    G, b, mu = (np.broadcast_to(x, (*shape, *x.shape[x.ndim - k :])) for x, k in ((G, 2), (b, 1), (mu, 1)))
    failed = failed & np.isfinite(G).all(axis=(-1, -2)) & np.isfinite(b).all(axis=-1) & np.isfinite(mu).all(axis=-1)
    if not failed.any():
        return solution
    G, b, mu = G[failed], b[failed], mu[failed]
    sides = RESTART_SIDES if b.shape[-1] <= LARGEST_SOLVED else RESTART_SIDES_OF_MANY
    start = np.zeros(b.shape) if cold else np.nan_to_num(pyramid_impulses(G, b, mu, kinds, sides)[0])
    other = _iterated(G, b, mu, start, kinds, tolerance)
    better = (other.residual < solution.residual[failed]) | np.isnan(solution.residual[failed])
    force, velocity, residual = (np.array(x, float) for x in (solution.force, solution.velocity, solution.residual))
    verdict = np.array(solution.verdict, np.int8)
    for to, new in ((force, other.force), (velocity, other.velocity)):
        to[failed] = np.where(better[:, None], new, to[failed])
    residual[failed] = np.where(better, other.residual, residual[failed])
    verdict[failed] = np.where(better, other.verdict, verdict[failed])
    return ContactImpulses(force, velocity, residual, verdict)


def _by_newton(
    solution: ContactImpulses, G: Array, b: Array, mu: Array, kinds: tuple[Kind, ...], tolerance: float, enough: float
) -> ContactImpulses:
    """Newton's steps on plain numbers for the unsolved samples."""
    shape = solution.verdict.shape
    G, b, mu = (np.broadcast_to(x, (*shape, *x.shape[x.ndim - k :])) for x, k in ((G, 2), (b, 1), (mu, 1)))
    force, velocity, residual = (np.array(x, float) for x in (solution.force, solution.velocity, solution.residual))
    verdict = np.array(solution.verdict, np.int8)
    for at in np.ndindex(*shape):
        if verdict[at] == Verdict.SOLVED or not all(np.isfinite(x[at]).all() for x in (G, b, mu, force)):
            continue
        problem = G[at].tolist(), b[at].tolist()
        p, misfit = force[at].tolist(), float(residual[at])
        most = max(tolerance * largest_demand(problem[1], kinds), enough)
        for _ in range(MOST_NEWTON):
            try:
                p, u, misfit = improved(*problem, p, misfit, kinds, mu[at].tolist(), solved=_solved)
            except np.linalg.LinAlgError:
                break
            if not misfit < math.inf:
                break
            if misfit < residual[at]:
                force[at], velocity[at], residual[at] = p, u, misfit
            if misfit <= most:
                verdict[at] = Verdict.SOLVED
                break
    return ContactImpulses(force, velocity, residual, verdict)


def _solved(A: list[list[float]], c: list[float]) -> list[float]:
    solution: list[float] = np.linalg.solve(np.array(A), np.array(c)).tolist()
    return solution


def _verdicts(solved: Any) -> NDArray[np.int8]:
    return np.where(solved, Verdict.SOLVED, Verdict.NOT_CONVERGED).astype(np.int8)


@lru_cache(maxsize=64)
def _loop(kinds: tuple[Kind, ...]) -> Iterated:
    return impulse_loop(kinds)


def impulse_loop(kinds: tuple[Kind, ...]) -> Iterated:
    """The loop over steps: (p, residual, velocity, most, count) from a start and (G, b, limits, tolerance)."""
    few = sum(WIDTH[k] for k in kinds) <= LARGEST_SOLVED
    return Iterated(impulse_kernel(kinds), MOST_STEPS if few else MOST_SWEEPS, 5, until=True, name="contact_impulses")


@lru_cache(maxsize=64)
def impulse_kernel(kinds: tuple[Kind, ...]) -> CompiledFunction:
    """One step as a compiled function, for a loop with termination.

    The state is the impulses, their misfit, the resulting velocities, the accepted misfit, and the number of
    steps.
    """
    m = sum(WIDTH[k] for k in kinds)

    def step(p: Any, residual: Any, u: Any, _: Any, count: Any, G: Any, b: Any, limits: Any, tolerance: Any) -> Any:
        most = tolerance * largest_demand(b, kinds)
        fraction: Scalar = 1.0
        start, known = list(p), residual
        if m <= LARGEST_SOLVED:
            late = count > 2.0 * PATIENCE - 0.5
            fraction = where(late, CAUTIOUS, 1.0)
            since = count - where(late, 2.0 * PATIENCE, PATIENCE)  # zero in steps that restart
            again = where(residual > most, since * since, 1.0) < 0.25
            start, known = [where(again, 0.0, x) for x in p], where(again, UNKNOWN, residual)
        new, rates, misfit = improved(G, b, start, known, kinds, limits, fraction)
        done = residual < most
        state_after = [where(done, x, y) for x, y in zip(p + u, new + rates, strict=True)]
        error = where(done, residual, misfit)
        on = where(error > most, 1.0, 0.0)  # NaN stops
        return state_after[:m], error, state_after[m:], most, count + 1.0, on

    state = (Port("p", (m,)), Port("residual", ()), Port("velocity", (m,)), Port("most", ()), Port("count", ()))
    inputs = (*state, Port("G", (m, m)), Port("b", (m,)), Port("limits", (len(kinds),)), Port("tolerance", ()))
    function = CompiledFunction(step, inputs, (*state, Port("again", ())), f"contact impulses {kinds}")
    function.needs_double = True
    return function


def largest_demand(b: Sequence[Scalar], kinds: Sequence[Kind]) -> Scalar:
    """The largest velocity that impulses must stop, the scale for small values; separating contacts do not count.

    >>> largest_demand([100.0, 2.0, 0.0, -3.0], ("contact", "stop"))
    3.0
    """
    largest: Scalar = NEVER_ZERO
    at = 0
    for kind in kinds:
        for k in range(WIDTH[kind]):
            x = b[at + k]
            size = where(x < 0.0, -x, x if k or kind in BILATERAL else 0.0)
            largest = where(size > largest, size, largest)
        at += WIDTH[kind]
    return largest
