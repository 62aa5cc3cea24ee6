"""Change of basis on dual spaces: the identities of Featherstone and Fijany 1999, sections 2 and 3."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naming import named
from sixvec.errors import ArgumentError, DegenerateError, DtypeError, FrameError, ShapeError
from sixvec.model.joints import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from sixvec.theory import (
    DualTransform,
    Subspace,
    change_of_basis,
    constrained_by_force,
    constrained_by_motion,
    constrained_coordinates,
    inertia_split,
    inverse_inertia_split,
    reciprocal_basis,
    reciprocal_complement,
)
from tolerances import SOLVED, assert_close

Array = Any
SIZES = [(6, 1), (6, 5), (7, 3), (4, 4), (5, 0)]


def positive_definite(rng: np.random.Generator, n: int) -> Array:
    B = rng.normal(size=(n, n))
    return B @ B.T + n * np.eye(n)


def problem(n: int, r: int) -> tuple[np.random.Generator, Array, Array]:
    rng = np.random.default_rng(10 * n + r)
    return rng, positive_definite(rng, n), rng.normal(size=(n, r))


def close(actual: Array, expected: Array) -> None:
    assert_close(actual, expected, SOLVED, batched=False)


def span(basis: Array) -> Array:
    """The orthogonal projector on a space: equal for equal spaces, whatever their bases."""
    return basis @ np.linalg.pinv(basis)


@pytest.mark.covers("CFA-01", "Featherstone-Fijany (1)-(2)")
@pytest.mark.parametrize(("n", "r"), SIZES)
def test_the_adapted_basis_is_reciprocal_and_makes_the_inertia_block_diagonal(n: int, r: int) -> None:
    _, M, S1 = problem(n, r)
    pair = change_of_basis(M, S1)
    close(np.hstack([pair.S1, pair.S2]).T @ np.hstack([pair.T1, pair.T2]), np.eye(n))
    blocks = pair.transform.of_map(M, "motion", "force")
    assert np.abs(blocks[:r, r:]).max(initial=0.0) <= SOLVED * np.abs(blocks).max()
    close(blocks[:r, :r], S1.T @ M @ S1)
    close(blocks[r:, r:], np.linalg.inv(pair.T2.T @ np.linalg.inv(M) @ pair.T2))


@pytest.mark.covers("CFA-01")
@pytest.mark.parametrize("space", ["S1", "S2", "T1", "T2"])
def test_any_of_the_four_spaces_determines_the_others(space: Any) -> None:
    _, M, S1 = problem(6, 2)
    expected = change_of_basis(M, S1)
    found = change_of_basis(M, getattr(expected, space), space)
    for name in ("S1", "S2", "T1", "T2"):
        close(span(getattr(found, name)), span(getattr(expected, name)))


@pytest.mark.covers("CFA-01", "Featherstone-Fijany (3)")
@pytest.mark.parametrize(("n", "r"), SIZES)
def test_inertia_and_its_inverse_split(n: int, r: int) -> None:
    _, M, S1 = problem(n, r)
    pair = change_of_basis(M, S1)
    for split, whole in ((inertia_split, M), (inverse_inertia_split, np.linalg.inv(M))):
        parts = split(M, pair)
        close(parts.active + parts.immobilised, whole)


@pytest.mark.covers("CFA-01")
def test_transforms_keep_pairings_and_the_meaning_of_the_four_kinds_of_map() -> None:
    rng = np.random.default_rng(1)
    X = DualTransform(rng.normal(size=(6, 6)))
    u, v = rng.normal(size=6), rng.normal(size=6)
    assert (X.U @ u) @ (X.V @ v) == pytest.approx(u @ v, rel=1e-9)
    A, vectors, moved = rng.normal(size=(6, 6)), {"motion": u, "force": v}, {"motion": X.U, "force": X.V}
    for source in ("motion", "force"):
        for target in ("motion", "force"):
            image = X.of_map(A, source, target) @ (moved[source] @ vectors[source])
            assert_close(image, moved[target] @ (A @ vectors[source]), 1e-9, batched=False)


@pytest.mark.covers("CFA-01")
def test_the_reciprocal_complement_does_not_depend_on_units_or_basis() -> None:
    """S⊥ moves with the force transform; an orthogonal complement within the motions would not (Duffy 1990)."""
    rng = np.random.default_rng(2)
    X, S = DualTransform(np.diag([1.0, 1.0, 1.0, 1e3, 1e3, 1e3]) @ rng.normal(size=(6, 6))), rng.normal(size=(6, 2))
    there = reciprocal_complement(X.U @ S)
    assert_close(span(there), span(X.V @ reciprocal_complement(S)), 1e-9, batched=False)
    assert np.abs(span(there) - span(X.U @ reciprocal_complement(S))).max() > 0.1


JOINTS: dict[str, tuple[Joint, int]] = {
    "revolute": (Revolute(), 5), "prismatic": (Prismatic(), 5), "helical": (Helical(pitch=0.3), 5),
    "cylindrical": (Cylindrical(), 4), "universal": (Universal(), 4), "spherical": (Spherical(), 3),
    "planar": (Planar(), 3), "fixed": (Fixed(), 6), "free": (Free(), 0),
}  # fmt: skip


@pytest.mark.covers("CFA-01")
@pytest.mark.parametrize("kind", JOINTS)
def test_bearing_wrenches_of_joints(kind: str) -> None:
    joint, size = JOINTS[kind]
    S = np.array([[*s] for s in joint.subspace(joint.neutral())]).reshape(-1, 6).T
    bearing = Subspace("motion", S).complement()
    assert bearing.space == "force" and bearing.basis.shape == (6, size)
    assert np.abs(Subspace("motion", S).pairing(bearing)).max(initial=0.0) < 1e-15
    if kind == "helical":  # a screw's reciprocal wrench e6 - pitch e3
        assert np.abs(span(bearing.basis) @ [0, 0, -0.3, 0, 0, 1] - [0, 0, -0.3, 0, 0, 1]).max() < 1e-15


@pytest.mark.covers("CFA-02", "Featherstone-Fijany (7)", "Featherstone-Fijany (9)-(10)")
@pytest.mark.parametrize(("n", "r"), [size for size in SIZES if size[1]])
def test_both_forms_of_constrained_motion_and_any_reciprocal_basis(n: int, r: int) -> None:
    rng, M, S1 = problem(n, r)
    v, T2 = rng.normal(size=n), reciprocal_complement(S1)
    u = constrained_by_motion(M, S1, v)
    assert_close(constrained_by_force(M, T2, v), u, SOLVED, batched=False, scale=np.abs(np.linalg.solve(M, v)).max())
    # It obeys the constraint, and what holds it does no work on what is allowed.
    assert np.abs(T2.T @ u).max(initial=0.0) < SOLVED
    assert np.abs(S1.T @ (M @ u - v)).max() < SOLVED * np.abs(v).max()
    force = S1.T @ v
    expected = np.linalg.solve(S1.T @ M @ S1, force)
    for metric in (None, M, positive_definite(rng, n), positive_definite(rng, n)):
        T1 = reciprocal_basis(S1, metric)
        close(S1.T @ T1, np.eye(r))
        assert_close(constrained_coordinates(M, T2, T1, force), expected, 1e-10, batched=False)
    # The original algorithm's S1 in place of T1' is right only where S1ᵀ S1 = 1.
    assert np.abs(constrained_coordinates(M, T2, S1, force) - expected).max() > 1e-2 * np.abs(expected).max()


@pytest.mark.covers("CFA-02")
def test_a_small_chain_in_absolute_coordinates() -> None:
    """Featherstone-Fijany (15) and (16) for N bodies: S1 = P⁻¹ H, T2 = Pᵀ H⊥, T1' = Pᵀ I_X H (Hᵀ I_X H)⁻¹."""
    rng, N = np.random.default_rng(3), 4
    blocks = [positive_definite(rng, 6) for _ in range(N)]
    axes = [rng.normal(size=(6, k)) for k in (1, 3, 0, 2)]
    I, H = _diagonal(blocks), _diagonal(axes)
    P = np.eye(6 * N) - np.eye(6 * N, k=-6)
    S1, T2 = np.linalg.solve(P, H), P.T @ _diagonal([reciprocal_complement(h) for h in axes])
    assert np.abs(S1.T @ T2).max() < 1e-13
    tau = rng.normal(size=H.shape[1])
    expected = np.linalg.solve(S1.T @ I @ S1, tau)
    for metric in (np.eye(6 * N), I, _diagonal([positive_definite(rng, 6) for _ in range(N)])):
        T1 = P.T @ reciprocal_basis(H, metric)
        assert_close(constrained_coordinates(I, T2, T1, tau), expected, 1e-10, batched=False)
    A = T2.T @ np.linalg.inv(I) @ T2
    assert np.abs(A[:5, 8:]).max() < 1e-13  # block-tridiagonal: bodies 1 and 3 do not meet


def _diagonal(blocks: list[Array]) -> Array:
    rows, columns = (sum(b.shape[k] for b in blocks) for k in (0, 1))
    out, i, j = np.zeros((rows, columns)), 0, 0
    for b in blocks:
        out[i : i + b.shape[0], j : j + b.shape[1]] = b
        i, j = i + b.shape[0], j + b.shape[1]
    return out


def test_mistakes_are_named() -> None:
    with pytest.raises(FrameError, match="motion"):
        Subspace("motion", np.eye(3)[:, :1]).pairing(Subspace("motion", np.eye(3)[:, 1:]))
    with pytest.raises(DegenerateError, match=named("S")):
        reciprocal_complement(np.ones((6, 2)))
    with pytest.raises(ArgumentError, match=named("S3")):
        change_of_basis(np.eye(2), np.eye(2)[:, :1], "S3")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=named("M")):
        change_of_basis(np.eye(3), np.eye(2)[:, :1])
    with pytest.raises(ArgumentError, match="velocity"):
        DualTransform(np.eye(2)).of_map(np.eye(2), "motion", "velocity")  # type: ignore[arg-type]


TWICE = np.array([[1.0, 2.0], [0.0, 0.0]])
"""One direction, given twice."""
ONE = np.array([[1.0], [0.0]])


@pytest.mark.parametrize(
    "call",
    [
        lambda: constrained_by_motion(np.eye(2), TWICE, np.ones(2)),
        lambda: constrained_by_force(np.eye(2), TWICE, np.ones(2)),
        lambda: constrained_coordinates(np.eye(2), ONE, TWICE, np.ones(2)),
        lambda: reciprocal_basis(TWICE),
        lambda: change_of_basis(np.eye(2), TWICE, "T1"),
    ],
)
def test_dependent_columns_are_named(call: Any) -> None:
    with pytest.raises(DegenerateError, match="columns"):
        call()


BAD_INERTIAS = {
    "singular": (np.diag([1.0, 0.0]), DegenerateError, "not positive definite"),
    "nearly singular": (np.array([[1.0, 1.0], [1.0, 1.0 + 1e-15]]), DegenerateError, "not positive definite"),
    "negative": (-np.eye(2), DegenerateError, "not positive definite"),
    "indefinite": (np.array([[1.0, 2.0], [2.0, 1.0]]), DegenerateError, "not positive definite"),
    "lopsided": (np.array([[2.0, 1.0], [0.0, 2.0]]), DegenerateError, "not symmetric"),
    "too large": (np.eye(3), ShapeError, r"has shape \(3, 3\), but \(\.\.\., 2, 2\)"),
    "nan": (np.full((2, 2), np.nan), ArgumentError, "not finite"),
    "complex": (1j * np.eye(2), DtypeError, "real numbers"),
}


@pytest.mark.parametrize("kind", BAD_INERTIAS)
def test_what_is_no_inertia_is_named(kind: str) -> None:
    M, error, message = BAD_INERTIAS[kind]
    pair = change_of_basis(np.eye(2), ONE)
    for call in (
        lambda: constrained_by_motion(M, ONE, np.ones(2)),
        lambda: constrained_by_force(M, ONE, np.ones(2)),
        lambda: change_of_basis(M, ONE),
        lambda: inertia_split(M, pair),
        lambda: inverse_inertia_split(M, pair),
    ):
        with pytest.raises(error, match=f"M .*{message}"):
            call()
    with pytest.raises(error, match=f"metric .*{message}"):
        reciprocal_basis(ONE, M)


def test_units_do_not_make_an_inertia_singular() -> None:
    M = np.diag([1e-12, 1e12])
    assert_close(constrained_by_motion(M, np.eye(2), [1e-12, 1e12]), [1.0, 1.0], SOLVED, batched=False)
    assert np.isfinite(DualTransform(np.diag([1e-12, 1e12])).V).all()


def test_sizes_and_spaces_that_do_not_fit_are_named() -> None:
    with pytest.raises(ShapeError, match=named("v")):
        constrained_by_motion(np.eye(2), ONE, np.ones(3))
    with pytest.raises(ShapeError, match=named("v")):
        constrained_by_force(np.eye(2), ONE, np.ones(3))
    with pytest.raises(ShapeError, match="force"):
        constrained_coordinates(np.eye(2), ONE, ONE, np.ones(2))
    with pytest.raises(ArgumentError, match=named("S")):
        reciprocal_complement(np.full((3, 1), np.nan))
    with pytest.raises(DegenerateError, match=named("U")):
        DualTransform(np.ones((2, 2)))
    with pytest.raises(ShapeError, match=named("U")):
        DualTransform(ONE)
    with pytest.raises(ShapeError, match="matrix"):
        DualTransform(np.eye(2)).of_map(np.eye(3), "motion", "force")
    with pytest.raises(ArgumentError, match="momentum"):
        Subspace("momentum", ONE)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="length"):
        Subspace("motion", ONE).pairing(Subspace("force", np.eye(3)))
    assert Subspace("motion", [[1.0], [0.0]]).complement().basis.shape == (2, 1)


def test_a_given_s1_or_t2_is_kept_and_of_t1_and_s2_the_space() -> None:
    _, M, S = problem(6, 2)
    for space, kept in (("S1", True), ("T2", True), ("T1", False), ("S2", False)):
        found = getattr(change_of_basis(M, S, space), space)  # type: ignore[arg-type]
        assert np.array_equal(found, S) == kept
        close(span(found), span(S))
