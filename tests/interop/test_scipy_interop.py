"""Rotations to and from SciPy."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as SciPy

from naming import named
from rotation_samples import ROTATION_VECTORS, SHARP, batch_rotation, columns, entries, matrix, near
from sixvec.errors import MissingExtra
from sixvec.geometry.orientation.axis_angle import AxisAngle
from sixvec.geometry.orientation.euler import EulerAngles
from sixvec.interop import as_scipy, from_scipy, quaternion_from_scipy
from sixvec.spatial import PlaneRotation, Quaternion, Rotation, Vec3, so3


def test_one_rotation_there_and_back() -> None:
    R = so3.exp(Vec3(0.4, -1.0, 2.0))
    q = Quaternion.exp(Vec3(0.4, -1.0, 2.0))
    for kind in (R, q, AxisAngle.from_rotation(R), EulerAngles.from_rotation(R, "zyx")):
        theirs = as_scipy(kind)
        assert near(theirs.as_matrix(), matrix(R), SHARP)
        assert near(matrix(from_scipy(theirs)), matrix(R), SHARP)
    assert near(entries(quaternion_from_scipy(as_scipy(q))), entries(q), SHARP)
    assert from_scipy(as_scipy(R)).deviation() < SHARP
    assert as_scipy(PlaneRotation(0.6, 0.8)).as_matrix()[1, 0] == pytest.approx(0.8)


def test_stacks_are_batches() -> None:
    stack = SciPy.from_rotvec(ROTATION_VECTORS)
    assert near(matrix(from_scipy(stack)), stack.as_matrix(), 0.0)
    assert near(entries(quaternion_from_scipy(stack)), stack.as_quat(), 0.0)
    ours = batch_rotation(ROTATION_VECTORS)
    assert near(as_scipy(ours).as_matrix(), matrix(ours), SHARP)
    about_z = Rotation.about_z(columns(ROTATION_VECTORS)[0])
    assert as_scipy(about_z).as_matrix().shape == (len(ROTATION_VECTORS), 3, 3)


def test_the_same_convention() -> None:
    a, b = SciPy.random(2, np.random.default_rng(0))
    assert near(matrix(from_scipy(a) @ from_scipy(b)), (a * b).as_matrix(), SHARP)
    v = Vec3(1.0, 2.0, 3.0)
    assert near(entries(from_scipy(a) @ v), a.apply([*v]), SHARP)
    assert near(entries(quaternion_from_scipy(a) @ v), a.apply([*v]), SHARP)


def test_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match=named("scipy.spatial.transform.Rotation")):
        from_scipy([1.0])
    monkeypatch.setitem(sys.modules, "scipy.spatial.transform", None)
    with pytest.raises(MissingExtra, match="scipy"):
        as_scipy(Rotation.identity())
