"""Every drawing contains the points of the value that it shows."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sixvec import Model, load, viz
from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.plane import Plane
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.geometry.screw import Screw
from sixvec.model import Body, Gear
from sixvec.model.joints import Revolute
from sixvec.parallel import Planar3RPR
from sixvec.spatial import Force, Motion, Pose, Rotation, Vec3

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

ARM = load("planar_2r")
SWING = np.stack([np.linspace(-0.5, 1.0, 6), np.linspace(0.2, -0.9, 6)], axis=1)
PLACE, AT = Point(1.0, 2.0, 3.0), np.array([1.0, 2.0, 3.0])
ALONG = np.array([0.3, -0.4, 1.2]) / 1.3
LINE = Line(PLACE, Vec3(0.3, -0.4, 1.2))
FOOT = AT - ALONG * (ALONG @ AT)
"""The point of the line that is closest to the origin."""
BENT = Pose(Rotation.about_z(0.4) @ Rotation.about_x(0.7), Vec3(1.0, 2.0, 3.0))
TWIST = np.array([0.2, -0.5, 1.1, 0.4, 0.9, -0.3])
MOTION, FORCE = Motion(Vec3(*TWIST[:3]), Vec3(*TWIST[3:])), Force(Vec3(*TWIST[3:]), Vec3(*TWIST[:3]))
CENTRE = np.cross(TWIST[:3], TWIST[3:]) / (TWIST[:3] @ TWIST[:3])
"""The point of the axis of the twist, and of the wrench, that is closest to the origin."""
ON_AXIS = CENTRE + TWIST[:3] * (TWIST[:3] @ (AT - CENTRE)) / (TWIST[:3] @ TWIST[:3])
PLATFORM = Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]])
CELLS = np.array([[0.0, 0.1, 0.2], [1.0, 0.3, -0.4]])


def tips(X: np.ndarray, length: float) -> list[np.ndarray]:
    """The origin of a frame and the ends of its axes."""
    return [X[:3, 3], *(X[:3, 3] + length * X[:3, k] for k in range(3))]


def ellipsoid(name: str, q: list[float], frame: str, size: float, force: bool = False) -> list[np.ndarray]:
    robot = load(name)
    U, values, _ = np.linalg.svd(robot.jacobian(q, frame)[3:])
    values = np.array([*values, 0.0][:3])
    with np.errstate(divide="ignore"):
        radii = np.where(values > 1e-9, 1.0 / values, 0.0) if force else values
    axes = U * (size * radii / radii.max())
    return [robot.pose(q, frame)[:3, 3] + sign * axes[:, k] for k in range(3) for sign in (-1, 1)]


def platform_pivots() -> list[np.ndarray]:
    x, y, angle = 1.5, 0.8, 0.3
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    base = np.array([[0, 0], [4, 0], [2, 3]])
    moved = np.array([[0, 0], [1, 0], [0.5, 1]]) @ turn.T + [x, y]
    return [np.array([*p, 0.0]) for p in (*base, *moved)]


SOLID: dict[str, tuple[Callable[[Any], object], Any]] = {
    "frame": (lambda ax: viz.draw_frame(ax, BENT, "B", 0.7), tips(np.array(BENT.as_matrix(), float), 0.7)),
    "inverse frame": (
        lambda ax: viz.draw_frame(ax, BENT.inv()),
        tips(np.linalg.inv(np.array(BENT.as_matrix(), float)), 1.0),
    ),
    "point": (lambda ax: viz.draw_point(ax, PLACE, "p"), [AT]),
    "vector": (
        lambda ax: viz.draw_vector(ax, Vec3(1.0, -2.0, 0.5), PLACE, "v", scale=0.4),
        [AT, np.add(AT, [0.4, -0.8, 0.2])],
    ),
    "direction": (
        lambda ax: viz.draw_direction(ax, Direction(0.0, 0.6, -0.8), PLACE, "n", length=1.3),
        [AT, np.add(AT, [0.0, 0.78, -1.04])],
    ),
    "line": (
        lambda ax: viz.draw_line(ax, LINE, Point(0.0, 0.0, 0.0), "l", length=2.0),
        [FOOT - ALONG, FOOT + ALONG],
    ),
    "plucker line": (
        lambda ax: viz.draw_line(ax, PluckerLine.from_line(LINE), PLACE, "l", length=4.0),
        [AT - 2 * ALONG, AT + 2 * ALONG],
    ),
    "measure": (lambda ax: viz.draw_measure(ax, PLACE, Point(-1.0, 0.5, 2.0), "d"), [AT, [-1.0, 0.5, 2.0]]),
    "screw": (
        lambda ax: viz.draw_screw(ax, Screw.from_axis(LINE, -0.11), PLACE, "s", length=2.0, radius=0.2),
        [AT - ALONG, AT + ALONG],
    ),
    "screw at infinity": (
        lambda ax: viz.draw_screw(ax, Screw.at_infinity(Vec3(0.0, 0.6, 0.8)), PLACE, "s", length=2.0),
        [AT - [0.0, 0.6, 0.8], np.add(AT, [0.0, 0.6, 0.8])],
    ),
    "twist": (
        lambda ax: viz.draw_twist(ax, MOTION, PLACE, "t", 0.8, 2.0, 0.2),
        [ON_AXIS, ON_AXIS + 0.8 * TWIST[:3]],
    ),
    "translation": (
        lambda ax: viz.draw_twist(ax, Motion(Vec3.zero(), MOTION.lin), PLACE, "t"),
        [AT, AT + TWIST[3:]],
    ),
    "wrench": (
        lambda ax: viz.draw_wrench(ax, FORCE, PLACE, "w", 0.8, 2.0, 0.2),
        [ON_AXIS, ON_AXIS + 0.8 * TWIST[:3]],
    ),
    "couple": (
        lambda ax: viz.draw_wrench(ax, Force(MOTION.lin, Vec3.zero()), PLACE, "w"),
        [AT, AT + TWIST[3:]],
    ),
    "skeleton": (
        lambda ax: viz.draw_robot(load("solo12"), load("solo12").random(1), ax, shapes=False),
        load("solo12").poses(load("solo12").random(1))[:, :3, 3],
    ),
    "velocities": (
        lambda ax: viz.draw_manipulability(load("ur5e"), np.arange(6) * 0.3, "tool0", ax, size=0.4),
        ellipsoid("ur5e", [0.0, 0.3, 0.6, 0.9, 1.2, 1.5], "tool0", 0.4),
    ),
    "forces": (
        lambda ax: viz.draw_manipulability(ARM, [0.3, 0.5], "tip", ax, kind="force"),
        ellipsoid("planar_2r", [0.3, 0.5], "tip", 0.3, force=True),
    ),
    "workspace": (lambda ax: viz.draw_workspace(ax, CELLS, [0.2, 0.7]), CELLS),
    "workspace of one colour": (lambda ax: viz.draw_workspace(ax, CELLS), CELLS),
    "platform": (lambda ax: viz.draw_platform(PLATFORM, [1.5, 0.8, 0.3], ax), platform_pivots()),
}
FLAT: dict[str, tuple[Callable[[Any], object], Any]] = {
    "joint path": (
        lambda ax: viz.draw_joint_path(ARM, SWING, 0.2, ax),
        [(0.2 * k, angle) for k, q in enumerate(SWING) for angle in q],
    ),
    "one coordinate": (
        lambda ax: viz.draw_joint_path(ARM, SWING, 0.2, ax, joints=["joint2"]),
        [(0.2 * k, q[1]) for k, q in enumerate(SWING)],
    ),
    "phase": (lambda ax: viz.draw_phase(SWING[:, 0], SWING[:, 1], ax, name="swing"), SWING),
    "slice": (
        lambda ax: viz.draw_workspace_slice(CELLS, [0.2, 0.7], ax, at=0.3, thickness=0.12),
        CELLS[1:, [0, 2]],
    ),
    "parameters": (
        lambda ax: viz.draw_base_parameters(identified(), ax),
        [(value + side * 1.96 * 0.1, row) for row, value in enumerate((1.0, -0.3, 0.19)) for side in (-1, 0, 1)],
    ),
}


def identified() -> Any:
    values = np.array([1.0, -0.3, 0.19])
    names = ["m", "h" * 36, "I" * 37]
    return SimpleNamespace(values=values, standard_errors=np.full(3, 0.1), base=SimpleNamespace(names=names))


def drawn(ax: Any) -> np.ndarray:
    """The points of all lines, arrows, marks and surfaces."""
    solid = ax.name == "3d"
    points = [np.array(line.get_data_3d() if solid else line.get_data(), float).T for line in ax.lines]
    points += [patch.ends for patch in ax.patches if hasattr(patch, "ends")]
    for collection in ax.collections:
        if hasattr(collection, "_faces"):
            points.append(np.concatenate([*collection._faces]))
        else:
            points.append(np.transpose(collection._offsets3d) if solid else collection.get_offsets())
    return np.concatenate(points)


def picture(name: str) -> tuple[Any, np.ndarray]:
    draw, points = (SOLID | FLAT)[name]
    ax = viz.scene(Figure()) if name in SOLID else Figure().subplots()
    draw(ax)
    return ax, np.asarray(points, float)


@pytest.mark.parametrize("name", SOLID | FLAT)
def test_every_point_of_the_value_is_drawn_and_in_view(name: str) -> None:
    ax, points = picture(name)
    shown = drawn(ax)
    for point in points:
        assert np.abs(shown - point).max(axis=1).min() < 1e-9, point
    box = np.array([ax.get_xlim(), ax.get_ylim(), *([ax.get_zlim()] if name in SOLID else [])])
    low, high = np.sort(box, axis=1).T
    assert (low <= points).all() and (points <= high).all()


@pytest.mark.parametrize("name", SOLID | FLAT)
def test_drawings_are_legible(name: str) -> None:
    ax, _ = picture(name)
    assert all(text.get_fontsize() >= 7.0 for text in ax.texts)
    assert all(line.get_linewidth() >= 0.7 for line in ax.lines)
    labels = [text.get_zorder() for text in ax.texts]
    assert not labels or min(labels) >= max(artist.get_zorder() for artist in (*ax.lines, *ax.patches))


def test_a_plane_is_a_square_around_its_closest_point() -> None:
    normal = np.array([0.36, 0.48, 0.8])
    ax = viz.scene(Figure())
    viz.draw_plane(ax, Plane(Direction(*normal), 2.0), PLACE, "E", size=1.5)
    (square,) = ax.collections
    corners = np.unique(np.round(np.concatenate([*square._faces]), 12), axis=0)
    closest = AT - normal * (normal @ AT - 2.0)
    np.testing.assert_allclose(corners @ normal, 2.0)
    np.testing.assert_allclose(corners.mean(axis=0), closest)
    np.testing.assert_allclose(np.linalg.norm(corners - closest, axis=1), 0.75 * np.sqrt(2.0))
    (arrow,) = ax.patches
    np.testing.assert_allclose(arrow.ends, [closest, closest + 0.45 * normal])


@pytest.mark.parametrize("pitch", [-0.11, 0.05, 0.7])
def test_the_helix_of_a_screw_climbs_by_its_pitch_per_radian(pitch: float) -> None:
    ax = viz.scene(Figure())
    viz.draw_screw(ax, Screw.from_axis(LINE, pitch), PLACE, length=2.0, radius=0.2)
    _, helix = ax.lines
    path = np.array(helix.get_data_3d()).T - AT
    height = path @ ALONG
    x = np.cross(ALONG, [1.0, 0.0, 0.0])
    x /= np.linalg.norm(x)
    angle = np.unwrap(np.arctan2(path @ np.cross(ALONG, x), path @ x))
    np.testing.assert_allclose(np.linalg.norm(path - height[:, None] * ALONG, axis=1), 0.2)
    np.testing.assert_allclose(np.diff(height), pitch * np.diff(angle), atol=1e-12)
    assert (np.diff(angle) > 0.0).all() and np.ptp(angle) < 6.0 * np.pi and np.ptp(height) <= 0.8 * 2.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_circular_arrow_turns_as_its_twist_does(sign: float) -> None:
    ax = viz.scene(Figure())
    viz.draw_twist(ax, Motion(Vec3(0.0, 0.0, sign), Vec3.zero()), radius=0.2)
    circle = np.array(ax.lines[0].get_data_3d()).T
    np.testing.assert_allclose(np.hypot(circle[:, 0], circle[:, 1]), 0.2)
    assert (sign * np.cross(circle[:-1], np.diff(circle, axis=0))[:, 2] > 0.0).all()


def test_shapes_move_with_their_bodies() -> None:
    def corners(q: list[float]) -> np.ndarray:
        (surface,) = viz.draw_robot(ARM, q, viz.scene(Figure())).collections
        return np.concatenate([*surface._faces])

    start, turned = corners([0.3, 0.5]), corners([0.7, 0.5])
    turn = ARM.pose([0.7, 0.5], "tip") @ np.linalg.inv(ARM.pose([0.3, 0.5], "tip"))
    fixed = np.isclose(start, turned, atol=1e-12).all(axis=1)
    np.testing.assert_allclose(turned[~fixed], start[~fixed] @ turn[:3, :3].T + turn[:3, 3], atol=1e-12)
    assert (~fixed).sum() > 100


def test_the_image_of_a_mass_matrix_is_dark_where_it_is_large() -> None:
    solo = load("solo12")
    (image,) = viz.draw_mass_matrix(solo, solo.random(2), Figure().subplots()).images
    M = np.abs(solo.mass_matrix(solo.random(2)))
    zero = 1e-12 * M.max() > M
    assert (image.get_array().mask == zero).all()
    np.testing.assert_allclose(image.get_array()[~zero], np.log10(M[~zero]))


def test_gears_join_the_bodies_that_they_couple() -> None:
    bodies = [Body("base"), *(Body(n, "base", Revolute(Vec3(0.0, 0.0, 1.0)), joint_name=n) for n in ("a", "b"))]
    model = Model("geared", tuple(bodies), closures=(Gear("gear", "a", "b", ratio=2.0),))
    ax = viz.draw_tree(model, Figure().subplots())  # type: ignore[arg-type]
    place = {text.get_text(): text.get_position() for text in ax.texts}
    (gear,) = (line for line in ax.lines if line.get_linestyle() == "--")
    assert {*zip(*gear.get_data(), strict=True)} == {place["a"], place["b"]}
