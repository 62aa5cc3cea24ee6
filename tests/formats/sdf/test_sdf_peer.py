"""SDF against Drake, whose parser is the format's own library (pip install drake)."""

from __future__ import annotations

import pytest
from sdf_peer import Peer, assert_same

from sdf_files import PEER_FILES
from sixvec.formats import parse_model


@pytest.mark.parametrize("name", PEER_FILES)
def test_poses_and_dynamics_agree(name: str) -> None:
    assert_same(parse_model(PEER_FILES[name], "robot.sdf"), Peer(PEER_FILES[name]))
