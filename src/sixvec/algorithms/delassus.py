"""How constraints accelerate under each other's forces."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.articulated_gain import Gain, articulated_gains
from sixvec.algorithms.parts.constraint_wrenches import RowWrench, follower_wrenches, row_wrenches
from sixvec.algorithms.parts.factorization import Factors, dot
from sixvec.algorithms.parts.mobility import UNITS, body_mobilities
from sixvec.algorithms.parts.singular import require_mass
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.mechanism.row_rank import RowRank, row_rank
from sixvec.model import WORLD, Model
from sixvec.model.canonical import regrouped
from sixvec.model.coupling import coupling
from sixvec.model.held_frame import Held
from sixvec.scalar import operations, where
from sixvec.spatial import Force

NOTHING = 1e-14
"""A pivot of an independent row below this fraction of its diagonal is rounding: the state is singular."""

UNKNOWN = 1e-12
"""The same where the rank is not known."""

Rows = list[list[Any]]


@kernel("q -> G[nrows,nrows] L[nrows,nrows] D[nrows]", loops="enforced", mimic="handled", requires=require_mass)
def delassus(model: Model, q: JointVector, hold: tuple[Held, ...] = ()) -> Any:
    """G = A M⁻¹ Aᵀ, the Delassus matrix, with its factors  L D Lᵀ = G.

    Column j holds the accelerations along all rows of `constraint_jacobian` that a unit force along row j causes.
    L is unit lower triangular.  Where a row depends on those before it, its entry of D is zero; the number of nonzero
    entries of D is the rank of A, which is that of `sixvec.constraints.report`.

    Computed from the factors of M or by recursion, whichever needs fewer operations.  The recursion is O(n + m²) for m
    rows: with P and the gains of the joints from the tips and Ω, the mobility of each body, from the root, two rows
    whose wrenches are K and K' where their paths join have  G = Kᵀ Ω K'.  Between junctions all wrenches that pass go
    through the joints as combinations of six (as in Sathya, Carpentier et al. 2023, PV-OSIMr).

    >>> import sixvec, numpy
    >>> robot = sixvec.load("panda")
    >>> G, L, D = robot.delassus(robot.neutral() + 0.3, hold={"panda_link8": "weld"})
    >>> numpy.allclose(L * D @ L.T, G)
    True
    """
    G = ROUTES[cheapest(model, hold)](model, q, hold)
    L, D = _semidefinite_factors(G, row_rank(model, hold))
    return G, L, D


def by_factors(model: Model, q: JointVector, hold: tuple[Held, ...]) -> Rows:
    """Zᵀ D⁻¹ Z with  Z = L⁻ᵀ Aᵀ  and  M = Lᵀ D L."""
    M = Factors(mass_matrix(model, q), tree_order(model))
    Z = [M.half(row) for row in constraint_jacobian(model, q, hold=hold)]
    G = [[0.0] * len(Z) for _ in Z]
    for i, z in enumerate(Z):
        for j, w in enumerate(Z[: i + 1]):
            G[i][j] = G[j][i] = M.weighted(z, w)
    return G


def by_recursion(model: Model, q: JointVector, hold: tuple[Held, ...]) -> Rows:
    """Kᵀ Ω K' where paths join; without gears and followers, whose rows have no wrenches."""
    free = regrouped(model)
    rows = row_wrenches(free, q, hold)
    gain = articulated_gains(free, q)
    junctions = _junctions(free, rows)
    needed = {b.name for name in junctions for b in free.path(name)}
    Omega = body_mobilities([b for b in free.bodies if b.name in needed], q, gain)
    carried: dict[str, list[_Arrival]] = {name: [] for name in junctions}
    G = [[0.0] * len(rows) for _ in rows]
    for b in reversed(free.bodies):
        if b.name not in junctions:
            continue
        here = carried[b.name] + [_Arrival(r, row.on[b.name]) for r, row in enumerate(rows) if b.name in row.on]
        moved = [Omega[b.name] @ x.K for x in here]
        for n, x in enumerate(here):
            for y, A in zip(here[: n + 1], moved, strict=False):
                if x.junction is None or x.junction != y.junction:  # otherwise they joined further out
                    g = A.dot(x.K)
                    G[x.row][y.row] = G[x.row][y.row] + g
                    if x is not y:
                        G[y.row][x.row] = G[y.row][x.row] + g
        above = _next_junction(free, junctions, b.name)
        if above is not WORLD:
            passed = _passed(free, q, gain, b.name, above, [x.K for x in here])
            carried[above] += [_Arrival(x.row, K, b.name) for x, K in zip(here, passed, strict=True)]
    return G


class _Arrival(NamedTuple):
    """The wrench of a row at a junction, and the junction further out from which it came, if any."""

    row: int
    K: Force
    junction: str | None = None


def _junctions(model: Model, rows: Sequence[RowWrench]) -> frozenset[str]:
    """The bodies on which rows act, and those where their paths to the root join."""
    ends = {name for row in rows for name in row.on}
    below: dict[str | None, int] = {}
    for name in ends:
        for b in model.path(name):
            below[b.name] = below.get(b.name, 0) + 1
    joins = {
        b.name
        for b in model.bodies
        if sum(below.get(child.name, 0) > 0 for child in model.children(b.name)) > 1
    }  # fmt: skip
    return frozenset(ends | joins)


def _next_junction(model: Model, junctions: frozenset[str], name: str) -> str | None:
    inner = [b.name for b in model.path(name)[:-1] if b.name in junctions]
    return inner[-1] if inner else WORLD


def _passed(
    model: Model, q: JointVector, gain: dict[str, Gain], name: str, above: str, wrenches: list[Force]
) -> list[Force]:
    """The part of wrenches at this junction that free joints transmit to a junction further in."""
    several = len(wrenches) > len(UNITS)
    K = list(UNITS) if several else wrenches
    for b in reversed(model.path(name)):
        if b.name == above:
            break
        X_PB = b.pose_in_parent(q)
        K = [X_PB @ gain[b.name].pass_on(f) for f in K]
    if not several:
        return K
    return [sum((k * x for k, x in zip(K, f, strict=True)), Force.zero()) for f in wrenches]


ROUTES = {"factors": by_factors, "recursion": by_recursion}


@lru_cache(maxsize=64)
def cheapest(model: Model, hold: tuple[Held, ...]) -> str:
    """The route with fewest operations."""
    if any(row.at for row in (*row_wrenches(*_neutral(model), hold), *follower_wrenches(model))):
        return "factors"  # forces at joints have no wrench

    def count(route: str) -> int:
        def run(q: Any) -> list[Any]:
            return [x for row in ROUTES[route](model, JointVector(q, model.q_slices), hold) for x in row]

        return operations(run, model.nq)

    return min(ROUTES, key=count)


def _neutral(model: Model) -> tuple[Model, JointVector]:
    """The robot with all joints independent, and its neutral position."""
    free = coupling(model).free
    return free, JointVector([x for b in free.moving for x in b.joint.neutral()], free.q_slices)


def _semidefinite_factors(G: Rows, rank: RowRank) -> tuple[Rows, list[Any]]:
    """L and D with  L D Lᵀ = G: the pivot of a row that depends on those before it is zero, and so is its column."""
    n, least = len(G), NOTHING if rank.is_known else UNKNOWN
    L = [[float(i == j) for j in range(n)] for i in range(n)]
    D: list[Any] = []
    D_inverse: list[Any] = []
    for i in range(n):
        row: list[Any] = []  # first L D
        for j in range(i):
            row.append(G[i][j] - dot(row, L[j][:j]))
        L[i][:i] = [x * d for x, d in zip(row, D_inverse, strict=True)]
        if i not in rank.basis:
            D.append(0.0)
            D_inverse.append(0.0)
            continue
        pivot = G[i][i] - dot(row, L[i][:i])
        is_there = pivot > G[i][i] * least
        D.append(where(is_there, pivot, 0.0))
        D_inverse.append(where(is_there, 1.0 / where(is_there, pivot, 1.0), 0.0))
    return L, D
