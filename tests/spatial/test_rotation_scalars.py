"""The same operations on floats, on a batch inside the scalar, and compiled, with finite derivatives everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from rotation_samples import ROTATION_VECTORS, SHARP, columns, near
from sixvec.spatial import Quaternion, Rotation, Vec3, so3

STEP = Vec3(0.3, -0.5, 0.2)
"""A second rotation or vector, of which all operations make use."""


def of_matrices(r: Vec3) -> list[Any]:
    """Every operation of a rotation matrix, as one row of numbers."""
    R, S = so3.exp(r), so3.exp(STEP)
    x, y, z = R.axes
    return [
        *R.similar(S).matrix, *Rotation.from_axes(x, y, z).matrix, *Rotation.from_noa(y, z).matrix,
        *R.rate(STEP), *R.rate_from_space(STEP), *R.body_velocity(S.matrix), *R.space_velocity(S.matrix),
        R.angle(), R.distance(S), R.determinant(),
        *(Rotation.about_x(r.x) @ Rotation.about_y(r.y) @ Rotation.about_z(r.z)).matrix,
    ]  # fmt: skip


def of_quaternions(r: Vec3) -> list[Any]:
    """Every operation of a quaternion."""
    q, p = Quaternion.exp(r), Quaternion.exp(STEP)
    rows = [*q.left_matrix(), *q.right_matrix()]
    return [
        *(q @ p), *(q @ STEP), *q.inv(), *-q, *q.near(p), q.dot(p), q.norm(), q.angle(), q.distance(p),
        *Quaternion.about(STEP, r.x), *(x for row in rows for x in row),
    ]  # fmt: skip


@pytest.mark.covers("ROT-03", "ROT-04", "ROT-12", "ROT-13", "ROT-14")
@pytest.mark.parametrize("operations", [of_matrices, of_quaternions])
def test_every_scalar_gives_the_same(operations: Any) -> None:
    vectors = ROTATION_VECTORS[::4]
    singly = np.array([operations(Vec3(*map(float, r))) for r in vectors])
    batch = np.stack(np.broadcast_arrays(*operations(Vec3(*columns(vectors)))), axis=-1)
    compiled = sixvec.compiled(f"r[3] -> x[{singly.shape[1]}]")(lambda r: operations(Vec3.of(r)))
    assert near(batch, singly, SHARP)
    assert near(compiled(vectors), singly, SHARP)
    assert np.isfinite(compiled.derivative("r")(vectors)).all()
