"""Norms of twists and wrenches show their weight, and hold in every frame if it moves along."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sixvec
from body_samples import array, forces, laws, motions, poses, random_motions
from naming import named
from sixvec.errors import DegenerateError, FrameError
from sixvec.geometry.rigid_body.norms import invariance, length_weight, weighted_inner, weighted_norm
from sixvec.spatial import Force, Mat3, Motion, Pose, RigidInertia, Sym3, Vec3
from sixvec.spatial.six_matrix import SixMatrix, crm, inertia_matrix

BODY = RigidInertia.from_center_of_mass(2.0, Vec3(0.1, 0.2, 0.3), Sym3(1.0, 0.1, 0.2, 2.0, 0.3, 1.5))


@pytest.mark.covers("BODY-14", "Bruyninckx (4.29)")
@given(motions, motions, poses)
@laws
def test_the_norm_is_the_same_in_every_frame_if_the_weight_moves(V: Motion, U: Motion, X: Pose) -> None:
    W = inertia_matrix(BODY)
    assert weighted_norm(X @ V, X @ W) == pytest.approx(weighted_norm(V, W), abs=1e-9)
    assert weighted_inner(X @ V, X @ U, X @ W) == pytest.approx(weighted_inner(V, U, W), abs=1e-9)
    assert weighted_inner(V, U, W) == pytest.approx(array(V) @ np.array(list(W)) @ array(U), abs=1e-10)
    # The square is twice the kinetic energy; an inertia may be the weight as it is.
    assert weighted_norm(V, BODY) ** 2 == pytest.approx(V.dot(BODY @ V), abs=1e-10)
    # The triangle inequality.
    assert weighted_norm(V + U, W) <= weighted_norm(V, W) + weighted_norm(U, W) + 1e-12


@pytest.mark.covers("BODY-14")
@given(motions, st.floats(0.1, 3.0))
@laws
def test_a_length_makes_turns_and_shifts_comparable(V: Motion, size: float) -> None:
    expected = np.sqrt(size**2 * V.ang.dot(V.ang) + V.lin.dot(V.lin))
    assert weighted_norm(V, length_weight(size)) == pytest.approx(expected)


@pytest.mark.covers("BODY-14", "BODY-08")
def test_a_weight_that_stays_behind_is_caught() -> None:
    V, X = Motion.of(random_motions(50, 1)[0]), Pose.exp(Motion.of(random_motions(51, 1)[0]))
    assert abs(invariance(lambda t: weighted_norm(t, length_weight(0.3)), [V], X).frame_gap) > 1e-3


@pytest.mark.covers("BODY-14")
@given(forces)
@laws
def test_wrenches_take_a_compliance(F: Force) -> None:
    one = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    compliance = SixMatrix(one * 4.0, Mat3.zero(), Mat3.zero(), one, Force, Motion)
    assert weighted_norm(F, compliance) == pytest.approx(np.sqrt(4.0 * F.ang.dot(F.ang) + F.lin.dot(F.lin)))


@pytest.mark.covers("BODY-14")
def test_what_is_no_weight_raises() -> None:
    V, F = Motion.of([1.0] * 6), Force.of([1.0] * 6)
    with pytest.raises(FrameError, match=named("Motion", "Force")):
        weighted_inner(V, F, inertia_matrix(BODY))
    with pytest.raises(FrameError, match=named("Motion", "Force")):
        weighted_norm(F, inertia_matrix(BODY))
    with pytest.raises(FrameError, match="Motion"):
        weighted_norm(V, crm(V))
    with pytest.raises(DegenerateError, match="weight"):
        weighted_norm(V, length_weight(1.0) * -1.0)


@pytest.mark.covers("BODY-14")
def test_norms_run_batched_and_compiled_with_finite_slope_at_zero() -> None:
    rows = random_motions(52, 4)

    def norm(v: list) -> object:
        return weighted_norm(Motion.of(v), inertia_matrix(BODY))

    expected = [norm(list(row)) for row in rows]
    compiled = sixvec.compiled("v[6] -> size")(norm)
    assert norm(list(rows.T)) == pytest.approx(expected)
    assert compiled(rows) == pytest.approx(expected)
    assert not compiled.derivative("v")(np.zeros(6)).any()
