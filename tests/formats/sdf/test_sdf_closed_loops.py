"""Which loops SDF can say: a joint whose two frames are where the joint lets them be."""

from __future__ import annotations

import numpy as np
import pytest

from naming import named
from sdf_files import HOLD, joint, link, model, sdf
from sixvec.errors import FileFormatError
from sixvec.formats import parse_model
from sixvec.formats.sdf.write import _is_closed
from sixvec.model import Closure, Model
from sixvec.model.joints import Fixed, Helical, Joint, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, Rotation, Vec3
from sixvec.tolerances import EQUAL

X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
NONE = Rotation.identity()
PLACES = {
    "same": Pose.identity(),
    "nearly": Pose(Rotation.about_x(0.5 * EQUAL), Z * (0.5 * EQUAL)),
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


DRAKE = "https://drake.mit.edu"


def ball(name: str, a: str, p: str, b: str, r: str) -> str:
    label = f' name="{name}"' if name else ""
    parts = {"body_A": a, "p_AP": p, "body_B": b, "p_BQ": r}
    inside = "".join(
        f"<drake:ball_constraint_{key}>{text}</drake:ball_constraint_{key}>" for key, text in parts.items()
    )
    return f"<drake:ball_constraint{label}>{inside}</drake:ball_constraint>"


def with_balls(*balls: str) -> Model:
    inside = link("base") + HOLD + link("a") + link("b") + joint("ja", "base", "a") + joint("jb", "base", "b")
    text = model(inside + "".join(balls)).replace("<sdf ", f'<sdf xmlns:drake="{DRAKE}" ')
    return parse_model(text, "robot.sdf")


def test_two_balls_on_a_line_are_a_hinge() -> None:
    found = with_balls(ball("pin", "a", "1 0 0", "b", "0 1 0"), ball("pin/axis", "a", "1 0 0.5", "b", "0 1.5 0"))
    (pin,) = found.closures
    assert isinstance(pin, Closure) and pin.joint == Revolute(Vec3(0.0, 0.0, 1.0))
    first, second = (found.frame(name) for name in (pin.first, pin.second))
    assert (first.body, second.body) == ("a", "b") and [*first.placement.pos] == [1.0, 0.0, 0.0]
    assert [*second.placement.pos] == [0.0, 1.0, 0.0] and first.placement.rot == NONE
    along = second.placement.rot @ Vec3(0.0, 0.0, 1.0)
    assert [*along] == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    R = np.array(second.placement.rot.as_matrix(), float)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    "other",
    [
        ball("pin/axis", "a", "1 0 0.5", "b", "0 1.6 0"),
        ball("pin/axis", "a", "1 0 0", "b", "0 1 0"),
        ball("pin/axis", "b", "1 0 0.5", "a", "0 1.5 0"),
        ball("pin/axis", "a", "1 0 0.5", "base", "0 1.5 0"),
        ball("other/axis", "a", "1 0 0.5", "b", "0 1.5 0"),
        ball("", "a", "1 0 0.5", "b", "0 1.5 0"),
    ],
)
def test_other_pairs_of_balls_stay_balls(other: str) -> None:
    """With distances that differ, at one point, between other links, or of other names."""
    found = with_balls(ball("pin", "a", "1 0 0", "b", "0 1 0"), other)
    name = "ball_constraint2" if "name=" not in other else other.partition('"')[2].partition('"')[0]
    assert [c.name for c in found.closures] == ["pin", name]
    assert all(isinstance(c, Closure) and isinstance(c.joint, Spherical) for c in found.closures)


def test_mistakes_of_balls_and_worlds() -> None:
    with pytest.raises(FileFormatError, match="pin"):
        with_balls(*[ball("pin", "a", "1 0 0", "b", "0 1 0")] * 2)
    world = f'<world name="w"><model name="m">{link("a")}</model></world>'
    assert parse_model(sdf(world), "robot.sdf").bodies[0].name.endswith("a")
    for text, words in (
        (sdf(world * 2), "world"),
        (sdf(world + f'<model name="m">{link("a")}</model>'), "world"),
        (sdf(""), named("neither", "world", "nor")),
        (sdf('<world name="w"/>'), "link"),
    ):
        with pytest.raises(FileFormatError, match=words):
            parse_model(text, "robot.sdf")
