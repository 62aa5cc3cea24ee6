"""Change of basis on a pair of dual spaces: constrained dynamics without inner products of like vectors.

Motions belong to U, forces to V, and only a motion and a force can be paired.  Coordinates are those of a reciprocal
basis-pair, so the pairing is uᵀ v.  A constraint u ∈ range(S1) splits both spaces in two such that the inertia M: U → V
becomes block-diagonal.  Featherstone and Fijany 1999, sections 2 and 3; nothing here is special to rigid bodies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array, require_shape
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, DegenerateError, FrameError, ShapeError, unknown
from sixvec.tolerances import EQUAL

Space: TypeAlias = Literal["motion", "force"]
SPACES: tuple[Space, ...] = get_args(Space)

DEPENDENT = 1e-10
"""Columns are dependent when, scaled to length 1, they leave a singular value below this."""

INDEFINITE = 1e-14
"""An inertia is singular when, scaled to a unit diagonal, it has a pivot below this."""


@dataclass(frozen=True)
class Subspace:
    """The range of the columns of `basis` in U ("motion") or V ("force").

    >>> import numpy as np
    >>> from sixvec.theory import Subspace
    >>> slide = Subspace("motion", np.array([[0.0], [1.0]]))
    >>> slide.complement().space, slide.pairing(slide.complement()).tolist()
    ('force', [[0.0]])
    """

    space: Space
    basis: Array

    def __post_init__(self) -> None:
        _require_space(self.space)
        object.__setattr__(self, "basis", _matrix("basis", self.basis))

    def complement(self) -> Subspace:
        """S⊥ in the dual space: the vectors whose pairing with S is zero;  dim S + dim S⊥ = n."""
        return Subspace("force" if self.space == "motion" else "motion", reciprocal_complement(self.basis))

    def pairing(self, other: Subspace) -> Array:
        """Sᵀ T, defined across the two spaces only (Duffy 1990: within one it would depend on the units)."""
        if self.space == other.space:
            raise FrameError(f"two {self.space} spaces cannot be paired; pair a motion space with a force space")
        if len(self.basis) != len(other.basis):
            raise ShapeError(f"vectors of length {len(self.basis)} cannot be paired with those of {len(other.basis)}")
        return self.basis.T @ other.basis


@dataclass(frozen=True)
class DualTransform:
    """A change of basis-pair: u₂ = X_U u₁ and v₂ = X_V v₁ with X_Uᵀ = X_V⁻¹, which preserves every pairing.

    >>> import numpy as np
    >>> from sixvec.theory import DualTransform
    >>> double = DualTransform(np.diag([2.0, 2.0]))
    >>> u, v = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    >>> float((double.U @ u) @ (double.V @ v)) == float(u @ v)
    True
    """

    U: Array

    def __post_init__(self) -> None:
        U = _matrix("U", self.U)
        require_shape("U", U, len(U), len(U))
        if _are_dependent(U) and _are_dependent(U.T):  # either alone may depend on the units
            raise DegenerateError("U has no inverse, so it changes no basis; give a regular matrix")
        object.__setattr__(self, "U", U)

    @property
    def V(self) -> Array:
        return np.linalg.inv(self.U).T

    def of_map(self, matrix: ArrayLike, source: Space, target: Space) -> Array:
        """The same linear map in the new basis-pair:  X_target A X_source⁻¹, for all four kinds of maps."""
        by_space = {"motion": self.U, "force": self.V}
        _require_space(source)
        _require_space(target)
        matrix = _matrix("matrix", matrix)
        require_shape("matrix", matrix, *self.U.shape)
        return by_space[target] @ matrix @ np.linalg.inv(by_space[source])


@dataclass(frozen=True)
class AdaptedBasis:
    """Four spaces with [S1 S2]ᵀ [T1 T2] = 1:  T1 = M S1, T2 = M S2, S1 ⊥ T2, S2 ⊥ T1  (Featherstone-Fijany (1))."""

    S1: Array
    S2: Array
    T1: Array
    T2: Array

    @property
    def transform(self) -> DualTransform:
        """To the coordinates in which M is block-diagonal:  X_U = [T1 T2]ᵀ, X_V = [S1 S2]ᵀ."""
        return DualTransform(np.concatenate([self.T1, self.T2], axis=1).T)


def reciprocal_complement(S: ArrayLike) -> Array:
    """A basis of S⊥ = null(Sᵀ), one column each, in the space dual to that of S.

    >>> import numpy as np
    >>> from sixvec.theory import reciprocal_complement
    >>> reciprocal_complement(np.eye(3)[:, :1]).shape
    (3, 2)
    """
    S = _basis("S", S)
    if S.shape[1] == 0:
        return np.eye(len(S))
    directions, _, _ = np.linalg.svd(_unit_columns(S))
    return directions[:, S.shape[1] :]


def change_of_basis(M: ArrayLike, basis: ArrayLike, space: Literal["S1", "S2", "T1", "T2"] = "S1") -> AdaptedBasis:
    """The four spaces that M and any one of them determine (Featherstone-Fijany (1), (2)).

    T2 = S1⊥,  T1 = M S1 (S1ᵀ M S1)⁻¹,  S2 = M⁻¹ T2 (T2ᵀ M⁻¹ T2)⁻¹.  M is symmetric and positive definite.  A given S1
    or T2 is returned unchanged; for a given T1 or S2 the result contains another basis of the same space.

    >>> import numpy as np
    >>> from sixvec.theory import change_of_basis
    >>> pair = change_of_basis(np.diag([1.0, 2.0]), np.array([[1.0], [1.0]]))
    >>> bool(np.allclose(pair.S1.T @ pair.T1, 1.0) and np.allclose(pair.S2.T @ pair.T1, 0.0))
    True
    """
    if space not in ("S1", "S2", "T1", "T2"):
        raise ArgumentError(f'no space "{space}"; spaces: S1, S2, T1, T2')
    S = _basis(space, basis)
    M = _checked(M, len(S))
    if space == "S1":
        S1, T2 = S, reciprocal_complement(S)
    elif space == "T1":
        S1 = np.linalg.solve(M, S)
        T2 = reciprocal_complement(S1)
    elif space == "T2":
        S1, T2 = reciprocal_complement(S), S
    else:
        T2 = M @ S
        S1 = reciprocal_complement(T2)
    return AdaptedBasis(S1, _reciprocal(T2, np.linalg.solve(M, T2)), _reciprocal(S1, M @ S1), T2)


def reciprocal_basis(S: ArrayLike, metric: ArrayLike | None = None) -> Array:
    """T' = G S (Sᵀ G S)⁻¹, so that Sᵀ T' = 1, with any symmetric positive definite G; the identity if not given.

    With G = M it is T1 of Featherstone-Fijany (2); every other G gives an equally valid T1' of Featherstone-Fijany
    (10).

    >>> import numpy as np
    >>> from sixvec.theory import reciprocal_basis
    >>> reciprocal_basis(np.array([[2.0], [0.0]])).tolist()
    [[0.5], [0.0]]
    """
    S = _basis("S", S)
    return _reciprocal(S, S if metric is None else _checked(metric, len(S), "metric") @ S)


def _reciprocal(S: Array, GS: Array) -> Array:
    return GS @ np.linalg.inv(S.T @ GS)


@dataclass(frozen=True, eq=False, repr=False)
class InertiaSplit(Result):
    """An inertia, or its inverse, as a sum: of the active freedoms, and of the immobilised ones."""

    active: Array
    immobilised: Array


def inertia_split(M: ArrayLike, pair: AdaptedBasis) -> InertiaSplit:
    """M = M_active + M_immobilised: the parts that map S1 to T1 and S2 to T2  (before Featherstone-Fijany (3)).

    >>> import numpy as np
    >>> from sixvec.theory import change_of_basis, inertia_split
    >>> M = np.diag([1.0, 2.0])
    >>> split = inertia_split(M, change_of_basis(M, np.array([[1.0], [1.0]])))
    >>> bool(np.allclose(split.active + split.immobilised, M))
    True
    """
    M = _checked(M, len(pair.S1))
    MS = M @ pair.S1
    active = MS @ np.linalg.inv(pair.S1.T @ MS) @ MS.T
    return InertiaSplit(active, pair.T2 @ np.linalg.inv(pair.T2.T @ np.linalg.solve(M, pair.T2)) @ pair.T2.T)


def inverse_inertia_split(M: ArrayLike, pair: AdaptedBasis) -> InertiaSplit:
    """M⁻¹ as the same sum (Featherstone-Fijany (3)): the parts that map T1 to S1 and T2 to S2.

    >>> import numpy as np
    >>> from sixvec.theory import change_of_basis, inverse_inertia_split
    >>> M = np.diag([1.0, 2.0])
    >>> split = inverse_inertia_split(M, change_of_basis(M, np.array([[1.0], [1.0]])))
    >>> bool(np.allclose(split.active + split.immobilised, np.linalg.inv(M)))
    True
    """
    M = _checked(M, len(pair.S1))
    active = pair.S1 @ np.linalg.inv(pair.S1.T @ M @ pair.S1) @ pair.S1.T
    MT = np.linalg.solve(M, pair.T2)
    return InertiaSplit(active, MT @ np.linalg.inv(pair.T2.T @ MT) @ MT.T)


def constrained_by_motion(M: ArrayLike, S1: ArrayLike, v: ArrayLike) -> Array:
    """u = S1 (S1ᵀ M S1)⁻¹ S1ᵀ v: the motion of a system held in range(S1), from its allowed motions.

    Featherstone-Fijany (7).

    >>> import numpy as np
    >>> from sixvec.theory import constrained_by_motion
    >>> constrained_by_motion(np.diag([1.0, 2.0]), np.array([[0.0], [1.0]]), np.array([5.0, 6.0])).tolist()
    [0.0, 3.0]
    """
    S1 = _basis("S1", S1)
    M, v = _checked(M, len(S1)), _vectors("v", v, len(S1))
    return S1 @ np.linalg.solve(S1.T @ M @ S1, S1.T @ v)


def constrained_by_force(M: ArrayLike, T2: ArrayLike, v: ArrayLike) -> Array:
    """The same motion from the constraint forces: unconstrained minus immobilised (Featherstone-Fijany (9)).

    u = (M⁻¹ - M⁻¹ T2 (T2ᵀ M⁻¹ T2)⁻¹ T2ᵀ M⁻¹) v

    >>> import numpy as np
    >>> from sixvec.theory import constrained_by_force
    >>> constrained_by_force(np.diag([1.0, 2.0]), np.array([[1.0], [0.0]]), np.array([5.0, 6.0])).tolist()
    [0.0, 3.0]
    """
    T2 = _basis("T2", T2)
    M, v = _checked(M, len(T2)), _vectors("v", v, len(T2))
    free, MT = np.linalg.solve(M, v), np.linalg.solve(M, T2)
    return free - MT @ np.linalg.solve(T2.T @ MT, T2.T @ free)


def constrained_coordinates(M: ArrayLike, T2: ArrayLike, T1: ArrayLike, force: ArrayLike) -> Array:
    """α₁ = T1'ᵀ (M⁻¹ - M⁻¹ T2 (T2ᵀ M⁻¹ T2)⁻¹ T2ᵀ M⁻¹) T1' β₁ for any T1' with S1ᵀ T1' = 1 (Featherstone-Fijany (10)).

    α₁ are coordinates of the motion in S1 and β₁ = S1ᵀ v the corresponding forces; it equals (S1ᵀ M S1)⁻¹ β₁.

    >>> import numpy as np
    >>> from sixvec.theory import constrained_coordinates
    >>> M, first, second = np.diag([1.0, 2.0]), np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]])
    >>> constrained_coordinates(M, second, first, np.array([3.0])).tolist()
    [3.0]
    """
    T1 = _basis("T1", T1)
    return T1.T @ constrained_by_force(M, T2, T1 @ _vectors("force", force, T1.shape[1]))


def _checked(M: ArrayLike, size: int, name: str = "M") -> Array:
    """A symmetric positive definite matrix of that size."""
    M = _matrix(name, M)
    require_shape(name, M, size, size)
    if np.abs(M - M.T).max(initial=0.0) > EQUAL * np.abs(M).max(initial=0.0):
        raise DegenerateError(f"{name} is not symmetric, as an inertia must be")
    scale = np.sqrt(np.maximum(np.diagonal(M), 0.0))
    try:
        pivots = np.diagonal(np.linalg.cholesky(M / np.outer(scale, scale))) if scale.all() else np.zeros(1)
    except np.linalg.LinAlgError:
        pivots = np.zeros(1)
    if pivots.min(initial=1.0) ** 2 < INDEFINITE:
        raise DegenerateError(f"{name} is not positive definite, so some motion or force has no counterpart")
    return M


def _basis(name: str, value: ArrayLike) -> Array:
    """A matrix whose columns are independent."""
    basis = _matrix(name, value)
    if _are_dependent(basis):
        raise DegenerateError(f"the {basis.shape[1]} columns of {name} are dependent; give a basis of the subspace")
    return basis


def _are_dependent(basis: Array) -> bool:
    rows, columns = basis.shape
    return columns > rows or bool(np.linalg.svd(_unit_columns(basis), compute_uv=False).min(initial=1.0) < DEPENDENT)


def _unit_columns(basis: Array) -> Array:
    lengths = np.linalg.norm(basis, axis=0)
    return basis / np.where(lengths > 0.0, lengths, 1.0)


def _vectors(name: str, value: ArrayLike, size: int) -> Array:
    """One vector of that length, or several as columns."""
    vectors = real_array(name, value, finite=True)
    if vectors.shape != (size,):
        require_shape(name, vectors, size, "k", batch=False, why=f"or ({size},) for one")
    return vectors


def _matrix(name: str, value: ArrayLike) -> Array:
    why = "a matrix with one basis vector a column"
    return real_array(name, value, "rows", "columns", batch=False, finite=True, why=why)


def _require_space(space: str) -> None:
    if space not in SPACES:
        raise ArgumentError(unknown("space", space, SPACES))
