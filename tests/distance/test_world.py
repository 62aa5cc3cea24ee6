"""Distances of a robot to obstacles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from shaped_robots import arm, with_shapes

import sixvec as sv
from sixvec.distance.gaps import Solids
from sixvec.distance.search import PlacedRobot
from sixvec.distance.shapes import CollisionShape
from sixvec.distance.world import Obstacle
from sixvec.errors import ArgumentError, FileFormatError, ShapeError
from sixvec.formats.budget import LIMITS

ALL = ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "convex hull")


def pose_at(*p: float, seed: int = 0) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = Rotation.random(rng=np.random.default_rng(seed)).as_matrix(), p
    return X


def full_world() -> sv.World:
    world, rng = sv.World(), np.random.default_rng(5)
    world.sphere(0.1, pose_at(0.7, 0.0, 0.5))
    world.capsule(0.05, 0.4, pose_at(0.0, 0.8, 0.5, seed=1))
    world.box((0.3, 0.2, 0.4), pose_at(-0.7, 0.1, 0.3, seed=2))
    world.cylinder(0.1, 0.5, pose_at(0.1, -0.8, 0.9, seed=3))
    world.ellipsoid((0.1, 0.2, 0.3), pose_at(0.5, 0.5, 1.3, seed=4))
    world.half_space(pose_at(0.0, 0.0, -1.2))
    world.convex(rng.normal(size=(20, 3)) * 0.1, pose_at(-0.5, -0.5, 1.2, seed=6))
    world.points(rng.uniform(-1.5, 1.5, (500, 3)) + np.array([0.0, 0.0, 2.2]), 0.02)
    return world


@pytest.fixture(scope="module", params=(("sphere",), ("capsule", "sphere"), ALL), ids=len)
def robot(request: pytest.FixtureRequest) -> sv.Robot:
    return with_shapes(arm(4), request.param, each=2)


def brute_force(robot: sv.Robot, world: sv.World, q: np.ndarray) -> dict[tuple[str, str], np.ndarray]:
    shapes = robot.collision_shapes
    obstacles = [(o.shape, o.numbers) for o in world.obstacles]
    for cloud in world.clouds:
        ball = CollisionShape(cloud.name, "", "sphere", (cloud.radius,))
        obstacles += [(ball, np.concatenate([np.eye(3).ravel(), p])) for p in cloud.points]
    poses = PlacedRobot(robot.model, shapes).placing(q).reshape(-1, len(shapes), 12)
    solids, found = Solids((*shapes, *(shape for shape, _ in obstacles))), {}
    Y = np.array([numbers for _, numbers in obstacles])
    for i, shape in enumerate(shapes):
        if shape.frame == "link0":
            continue
        j = np.arange(len(obstacles))
        for n, X in enumerate(poses):
            gaps = solids.gaps(np.full(len(j), i), len(shapes) + j, np.tile(X[i], (len(j), 1)), Y).gap
            for k, (other, _) in enumerate(obstacles):
                row = found.setdefault((shape.frame, other.name), np.full(len(q), np.inf))
                row[n] = min(row[n], gaps[k])
    return found


@pytest.mark.covers("DIST-02")
def test_the_smallest_gap_is_that_of_all_shapes_and_obstacles(robot: sv.Robot) -> None:
    world, q = full_world(), robot.random(0, 12)
    expected = brute_force(robot, world, q)
    found = robot.distances(q, world)
    at = [found.pairs.index(names) for names in expected]
    assert len(at) + len(robot.collision_pairs) == len(found.pairs)
    np.testing.assert_allclose(found.distance[:, at], np.array([*expected.values()]).T, atol=1e-9)
    d = robot.distance(q, world)
    np.testing.assert_allclose(d.distance, found.distance.min(axis=1), atol=1e-9)
    assert {pair[1] for pair in d.pairs} >= set(world.names)
    for margin in (0.0, 0.05):
        np.testing.assert_array_equal(robot.is_clear(q, world, margin=margin), d.distance > margin)


def test_points_and_gradient(robot: sv.Robot) -> None:
    world, q, step = full_world(), robot.random(1, 30), 1e-5
    d = robot.distance(q, world, gradient=True)
    np.testing.assert_allclose(d.points[:, 1] - d.points[:, 0], d.normal * d.distance[:, None], atol=2e-7)
    ahead, behind = (
        np.stack([robot.distance(q + s * step * e, world).distance for e in np.eye(robot.nv)], axis=-1)
        for s in (1.0, -1.0)
    )
    smooth = np.abs(ahead - 2.0 * d.distance[:, None] + behind) < 20.0 * step**2
    assert smooth.mean() > 0.9
    np.testing.assert_allclose(d.gradient[smooth], ((ahead - behind) / (2.0 * step))[smooth], atol=2e-4)


def test_moving_adding_and_removing_obstacles_compiles_nothing(
    robot: sv.Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, q = full_world(), robot.random(2, 5)
    robot.distance(q, world, gradient=True), robot.is_clear(q, world), robot.distances(q, world)
    traced: list[str] = []
    before = robot.distance(q, world).distance
    monkeypatch.setattr("sixvec.kernels.function.trace", lambda name, *rest: traced.append(name))
    world["sphere 1"].pose = pose_at(0.2, 0.2, 0.8)
    world.box((0.1, 0.1, 0.1), pose_at(0.4, 0.1, 0.6))
    world.sphere(0.05, pose_at(0.4, -0.3, 0.6))
    world.remove("capsule 1")
    after = robot.distance(q, world, gradient=True).distance
    robot.is_clear(q, world), robot.distances(q, world)
    assert not traced
    assert (before != after).any()


def test_a_cloud_of_many_points() -> None:
    robot, rng = with_shapes(arm(4), ("sphere",), each=2), np.random.default_rng(0)
    world = sv.World()
    cloud = world.points(rng.uniform(-2.0, 2.0, (100_000, 3)), 0.001)
    q = robot.random(0, 3)
    shapes = robot.collision_shapes
    poses = PlacedRobot(robot.model, shapes).placing(q).reshape(3, -1, 12)
    radii = np.array([s.radius for s in shapes])
    each = np.array(
        [
            [np.linalg.norm(cloud.points - X[9:], axis=1).min() - r - cloud.radius for X, r in zip(P[2:], radii[2:])]
            for P in poses
        ]
    )
    d = robot.distances(q, world).distance
    np.testing.assert_allclose(d[:, len(robot.collision_pairs) :].min(axis=1), each.min(axis=1), atol=1e-12)


def test_a_scene_is_loaded_from_a_file(tmp_path: Path) -> None:
    scene = tmp_path / "scene.xml"
    scene.write_text(
        '<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body pos="0 0 1"><geom name="ball" '
        'size="0.1"/></body></worldbody></mujoco>'
    )
    world = sv.World.load(scene)
    assert world.names == ("floor", "ball") and world["ball"].pose[2, 3] == 1.0
    scene.write_text('<mujoco><worldbody><body><joint/><geom name="ball" size="0.1"/></body></worldbody></mujoco>')
    with pytest.raises(ArgumentError, match=r"ball.*joint moves"):
        sv.World.load(scene)


def test_mistakes_are_named() -> None:
    world = sv.World()
    ball = world.sphere(0.1, name="ball")
    with pytest.raises(ArgumentError, match="radius"):
        world.sphere(-0.1)
    with pytest.raises(ArgumentError, match=r"ball.*not a rotation"):
        ball.pose = np.diag([2.0, 1.0, 1.0, 1.0])
    with pytest.raises(ShapeError, match="ball"):
        ball.pose = np.eye(3)
    with pytest.raises(ArgumentError, match=r"ball.*already"):
        world.box((1, 1, 1), name="ball")
    with pytest.raises(ArgumentError, match=r'"bal".*ball'):
        world.remove("bal")
    with pytest.raises(ArgumentError, match="size"):
        world.box((1, -1, 1))
    with pytest.raises(ValueError, match="read-only"):
        ball.pose[0, 3] = 1.0


def test_a_changed_mesh_file_is_read_again(tmp_path: Path) -> None:
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    scene = tmp_path / "scene.urdf"
    shape = '<collision><geometry><mesh filename="m.obj"/></geometry></collision>'
    scene.write_text(f'<robot name="scene"><link name="a">{shape}</link></robot>')
    for size in (1.0, 3.0):
        lines = [f"v {x:g} {y:g} {z:g}" for x, y, z in size * corners]
        (tmp_path / "m.obj").write_text("\n".join([*lines, "f 1 3 2", "f 1 2 4", "f 2 3 4", "f 1 4 3"]))
        obstacle = sv.World.load(scene)["convex hull 1"]
        assert isinstance(obstacle, Obstacle) and obstacle.vertices is not None
        assert obstacle.vertices.max() == size
        assert sv.load(scene).collision_shapes[0].vertices.max() == size


def test_names_are_numbered_without_a_search() -> None:
    looked_up = 0

    class Counting(dict[str, Obstacle]):
        def __contains__(self, key: object) -> bool:
            nonlocal looked_up
            looked_up += 1
            return super().__contains__(key)

    world = sv.World()
    world._obstacles = Counting()
    world.box((1.0, 1.0, 1.0), name="box 2")
    boxes = [world.box((1.0, 1.0, 1.0)) for _ in range(100)]
    assert [b.name for b in boxes[:3]] == ["box 1", "box 3", "box 4"] and len(world) == 101
    assert looked_up < 300
    world.remove("box 3")
    assert world.box((1.0, 1.0, 1.0)).name == "box 3"


def test_meshes_of_a_scene_have_one_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    scene = tmp_path / "scene.urdf"
    shapes = [
        f'<collision><geometry><mesh filename="m.obj" scale="1 1 {1 + k}"/></geometry></collision>' for k in range(3)
    ]
    scene.write_text(f'<robot name="scene"><link name="a">{"".join(shapes)}</link></robot>')
    monkeypatch.setitem(LIMITS, "drawn triangles", 11)
    with pytest.raises(FileFormatError, match="11 drawn triangles"):
        sv.World.load(scene)
    scene.write_text(scene.read_text().replace("1 1", "2 2"))
    with pytest.raises(FileFormatError, match="11 drawn triangles"):
        _ = sv.load(scene).collision_shapes


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("a.xml", '<mujoco><worldbody><geom type="box" size="-1 1 1"/></worldbody></mujoco>', "-1 1 1"),
        (
            "a.xml",
            '<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>'
            '<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>',
            "hfield",
        ),
        (
            "a.urdf",
            '<robot name="a"><link name="b"><collision><geometry><cube/></geometry></collision></link></robot>',
            "cube",
        ),
        (
            "a.sdf",
            '<sdf version="1.9"><model name="m"><static>true</static><link name="l"><collision name="c"><geometry>'
            "<heightmap><uri>x</uri></heightmap></geometry></collision></link></model></sdf>",
            "heightmap",
        ),
    ],
    ids=["mjcf size", "mjcf kind", "urdf", "sdf"],
)
def test_an_obstacle_that_cannot_be_read_is_an_error(name: str, text: str, named: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(FileFormatError, match=named):
        sv.World.load(file)


def test_a_picture_that_cannot_be_read_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "a.urdf"
    file.write_text(
        '<robot name="a"><link name="b"><visual><geometry><cube/></geometry></visual>'
        '<collision><geometry><sphere radius="1"/></geometry></collision></link></robot>'
    )
    with pytest.warns(UserWarning, match="cube"):
        assert len(sv.World.load(file)) == 1


def test_hulls_of_meshes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corners = np.random.default_rng(0).normal(size=(50, 3))
    file = tmp_path / "m.obj"
    for name, limit in (("corners of hulls", 49), ("vertices of hulls", 9)):
        file.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + f"f 1 2 3\n# {name}\n")
        with monkeypatch.context() as m:
            m.setitem(LIMITS, name, limit)
            with pytest.raises(FileFormatError, match=f"{limit} {name}"):
                sv.World().mesh(file)
    assert sv.World().convex(corners).vertices is not None
