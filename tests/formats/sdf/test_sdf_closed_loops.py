"""Which loops SDF can say: a joint whose two frames are where the joint lets them be."""

from __future__ import annotations

import pytest

from sixvec.formats.sdf.write import CLOSED, _is_closed
from sixvec.model.joints import Fixed, Helical, Joint, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, Rotation, Vec3

X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
NONE = Rotation.identity()
PLACES = {
    "same": Pose.identity(),
    "nearly": Pose(Rotation.about_x(0.5 * CLOSED), Z * (0.5 * CLOSED)),
    "turned x": Pose(Rotation.about_x(0.7), Vec3.zero()),
    "turned y": Pose(Rotation.about_y(0.7), Vec3.zero()),
    "turned z": Pose(Rotation.about_z(0.7), Vec3.zero()),
    "along z": Pose(NONE, Z * 0.3),
    "along x": Pose(NONE, X * 0.3),
    "along z, turned z": Pose(Rotation.about_z(0.7), Z * 0.3),
}
CASES: list[tuple[Joint, set[str]]] = [
    (Fixed(), set()),
    (Revolute(Z), {"turned z"}),
    (Revolute(X), {"turned x"}),
    (Prismatic(Z), {"along z"}),
    (Prismatic(X), {"along x"}),
    (Helical(Z, 0.1), set()),
    (Spherical(), {"turned x", "turned y", "turned z"}),
    (Universal(X, Y), {"turned x", "turned y"}),
]


@pytest.mark.parametrize(("joint", "closed"), CASES, ids=[repr(joint) for joint, _ in CASES])
def test_where_the_frames_of_a_closed_loop_may_be(joint: Joint, closed: set[str]) -> None:
    assert {name for name, place in PLACES.items() if _is_closed(joint, place)} == closed | {"same", "nearly"}
