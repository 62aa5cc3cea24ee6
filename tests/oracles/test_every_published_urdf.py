"""Every URDF file of example-robot-data, not a selection: poses, mass matrix, inverse and forward dynamics."""

from __future__ import annotations

import warnings
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from pinocchio_bridge import Peer, pin
from published import Published, folder
from random_states import random_states
from sixvec.errors import ModelError
from targets import OnTarget
from tolerances import PEER, assert_close, solved

BROKEN = {"falcon.urdf", "ur3.urdf"}
"""Files that no reader accepts; tests/formats says what is wrong with them."""


def _files() -> list[object]:
    paths = [Path(str(f.locate())).resolve() for f in metadata.files("example-robot-data") or [] if f.suffix == ".urdf"]
    chosen = sorted(p for p in paths if p.name not in BROKEN)
    return [pytest.param(str(p.relative_to(folder())), id=f"{p.parts[-3]}/{p.stem}") for p in chosen]


@pytest.mark.every(4)
@pytest.mark.parametrize("file", _files())
def test_poses_and_dynamics_agree_with_pinocchio(file: str) -> None:
    published = Published(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joints that follow unknown ones, which are free here anyway
        if not published.load().nv:
            published = Published(file, floating=True)  # nothing moves unless the robot flies
        robot, other = OnTarget(published.load(), "interpreter"), Peer(published)
    q, v, a, tau = random_states(robot, 2)
    m, d = other.model, other.data
    assert_close(
        robot.inverse_dynamics(q, v, a), other.each(lambda *x: other.vector(pin.rnea(m, d, *x)), q, v, a), PEER
    )
    M = robot.mass_matrix(q)
    assert_close(M, other.each(lambda x: other.matrix(pin.crba(m, d, x)), q), PEER)
    tip = published.tip
    pin.forwardKinematics(m, d, other.to_q(q[0]))
    pin.updateFramePlacements(m, d)
    assert np.allclose(robot.pose(q, tip)[0], d.oMf[other.frame(tip)].homogeneous, atol=PEER)
    if np.linalg.eigvalsh(M).min() <= 0.0:
        with pytest.raises(ModelError, match="moves no mass"):
            robot.forward_dynamics(q, v, tau)
        return
    found = robot.forward_dynamics(q, v, tau)
    assert_close(found, other.each(lambda *x: other.vector(pin.aba(m, d, *x)), q, v, tau), solved(PEER, M))
