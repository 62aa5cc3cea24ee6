"""Robots of other people: what we read from a file is what Pinocchio reads from it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixvec.errors import FileFormatError
from sixvec.loaders import load_urdf
from sixvec.model import Model
from sixvec.model.joints import Coordinates, Free, Joint, Revolute
from sixvec.spatial import Pose

pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) confirms the loader")

BROKEN = {
    "falcon.urdf": "Z_propeller",  # a joint to a link that the file does not have
    "ur3.urdf": "no <link>",  # an empty robot
}
"""Files of the package that no reader accepts, and what must be said about them."""


def published() -> list[Path]:
    """Every URDF file of the package; none where it is not installed."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(f.locate())) for f in files if f.suffix == ".urdf")


def label(path: Path) -> str:
    return f"{path.parts[-3]}/{path.stem}"


def poses(model: Model, q: Mapping[str, Coordinates]) -> dict[str, np.ndarray]:
    """The homogeneous transform of every body in the world, the positions of joints given by body name."""
    X: dict[str | None, Pose] = {None: Pose.identity()}
    for b in model.bodies:
        X[b.name] = X[b.parent] @ b.placement @ b.joint.pose(q[b.name])
    return {b.name: np.array(X[b.name].as_matrix(), dtype=float) for b in model.bodies}


FILES = published()
SOUND = [f for f in FILES if f.name not in BROKEN]
EXACT = 1e-9
"""Two ways to compose the same float64 transforms; chains have at most some forty of them."""

pytestmark = pytest.mark.skipif(not FILES, reason="the package example-robot-data is not installed")


def test_the_package_is_the_one_we_know() -> None:
    assert len(FILES) >= 77


@pytest.mark.parametrize("path", [f for f in FILES if f.name in BROKEN], ids=label)
def test_broken_files_are_refused_with_a_reason(path: Path) -> None:
    with pytest.raises(FileFormatError, match=BROKEN[path.name]):
        load_urdf(path)


@pytest.mark.parametrize("floating", [False, pytest.param(True, marks=pytest.mark.covers("MODEL-09"))])
@pytest.mark.parametrize("path", SOUND, ids=label)
def test_sizes_masses_and_poses_agree_with_pinocchio(path: Path, floating: bool) -> None:
    ours = load_urdf(path, floating=floating)
    theirs = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if floating else _fixed(path)
    # Pinocchio stores an unlimited angle as its cosine and sine.
    circles = sum(theirs.joints[j].nq == 2 for j in range(1, theirs.njoints))
    assert (ours.nq, ours.nv) == (theirs.nq - circles, theirs.nv)
    assert sum(b.inertia.mass for b in ours.bodies) == pytest.approx(sum(i.mass for i in theirs.inertias), rel=1e-12)

    rng = np.random.default_rng(7)
    data = theirs.createData()
    for sample in range(3):
        q_ours = {b.name: _position(b.joint, rng, neutral=sample == 0) for b in ours.bodies}
        q_theirs = pin.neutral(theirs)
        for b in ours.moving:
            joint = theirs.joints[theirs.getJointId(b.joint_name)]
            q = q_ours[b.name]
            q_theirs[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(q[0]), np.sin(q[0])] if joint.nq == 2 else q
        pin.framesForwardKinematics(theirs, data, q_theirs)
        for name, X in poses(ours, q_ours).items():
            expected = data.oMf[theirs.getFrameId(name, pin.FrameType.BODY)].homogeneous
            np.testing.assert_allclose(X, expected, atol=EXACT, err_msg=name)


@pytest.mark.parametrize("path", SOUND, ids=label)
def test_inertias_and_limits_agree_with_pinocchio(path: Path) -> None:
    ours, theirs = load_urdf(path), _fixed(path)
    for b in ours.moving:
        joint = theirs.joints[theirs.getJointId(b.joint_name)]
        if isinstance(b.joint, Revolute) and b.limits.effort:
            assert b.limits.effort[0] == theirs.upperEffortLimit[joint.idx_v]
            assert b.limits.velocity[0] == theirs.upperVelocityLimit[joint.idx_v]
        # Where a file gives no bounds there are none for us, and zero for Pinocchio.
        if joint.nq == 1 and b.limits.lower and np.isfinite(b.limits.lower[0]):
            assert b.limits.lower[0] == theirs.lowerPositionLimit[joint.idx_q]
            assert b.limits.upper[0] == theirs.upperPositionLimit[joint.idx_q]
    # Pinocchio stores the sum of all that is welded to a joint, in the frame of the joint.
    carried = {j: np.zeros((6, 6)) for j in range(theirs.njoints)}
    for b in ours.bodies:
        frame = theirs.frames[theirs.getFrameId(b.name, pin.FrameType.BODY)]
        carried[frame.parentJoint] += (
            frame.placement.toDualActionMatrix() @ _matrix(b.inertia) @ (frame.placement.toActionMatrixInverse())
        )
    for j, expected in enumerate(theirs.inertias):
        scale = 1.0 + np.abs(expected.matrix()).max()
        np.testing.assert_allclose(carried[j], expected.matrix(), atol=EXACT * scale, err_msg=theirs.names[j])


def _fixed(path: Path) -> Any:
    return pin.buildModelFromUrdf(str(path))


def _position(joint: Joint, rng: np.random.Generator, neutral: bool) -> tuple[float, ...]:
    if neutral:
        return joint.neutral()
    if isinstance(joint, Free):
        turn = rng.normal(size=4)
        return (*map(float, rng.normal(size=3)), *map(float, turn / np.linalg.norm(turn)))
    return tuple(map(float, rng.uniform(-2.0, 2.0, joint.nq)))


def _matrix(inertia: Any) -> np.ndarray:
    """The 6x6 inertia in Pinocchio's order, linear first."""
    mass, moment, rot = inertia.mass, np.array([*inertia.moment]), inertia.rot.full
    skew = np.array([[0.0, -moment[2], moment[1]], [moment[2], 0.0, -moment[0]], [-moment[1], moment[0], 0.0]])
    return np.block([[mass * np.eye(3), -skew], [skew, np.array([[*row] for row in rot.rows])]])
