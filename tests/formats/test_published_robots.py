"""Robots of other people: what we read from a file is what Pinocchio reads from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from package_files import published_urdf
from sixvec.cli.equivalence import evaluated
from sixvec.errors import FileFormatError
from sixvec.formats import load_model
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.model import Model
from sixvec.model.coupling import coupling, is_coupled
from sixvec.model.joints import Coordinates, Free, Joint, Revolute
from sixvec.robot import Robot
from sixvec.spatial import Pose

pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) confirms the loader")

BROKEN = {
    "falcon.urdf": "Z_propeller",  # a joint to a link that the file does not have
    "ur3.urdf": "link",  # an empty robot
}
"""Files of the package that no reader accepts, and what must be said about them."""


def label(path: Path) -> str:
    return f"{path.parts[-3]}/{path.stem}"


def poses(model: Model, q: Mapping[str, Coordinates]) -> dict[str, np.ndarray]:
    """The homogeneous transform of every body in the world, the positions of joints given by body name."""
    X: dict[str | None, Pose] = {None: Pose.identity()}
    for b in model.bodies:
        X[b.name] = X[b.parent] @ b.placement @ b.joint.pose(q[b.name])
    return {b.name: np.array(X[b.name].as_matrix(), dtype=float) for b in model.bodies}


FILES = published_urdf()
SOUND = [f for f in FILES if f.name not in BROKEN]
EXACT = 1e-9
"""Two ways to compose the same float64 transforms; chains have at most some forty of them."""

FOLLOW_NOBODY = {"alex_psyonic_hands.urdf": "index_q1"}
"""Files whose joints follow joints that the file does not have."""

pytestmark = pytest.mark.skipif(not FILES, reason="the package example-robot-data is not installed")


def free(path: Path, floating: bool = False) -> Model:
    """With every joint independent, as Pinocchio reads the file unless it is asked for more."""
    if path.name not in FOLLOW_NOBODY:
        return coupling(load_model(path, floating=floating)).free
    with pytest.warns(UnsupportedPhysics, match=FOLLOW_NOBODY[path.name]):
        return coupling(load_model(path, floating=floating)).free


def test_the_package_is_the_one_we_know() -> None:
    assert len(FILES) >= 69  # in release 6; release 5 has 77


@pytest.mark.parametrize("path", [f for f in FILES if f.name in BROKEN], ids=label)
def test_broken_files_raise_with_a_reason(path: Path) -> None:
    with pytest.raises(FileFormatError, match=BROKEN[path.name]):
        load_model(path)


@pytest.mark.parametrize("floating", [False, pytest.param(True, marks=pytest.mark.covers("MODEL-09"))])
@pytest.mark.parametrize("path", SOUND, ids=label)
def test_sizes_masses_and_poses_agree_with_pinocchio(path: Path, floating: bool) -> None:
    ours = free(path, floating)
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
    ours, theirs = free(path), _fixed(path)
    for b in ours.moving:
        joint = theirs.joints[theirs.getJointId(b.joint_name)]
        if b.joint.nv == 1:
            assert sum(b.dynamics.damping) == theirs.damping[joint.idx_v]
            assert sum(b.dynamics.friction) == theirs.friction[joint.idx_v]
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


COUPLED = {
    "panda.urdf": (8, 8),
    "baxter.urdf": (17, 17),
    "pr2.urdf": (24, 20),
    "tiago_pro.urdf": (27, 23),
}
"""Files with joints that follow others, and Pinocchio's nq and nv of them; it refuses romeo.urdf and
talos_full_v2.urdf, where a follower comes before its leader."""


@pytest.mark.parametrize("path", [f for f in SOUND if f.name in COUPLED], ids=label)
def test_mimic_joints_agree_with_pinocchio(path: Path) -> None:
    ours, theirs = load_model(path), pin.buildModelFromUrdf(str(path), mimic=True)
    assert is_coupled(ours) and (theirs.nq, theirs.nv) == COUPLED[path.name]
    circles = sum(theirs.joints[j].nq == 2 for j in range(1, theirs.njoints))
    assert (ours.nq, ours.nv) == (theirs.nq - circles, theirs.nv)
    rng = np.random.default_rng(11)
    data, q, q_theirs = theirs.createData(), rng.uniform(-1.0, 1.0, ours.nq), pin.neutral(theirs)
    for b in ours.moving:
        joint, x = theirs.joints[theirs.getJointId(b.joint_name)], q[ours.q_slices[b.name]]
        q_theirs[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(x[0]), np.sin(x[0])] if joint.nq == 2 else x
    pin.framesForwardKinematics(theirs, data, q_theirs)
    whole = coupling(ours)
    at = dict.fromkeys((b.name for b in ours.bodies), ())
    at |= {name: whole.positions(q)[s] for name, s in whole.free.q_slices.items()}
    for name, X in poses(whole.free, at).items():
        expected = data.oMf[theirs.getFrameId(name, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(X, expected, atol=EXACT, err_msg=name)
    M = pin.crba(theirs, data, q_theirs)
    M = np.triu(M) + np.triu(M, 1).T
    rows = [theirs.joints[theirs.getJointId(b.joint_name)].idx_v for b in ours.moving]
    actual = evaluated(Robot(ours), "mass_matrix", q[None])[0]
    np.testing.assert_allclose(actual, M[np.ix_(rows, rows)], atol=EXACT * np.abs(M).max())


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
