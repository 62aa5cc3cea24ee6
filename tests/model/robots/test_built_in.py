"""The built-in robots: geometry against closed forms computed apart, bodies that can exist."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from sixvec.model import Body, Model
from sixvec.model.robots import BUILT_IN
from sixvec.spatial import Pose

ROUNDING = 1e-13

MASSLESS_OR_MEASURED = {("puma560", "link1"), ("puma560", "link3")}
"""Published measurements that no rigid body has; the file of the robot says why."""


FLOATING = {"solo12", "humanoid"}


def frame_pose(model: Model, q: Sequence[float], name: str) -> np.ndarray:
    """The homogeneous transform of a frame, by composing along its path."""
    frame = model.frame(name)
    X = Pose.identity()
    for b in model.path(frame.body):
        X = X @ b.placement @ b.joint.pose(q[model.q_slices[b.name]])
    return np.array((X @ frame.placement).as_matrix(), dtype=float)


def rotation(axis: int, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    T = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    T[i, i], T[i, j], T[j, i], T[j, j] = c, -s, s, c
    return T


def shift(x: float, y: float, z: float) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def central_inertia(b: Body) -> tuple[float, np.ndarray]:
    """The mass, and the tensor about the centre of mass."""
    m, h = b.inertia.mass, np.array([*b.inertia.moment])
    c = h / m if m else h
    return m, np.array([[*row] for row in b.inertia.rot.full.rows]) - m * (c @ c * np.eye(3) - np.outer(c, c))


def is_gimbal(model: Model, b: Body) -> bool:
    """A massless body between two axes of one joint of the humanoid."""
    return b.inertia.mass == 0.0 and [c.placement for c in model.children(b.name)] == [Pose.identity()]


@pytest.mark.parametrize("name", BUILT_IN)
def test_names_and_sources(name: str) -> None:
    model = BUILT_IN[name]()
    assert model.name == name
    assert len({b.joint_name for b in model.moving}) == len(model.moving)
    assert all(b.joint_name for b in model.moving)
    root = model.bodies[0]
    assert root.parent is None and root.joint.nv == (6 if name in FLOATING else 0)
    assert all(model.path(b.name)[0] is root for b in model.bodies)
    assert BUILT_IN[name].about


@pytest.mark.parametrize("name", BUILT_IN)
def test_inertias_are_those_of_rigid_bodies(name: str) -> None:
    model = BUILT_IN[name]()
    for b in model.moving:
        if (name, b.name) in MASSLESS_OR_MEASURED or is_gimbal(model, b):
            continue
        mass, tensor = central_inertia(b)
        small, middle, large = np.linalg.eigvalsh(tensor)
        rounding = ROUNDING * (1.0 + large)
        assert mass > 0.0, b.name
        assert small >= -rounding, b.name
        assert small + middle >= large - rounding, b.name


# Craig's parameters (a, alpha, d) as the maker's documentation prints them.
PANDA = [
    (0.0, 0.0, 0.333),
    (0.0, -math.pi / 2, 0.0),
    (0.0, math.pi / 2, 0.316),
    (0.0825, math.pi / 2, 0.0),
    (-0.0825, -math.pi / 2, 0.384),
    (0.0, math.pi / 2, 0.0),
    (0.088, math.pi / 2, 0.0),
    (0.0, 0.0, 0.107),
]


def test_panda_is_the_product_of_its_denavit_hartenberg_transforms() -> None:
    model = BUILT_IN["panda"]()
    rng = np.random.default_rng(3)
    for q in [np.zeros(7), *rng.uniform(-3.0, 3.0, (20, 7))]:
        T = np.eye(4)
        np.testing.assert_allclose(frame_pose(model, list(q), "panda_link0"), T)
        for i, ((a, alpha, d), angle) in enumerate(zip(PANDA, [*q, 0.0], strict=True), start=1):
            T = T @ rotation(0, alpha) @ shift(a, 0.0, 0.0) @ rotation(2, angle) @ shift(0.0, 0.0, d)
            np.testing.assert_allclose(frame_pose(model, list(q), f"panda_link{i}"), T, atol=ROUNDING)


def test_panda_has_exact_right_angles_the_makers_names_and_limits() -> None:
    model = BUILT_IN["panda"]()
    assert all(x in (-1.0, 0.0, 1.0) for b in model.bodies for x in b.placement.rot.matrix)
    assert [f.name for f in model.frames] == [f"panda_link{i}" for i in range(9)]
    assert [b.joint_name for b in model.moving] == [f"panda_joint{i}" for i in range(1, 8)]
    assert [b.limits.effort for b in model.moving] == [(87.0,)] * 4 + [(12.0,)] * 3
    assert all(b.limits.lower < b.limits.upper for b in model.moving)
    # The sum of the identified masses of links 1 to 7.
    assert sum(b.inertia.mass for b in model.moving) == pytest.approx(16.062132)


# Standard parameters (d, a, alpha).
PUMA = [
    (0.0, 0.0, math.pi / 2),
    (0.0, 0.4318, 0.0),
    (0.15005, 0.0203, -math.pi / 2),
    (0.4318, 0.0, math.pi / 2),
    (0.0, 0.0, -math.pi / 2),
    (0.0, 0.0, 0.0),
]


def test_puma_is_the_product_of_its_denavit_hartenberg_transforms() -> None:
    model = BUILT_IN["puma560"]()
    for q in np.random.default_rng(4).uniform(-3.0, 3.0, (20, 6)):
        T = np.eye(4)
        for i, ((d, a, alpha), angle) in enumerate(zip(PUMA, q, strict=True), start=1):
            T = T @ rotation(2, angle) @ shift(0.0, 0.0, d) @ shift(a, 0.0, 0.0) @ rotation(0, alpha)
            np.testing.assert_allclose(frame_pose(model, list(q), f"link{i}"), T, atol=ROUNDING)


def test_puma_inertias_stand_in_the_frames_of_its_links() -> None:
    model = BUILT_IN["puma560"]()
    upper_arm, frame = model.by_name["link2"], model.frame("link2")
    center = frame.placement.inv() @ upper_arm.inertia
    assert [x / 17.4 for x in center.moment] == pytest.approx([-0.3638, 0.006, 0.2275])


def test_planar_2r_moves_in_the_vertical_plane_as_in_the_book() -> None:
    model = BUILT_IN["planar_2r"]()
    for t1, t2 in np.random.default_rng(5).uniform(-3.0, 3.0, (20, 2)):
        elbow, tip = (frame_pose(model, [t1, t2], name)[:3, 3] for name in ("link2", "tip"))
        expected = np.array([math.cos(t1), 0.0, math.sin(t1)])
        np.testing.assert_allclose(elbow, expected, atol=ROUNDING)
        forearm = np.array([math.cos(t1 + t2), 0.0, math.sin(t1 + t2)])
        np.testing.assert_allclose(tip, expected + forearm, atol=ROUNDING)
    for b in model.moving:
        assert (b.inertia.mass, b.inertia.moment.x) == (1.0, 1.0)
        np.testing.assert_allclose(central_inertia(b)[1], np.zeros((3, 3)), atol=ROUNDING)


@pytest.mark.parametrize(
    ("name", "q", "tip"),
    [
        ("double_pendulum", [0.0, 0.0], [0.0, 0.0, -2.0]),
        ("double_pendulum", [math.pi / 2, 0.0], [2.0, 0.0, 0.0]),
        ("cart_pole", [0.3, 0.0], [0.3, 0.0, 1.0]),
        ("cart_pole", [0.3, math.pi / 2], [1.3, 0.0, 0.0]),
        ("acrobot", [-math.pi / 2, 0.0], [0.0, 0.0, -3.0]),
        ("acrobot", [math.pi / 2, 0.0], [0.0, 0.0, 3.0]),
    ],
)
def test_pendulums_stand_where_their_pages_say(name: str, q: list[float], tip: list[float]) -> None:
    np.testing.assert_allclose(frame_pose(BUILT_IN[name](), q, "tip")[:3, 3], tip, atol=ROUNDING)


def test_uniform_rods_have_their_textbook_inertia() -> None:
    for b in BUILT_IN["double_pendulum"]().moving:
        np.testing.assert_allclose(central_inertia(b)[1], np.diag([0.0, 1 / 12, 1 / 12]), atol=ROUNDING)
    _, pole = central_inertia(BUILT_IN["cart_pole"]().by_name["pole"])
    np.testing.assert_allclose(np.diag(pole), [0.1 / 12, 0.1 / 12, 0.0], atol=ROUNDING)
