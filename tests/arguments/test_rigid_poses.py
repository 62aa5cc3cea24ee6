"""What is a rotation as an argument, to which accuracy, and which of many is named that is none."""

from __future__ import annotations

import numpy as np
import pytest

from naming import named
from sixvec.arguments.rigid_poses import ROTATION_DEVIATION, require_rotations
from sixvec.errors import ArgumentError

TURNED = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])


def test_rotations_in_poses_and_alone_and_samples_that_are_not_finite() -> None:
    poses = np.broadcast_to(np.eye(4), (2, 3, 4, 4)).copy()
    poses[1, 0, :3, :3], poses[..., :3, 3], poses[0, 1] = TURNED, 7.0, np.nan
    require_rotations(poses, "X")
    require_rotations(poses[..., :3, :3], "R")
    require_rotations(TURNED.astype(np.float32) * np.float32(1.0 + 0.4 * ROTATION_DEVIATION), "R")
    require_rotations(2.0 * TURNED, "R", deviation=3.0)  # 2² - 1


@pytest.mark.parametrize("place", [(0, 0), (1, 2)])
@pytest.mark.parametrize("entry", [*np.ndindex(3, 3)])
def test_every_entry_counts(entry: tuple[int, int], place: tuple[int, int]) -> None:
    R = np.broadcast_to(TURNED, (2, 3, 3, 3)).copy()
    R[place][entry] += 2.0 * ROTATION_DEVIATION
    R[1, 2][entry] += 2.0 * ROTATION_DEVIATION  # the first is named
    with pytest.raises(ArgumentError, match=named(f"R[{place[0]}, {place[1]}]")):
        require_rotations(R, "R")


def test_mirror_images_and_zeros() -> None:
    with pytest.raises(ArgumentError, match=named("X", "mirror")):
        require_rotations(-TURNED, "X")
    with pytest.raises(ArgumentError, match=r"^X\[1\]"):
        require_rotations(np.stack([np.eye(4), np.zeros((4, 4))]), "X")
