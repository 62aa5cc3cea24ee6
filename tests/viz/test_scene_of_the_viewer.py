"""What the viewer puts into its scene, by hand: sizes, colours, arrows, sliders, camera; without a server."""

from __future__ import annotations

import math
import threading
import webbrowser
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from server_shim import Server

from naming import named
from sixvec import Model, Robot, load
from sixvec.errors import ArgumentError, ModelError, OutputError, ShapeError
from sixvec.geometry.rigid_body.solids import Ellipsoid, Sphere
from sixvec.model import Body, Frame, Geom, Limits, Material
from sixvec.model.joints import Fixed, Free, Planar, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3
from sixvec.viz import panel as panels
from sixvec.viz import recording, viewer
from sixvec.viz.panel import Panel
from sixvec.viz.view_scene import EXTRAS, RobotNodes
from sixvec.viz.viewer import Viewer, start_position

ARM = load("planar_2r")
"""Two links of 1 m with a mass of 1 kg at the end of each; at q = 0 along x, so that its size is 2 m."""
UNIT = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> list[Server]:
    made: list[Server] = []

    def serve(host: str, port: int) -> Server:
        made.append(Server(host, port))
        return made[-1]

    for module in (viewer, recording):
        monkeypatch.setattr(module, "serve", serve)
    return made


@pytest.fixture
def shown(servers: list[Server]) -> Viewer:
    return Viewer(browser=False)


def scene_of(page: Viewer) -> Any:
    return page._server.scene


@cache
def closed_four_bar() -> tuple[Robot, np.ndarray]:
    return load("four_bar"), start_position(load("four_bar"), None)


def at(x: float, y: float, z: float) -> Pose:
    return Pose(Rotation.identity(), Vec3(x, y, z))


def test_addresses_and_the_floor(servers: list[Server], monkeypatch: pytest.MonkeyPatch) -> None:
    assert Viewer(browser=False).url == "http://localhost:8080"
    assert servers[0].asked == ("127.0.0.1", 8080)
    assert Viewer(host="0.0.0.0", port=0, browser=False).url == "http://localhost:12345"
    assert Viewer(host="10.0.0.7", port=65535, browser=False).url == "http://10.0.0.7:65535"
    for wrong in (-1, 65536, "80", 80.0):
        with pytest.raises(ArgumentError, match="port"):
            Viewer(port=wrong, browser=False)  # type: ignore[arg-type]
    (floor,) = servers[0].scene.made
    assert (floor.kind, floor.name) == ("grid", "/floor")
    assert floor.named == {"width": 4.0, "height": 4.0, "cell_size": 0.25, "section_size": 1.0}
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    assert Viewer(browser=True).open() and opened == ["http://localhost:8080"] * 2
    for terminal in (False, True):
        opened.clear()
        monkeypatch.setattr("sys.stdout.isatty", lambda terminal=terminal: terminal)
        Viewer()
        assert bool(opened) == terminal

    def nobody(url: str) -> bool:
        raise webbrowser.Error

    monkeypatch.setattr(webbrowser, "open", nobody)
    assert Viewer(browser=True).open() is False


def test_points_from_dark_to_bright(shown: Viewer) -> None:
    centers = np.arange(9.0).reshape(3, 3)
    middle = [135, 135, 85]
    for values, colors in (
        ([3.0, 4.0, 5.0], [[20, 40, 110], middle, [250, 230, 60]]),
        (None, [middle] * 3),
        ([7.0] * 3, [middle] * 3),
    ):
        shown.points(centers, values, name="reach")
        cloud = scene_of(shown).of("point_cloud")[-1]
        assert cloud.name == "/reach" and cloud.named == {"point_size": 0.012}
        assert np.array_equal(cloud.given[0], centers) and cloud.given[0].dtype == np.float32
        assert cloud.given[1].tolist() == colors and cloud.given[1].dtype == np.uint8
    shown.points(SimpleNamespace(centers=np.zeros((0, 3))))
    assert scene_of(shown).of("point_cloud")[-1].name == "/workspace"
    with pytest.raises(ShapeError, match=named("points", "values")):
        shown.points(centers, [1.0, 2.0])


def test_the_camera_sees_everything(shown: Viewer) -> None:
    """It is 0.9 sizes away, in the direction of the view, from the middle of all frames."""
    way = np.array([1.1, -1.3, 0.8])
    camera = shown._server.initial_camera
    shown.add(ARM, [0.0, 0.0])
    assert np.allclose(camera.look_at, [1.0, 0.0, 0.0])
    assert np.allclose(camera.position, np.array([1.0, 0.0, 0.0]) + 0.9 * 2.0 * way)
    base = np.eye(4)
    base[:3, 3] = 0.0, 6.0, 0.0
    shown.add(ARM, [0.0, 0.0], base)
    assert np.allclose(camera.look_at, [1.0, 3.0, 0.0])
    assert np.allclose(camera.position, np.array([1.0, 3.0, 0.0]) + 0.9 * 6.0 * way)


@pytest.mark.parametrize(("length", "size"), [(0.1, 0.2), (0.5, 0.5), (0.0, 1.0)])
def test_the_camera_keeps_away_from_small_robots(shown: Viewer, length: float, size: float) -> None:
    frames = (Frame("a", "a"), Frame("b", "a", at(0.0, length, 0.0)))
    small = Robot(Model("small", (Body("a", None, Revolute(), inertia=UNIT, joint_name="j"),), frames))
    panel = shown.add(small)
    assert panel.size == pytest.approx(length or 1.0)
    gap = np.subtract(shown._server.initial_camera.position, shown._server.initial_camera.look_at)
    assert np.allclose(gap, 0.9 * size * np.array([1.1, -1.3, 0.8]))


def test_a_path_begins_with_the_first_page_and_satisfies_its_controls(shown: Viewer) -> None:
    panel = shown.add(ARM, [0.0, 0.0])
    path = np.stack([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]], axis=1)
    assert shown.play(path, 0.5) is shown
    player, gui = shown.player, shown._server.gui
    assert player is not None and not player.playing and panel.q[0] == 0.1, "it began before anybody could see it"
    (slider,), (button,), (speed,), (loop,) = map(gui.named, ("time [s]", "play", "speed", "loop"))
    assert slider.kind == "slider" and np.allclose(slider.given, (0.0, 1.0, 0.5, 0.0))
    (connected,) = shown._server.connected
    connected(None)
    assert player.playing and button.label == "pause"
    button.update(None)
    assert not player.playing and button.label == "play"
    connected(None)
    assert not player.playing, "another page started it again"
    player._at = 0.0
    player._go(0)
    for elapsed, factor, time, position in ((0.5, 1.0, 0.5, 0.2), (0.2, 2.0, 0.5, 0.2), (0.1, 1.0, 1.0, 0.3)):
        speed.update(factor)
        player.advance(elapsed)
        assert (player.time, slider.value, panel.q[0]) == (time, time, position), "the slider does not follow"
    player.advance(0.7)
    assert player.time == 1.0 and not player.playing
    loop.update(True)
    player.advance(0.5)
    assert player.time == 0.5 and panel.q[0] == 0.2
    for value, expected in ((0.5, 0.2), (0.7, 0.2), (0.8, 0.3), (9.0, 0.3), (0.0, 0.1)):
        slider.update(value)
        assert panel.q[0] == expected
    shown._server.clients[0] = object()
    shown.play(path, 0.5, loop=True, speed=0.5)
    assert gui.named("Motion")[0].removed and shown.player is not player and shown.player.playing
    assert gui.named("speed")[-1].value == 0.5 and gui.named("loop")[-1].value
    shown.close()
    assert not shown.player.playing
    with pytest.raises(ArgumentError, match=named("play", "speed")):
        shown.play(path, 0.5, speed=-1.0)


def test_wrong_bases_raise(shown: Viewer) -> None:
    for base in (np.eye(3), np.stack([np.eye(4)] * 2), np.full((4, 4), np.nan)):
        with pytest.raises((ArgumentError, ShapeError), match=named("add", "base")):
            shown.add(ARM, None, base)


def test_waiting_ends_with_the_user(shown: Viewer, servers: list[Server], monkeypatch: pytest.MonkeyPatch) -> None:
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(viewer.time, "sleep", nap)
    shown.wait()
    assert naps == [0.2] * 3 and servers[0].stopped


def test_where_robots_start() -> None:
    """At zero, or in the middle of ranges that do not contain it; loops are closed nearest to there."""
    ends = Limits((-1.0,), (2.0,)), Limits((1.0,), (2.0,)), Limits((0.5,), ()), Limits((), (-0.5,))
    bodies = [
        Body(f"b{i}", f"b{i - 1}" if i else None, Revolute(), inertia=UNIT, joint_name=f"j{i}", limits=limits)
        for i, limits in enumerate(ends)
    ]
    assert start_position(Robot(Model("ends", tuple(bodies))), None).tolist() == [0.0, 1.5, 0.0, 0.0]
    assert start_position(ARM, [0.3, 0.4]).tolist() == [0.3, 0.4]
    linkage, q = closed_four_bar()
    assert abs(linkage.closure_error(q)).max() < 1e-9
    others = linkage.assemble(linkage.random(0, viewer.STARTS))
    gaps = np.linalg.norm(linkage.difference(linkage.neutral(), others.q[others.verdict == 0]), axis=-1)
    assert viewer.STARTS == 20 and np.linalg.norm(q) <= gaps.min() + 1e-12
    with pytest.raises(ArgumentError, match=named("view", "panda")):
        start_position("panda", None)  # type: ignore[arg-type]


def test_surfaces_have_their_colours() -> None:
    scene: Any = Server().scene
    glass = Material("glass", (0.1, 0.2, 0.3, 0.5))
    geoms = (Geom("link1", Sphere(0.1), material=glass), Geom("link2", Sphere(0.1)))
    RobotNodes(scene, Robot(replace(ARM.model, geoms=geoms)), "/robot0")
    first, second = scene.of("mesh_simple")
    assert (first.name, second.name) == ("/robot0/frame1/0", "/robot0/frame2/1")
    assert first.named == {"color": (25, 51, 76), "opacity": 0.5, "side": "double"}
    assert second.named == {"color": (183, 191, 204), "opacity": None, "side": "double"}
    assert first.given[0].dtype == np.float32 and first.given[1].dtype == np.uint32
    assert all(node.named == {"show_axes": False} for node in scene.of("frame"))


def nodes_of(robot: Robot, q: Any = None) -> tuple[RobotNodes, Any]:
    scene: Any = Server().scene
    nodes = RobotNodes(scene, robot, "/robot0")
    nodes.show(np.zeros(robot.nq) if q is None else q)
    return nodes, scene


def test_axes_of_frames() -> None:
    nodes, scene = nodes_of(ARM)
    nodes.switch("frames", True)
    axes = [node for node in scene.of("frame") if node.name.endswith("/axes")]
    assert len(axes) == len(ARM.frame_names)
    for node in axes:
        assert node.visible and node.named["axes_length"] == pytest.approx(0.2)
        assert node.named["axes_radius"] == pytest.approx(0.012)
    nodes.switch("frames", False)
    assert not any(node.visible for node in axes)
    nodes.switch("frames", True)
    assert all(node.visible for node in axes)
    assert len([node for node in scene.of("frame") if node.name.endswith("/axes")]) == len(axes)
    nodes.remove()
    assert scene.named("/robot0")[0].removed


def test_ellipsoids_have_the_inertia_of_their_body() -> None:
    """A uniform ellipsoid is shown as itself, on a frame that is beside its body's."""
    solid = at(0.1, 0.2, 0.3) @ Ellipsoid(Vec3(0.3, 0.2, 0.1)).inertia(5.0)
    bodies = (
        Body("a", None, Revolute(), inertia=solid, joint_name="j"),
        Body("light", "a", Revolute(), joint_name="k"),
        Body("nowhere", "a", Revolute(), inertia=UNIT, joint_name="l"),
    )
    frames = (Frame("first", "a", at(0.0, 0.0, 0.5)), Frame("second", "a"), Frame("light", "light"))
    nodes, scene = nodes_of(Robot(Model("solid", bodies, frames)))
    nodes.switch("inertia ellipsoids", True)
    (made,) = [node for node in scene.of("mesh_simple") if node.name.endswith("/inertia")]
    assert made.named == {"color": (170, 68, 153), "opacity": 0.45, "side": "double"}
    assert np.allclose(made.position, [0.1, 0.2, -0.2])
    w, x, y, z = made.wxyz
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    assert np.allclose(np.abs(made.given[0] @ R.T).max(axis=0), [0.3, 0.2, 0.1], atol=2e-3)
    nodes.switch("inertia ellipsoids", False)
    assert not made.visible
    nodes.switch("inertia ellipsoids", True)
    assert made.visible and scene.made.count(made) == 1 and scene.of("mesh_simple")[-1] is made


def test_the_centre_of_mass() -> None:
    nodes, scene = nodes_of(ARM)
    nodes.switch("centre of mass", True)
    ball = scene.of("icosphere")[-1]
    assert ball.name == "/robot0/com" and np.allclose(ball.position, [1.5, 0.0, 0.0])
    assert ball.named["radius"] == pytest.approx(0.08) and ball.named["color"] == (213, 94, 0)
    nodes.switch("centre of mass", False)
    assert ball.removed
    nothing, scene = nodes_of(Robot(Model("light", (Body("a", None, Revolute(), joint_name="j"),))))
    nothing.switch("centre of mass", True)
    assert not scene.of("icosphere")


THIN = {"shaft_radius": 0.016, "head_radius": 0.04, "head_length": 0.096}


def test_the_jacobian_as_arrows() -> None:
    """Both joints lift the tip, the first by 2 m/s; the longest arrow has 0.4 sizes."""
    nodes, scene = nodes_of(ARM)
    nodes.switch("Jacobian", True)
    arrows = scene.of("arrows")[-1]
    assert arrows.name == "/robot0/jacobian" and arrows.given[1] == (230, 159, 0)
    assert arrows.named == pytest.approx(THIN)
    wanted = [[[2, 0, 0], [2, 0, 0.8]], [[2, 0, 0], [2, 0, 0.4]]]
    assert np.allclose(arrows.given[0], wanted, atol=1e-6) and arrows.given[0].dtype == np.float32
    nodes.frame = "link2"
    nodes.show(np.zeros(2))
    wanted = [[[1, 0, 0], [1, 0, 0.8]], [[1, 0, 0], [1, 0, 0]]]
    assert np.allclose(scene.of("arrows")[-1].given[0], wanted, atol=1e-6)
    nodes.frame = "link1"  # which nothing moves
    nodes.show(np.zeros(2))
    assert not scene.of("arrows")[-1].given[0].any()


def test_weights_as_arrows() -> None:
    nodes, scene = nodes_of(load("cart_pole"))
    nodes.switch("gravity forces", True)
    arrows = scene.of("arrows")[-1]
    assert arrows.name == "/robot0/weights" and arrows.given[1] == (170, 68, 153)
    wanted = [[[0, 0, 0], [0, 0, -0.4]], [[0, 0, 0.5], [0, 0, 0.46]]]  # 1 kg and 0.1 kg on a robot of 1 m
    assert np.allclose(arrows.given[0], wanted, atol=1e-6)
    heavy = tuple(
        replace(b, inertia=RigidInertia(3.0 * b.inertia.mass, b.inertia.moment * 3.0, b.inertia.rot * 3.0))
        for b in ARM.model.bodies
    )
    nodes, scene = nodes_of(Robot(replace(ARM.model, bodies=heavy)))
    nodes.switch("gravity forces", True)
    wanted = [[[1, 0, 0], [1, 0, -0.8]], [[2, 0, 0], [2, 0, -0.8]]]  # the heaviest has 0.4 sizes, whatever its mass
    assert np.allclose(scene.of("arrows")[-1].given[0], wanted, atol=1e-6)
    shifted = replace(
        ARM.model, frames=(Frame("x", "link1", at(0.0, 0.3, 0.0)), *ARM.model.frames), gravity=Vec3.zero()
    )
    nodes, scene = nodes_of(Robot(shifted))
    nodes.switch("gravity forces", True)
    wanted = [[[1, 0, 0], [1, 0, 0]], [[2, 0, 0], [2, 0, 0]]]
    assert np.allclose(scene.of("arrows")[-1].given[0], wanted, atol=1e-6)
    nothing, scene = nodes_of(Robot(Model("light", (Body("a", None, Revolute(), joint_name="j"),))))
    nothing.switch("gravity forces", True)
    assert scene.of("arrows")[-1].given[0].shape == (0, 2, 3)


def test_the_closest_pair_and_the_collision_shapes() -> None:
    balls = (Geom("base", Sphere(0.1)), Geom("tip", Sphere(0.2)))
    robot = Robot(replace(ARM.model, geoms=balls)).with_collision_pairs(also=[("base", "tip")])
    nodes, scene = nodes_of(robot)
    nodes.switch("collision shapes", True)
    surfaces = [x for x in scene.made if "/collision" in x.name]
    assert len(surfaces) == 2 and surfaces[0].named["opacity"] == 0.35
    nodes.switch("closest pair", True)
    line, label = scene.made[-2:]
    assert np.allclose(line.given[0], [[[0.1, 0, 0], [1.8, 0, 0]]], atol=1e-6) and line.given[1] == (230, 159, 0)
    assert label.given[0] == "base – tip: 1700.0 mm" and np.allclose(label.named["position"], [0.95, 0, 0])
    nodes.show(np.array([0.0, 3.1]))
    assert scene.made[-2].given[1] != (230, 159, 0) and "-" in scene.made[-1].given[0]
    nodes.switch("closest pair", False)
    nodes.switch("collision shapes", False)
    assert not nodes._arrows
    nodes, scene = nodes_of(ARM)  # without shapes
    nodes.switch("closest pair", True)
    assert "closest pair" not in nodes._arrows


def panel_of(robot: Robot, q: Any = None) -> tuple[Panel, Any]:
    server = Server()
    nodes = RobotNodes(server.scene, robot, "/robot0")
    q = robot.neutral() if q is None else np.array(q, float)
    return Panel(server, nodes, q, threading.RLock()), server


def sliders(server: Any) -> dict[str, tuple[float, ...]]:
    return {node.name: node.given for node in server.gui.of("slider") if node.name != "opacity"}


def test_ranges_of_sliders() -> None:
    """Limits where there are some, else a turn or a metre around, and more where a leg is longer."""
    _, server = panel_of(ARM)
    first = server.gui.of("slider")[0]
    assert first.name == "joint1" and first.inside == ("planar_2r", "Joints")
    assert first.given == pytest.approx((-math.pi, math.pi, 2 * math.pi / 400, 0.0))
    assert first.named == {"hint": "-3.142 to 3.142"}
    joints = (
        (Prismatic(), Limits(), 0.2, (-0.8, 1.2)),
        (Prismatic(), Limits(), 3.0, (0.0, 6.0)),
        (Prismatic(), Limits(), -3.0, (-6.0, 0.0)),
        (Prismatic(), Limits((-2.0,), ()), 0.2, (-2.0, 1.2)),
        (Revolute(), Limits((), (0.5,)), 0.2, (-math.pi, 0.5)),
        (Revolute(), Limits((-0.1,), (0.1,)), 0.2, (-0.1, 0.2)),
        (Revolute(), Limits(), 3.1, (-math.pi, math.pi)),
        (Revolute(), Limits(), -4.0, (-4.0 - math.pi, -4.0 + math.pi)),
        (Revolute(), Limits((0.3,), (0.3,)), 0.3, (0.3, 0.3 + 1e-6)),
    )
    bodies = [
        Body(f"b{i}", f"b{i - 1}" if i else None, joint, inertia=UNIT, joint_name=f"j{i}", limits=limits)
        for i, (joint, limits, _, _) in enumerate(joints)
    ]
    _, server = panel_of(Robot(Model("kinds", tuple(bodies))), [here for _, _, here, _ in joints])
    found = [*sliders(server).values()]
    assert [given[:2] for given in found] == [pytest.approx(ends) for *_, ends in joints]
    assert [given[3] for given in found] == [here for _, _, here, _ in joints]
    assert found[-1][2] == 1e-9


def test_names_and_number_of_sliders(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = (Free(), Spherical(), Planar(), Universal(), Revolute())
    bodies = [
        Body(f"b{i}", f"b{i - 1}" if i else None, joint, inertia=UNIT, joint_name=f"j{i}" if i != 4 else "")
        for i, joint in enumerate(kinds)
    ]
    robot = Robot(Model("kinds", tuple(bodies)))
    q = robot.random(0)
    panel, server = panel_of(robot, q)
    turns = ("turn x", "turn y", "turn z")
    names = [
        *(f"j0 {part}" for part in (*turns, "x", "y", "z")),
        *(f"j1 {part}" for part in turns),
        *(f"j2 {part}" for part in ("x", "y", "turn")),
        *("j3 first turn", "j3 second turn", "b4"),
    ]
    assert [*sliders(server)] == names
    way = robot.difference(robot.neutral(), q)
    assert [given[3] for given in sliders(server).values()] == pytest.approx(way.tolist())
    for k, name in enumerate(names):  # each slider moves its own coordinate
        (slider,) = server.gui.named(name)
        panel.show(robot.neutral())
        slider.update(0.25)
        moved = robot.difference(robot.neutral(), panel.q)
        assert np.allclose(moved, 0.25 * np.eye(robot.nv)[k]), name
    assert panels.MOST_SLIDERS == 60
    for most in (1, 7, 14, 15):
        monkeypatch.setattr(panels, "MOST_SLIDERS", most)
        _, server = panel_of(robot)
        assert len(sliders(server)) == most
        told = [node.name for node in server.gui.of("markdown") if node.name]
        assert told == ([f"The first {most} of 15 coordinates."] if most < 15 else [])


def test_joints_without_motor_are_apart_in_a_loop() -> None:
    _, server = panel_of(*closed_four_bar())
    inside = {node.name: node.inside[1:] for node in server.gui.of("slider") if node.name != "opacity"}
    assert inside == {"drive": ("Joints",), "crank_pin": ("Joints", "Passive joints"),
                      "pivot": ("Joints", "Passive joints")}  # fmt: skip
    (folder,) = server.gui.named("Passive joints")
    assert folder.named["expand_by_default"] is False
    _, server = panel_of(load("acrobot"))  # an open chain has them all together
    assert not server.gui.named("Passive joints") and len(sliders(server)) == 2


def test_switches_and_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = load("panda")
    panel, server = panel_of(robot, robot.random(0))
    boxes = {node.name: node for node in server.gui.of("checkbox")}
    assert [box.value for box in boxes.values()] == [False] * (len(EXTRAS) + 1)
    for extra in ("frames", "centre of mass"):
        boxes[extra].update(True)
        assert extra in panel._nodes.extras
        boxes[extra].update(False)
        assert extra not in panel._nodes.extras
    (choice,) = server.gui.of("dropdown")
    assert choice.given == (tuple(robot.frame_names),) and choice.value == "panda_link8"
    choice.update("panda_link5")
    assert panel._nodes.frame == "panda_link5" and not server.scene.of("transform_controls")
    boxes["drag"].update(True)
    (target,) = server.scene.of("transform_controls")
    X = robot.pose(panel.q, "panda_link5")
    assert target.name == "/robot0/target" and target.named["depth_test"] is False
    assert target.named["scale"] == pytest.approx(0.3 * panel.size) and np.allclose(target.position, X[:3, 3])
    choice.update("panda_link8")
    other = server.scene.of("transform_controls")[-1]
    assert target.removed and np.allclose(other.position, robot.pose(panel.q, "panda_link8")[:3, 3])
    goal = robot.random(1)
    X = robot.pose(goal, "panda_link8")
    from sixvec.viz.view_scene import quaternion_wxyz

    other.wxyz, other.position = quaternion_wxyz(X[:3, :3]), X[:3, 3]
    panel.show(goal + 0.01)
    other.update(None)
    assert panel.verdict == "solved" and np.allclose(robot.pose(panel.q, "panda_link8"), X, atol=1e-5)
    boxes["drag"].update(False)
    assert other.removed and panel._target is None

    def raise_or_note(*given: Any, **named: Any) -> Any:
        raise ModelError("not this one")

    before = panel.q.copy()
    monkeypatch.setattr(type(robot), "ik", raise_or_note)
    panel.reach([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    assert panel.verdict == "not this one" and np.array_equal(panel.q, before)


def test_the_last_frame_is_the_one_that_is_dragged_at_first() -> None:
    panel, _ = panel_of(ARM, [0.3, 0.4])
    X = ARM.pose([0.5, 0.2], "tip")
    from sixvec.viz.view_scene import quaternion_wxyz

    panel.reach(quaternion_wxyz(X[:3, :3]), X[:3, 3])
    assert panel.verdict == "solved" and np.allclose(panel.q, [0.5, 0.2], atol=1e-5)


def test_loops_that_cannot_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    linkage, closed = closed_four_bar()
    panel, server = panel_of(linkage, closed)
    before = panel.q.copy()
    (rocker,) = server.gui.named("pivot")
    rocker.update(float(before[2]) + 2.5)  # beyond what a rocker does
    assert panel.verdict.startswith("loops cannot be closed there (") and np.array_equal(panel.q, before)
    (crank,) = server.gui.named("drive")
    crank.update(float(before[0]) + 0.3)
    assert panel.verdict == "" and panel.q[0] == pytest.approx(before[0] + 0.3)
    assert panel._held(linkage.model.moving[0]) == ["drive"] and panel._held(linkage.model.moving[1]) == ["crank_pin"]

    def raise_or_note(*given: Any, **named: Any) -> Any:
        raise ModelError("not this one")

    monkeypatch.setattr(type(linkage), "assemble", raise_or_note)
    held = panel.q.copy()
    crank.update(0.1)
    assert panel.verdict == "not this one" and np.array_equal(panel.q, held)


def test_motors_are_held_while_freedoms_last() -> None:
    """With two motors on one freedom only the one that is moved is held."""
    linkage, closed = closed_four_bar()
    model = linkage.model
    both = tuple(replace(b, limits=Limits()) if b.name == "rocker" else b for b in model.bodies)
    robot = Robot(replace(model, bodies=both))
    panel, _ = panel_of(robot, closed)
    assert panel._held(robot.model.moving[0]) == ["drive"]


def test_a_page_plays_a_path(servers: list[Server], tmp_path: Path) -> None:
    path = np.array([[0.0, 0.0], [np.pi / 2, 0.0]])
    text = recording.page(ARM, path, 0.25)
    (server,) = servers
    assert text == "<page>" and server.asked == ("127.0.0.1", 0) and server.stopped and server.pauses == [0.25] * 2
    (floor,) = server.scene.named("/floor")
    assert floor.named == {"width": 4.0, "height": 4.0, "cell_size": 0.25, "section_size": 1.0}
    middle = np.array([1.0, 0.0, 1.0])  # it lies along x, then stands up
    assert np.allclose(server.initial_camera.look_at, middle)
    assert np.allclose(server.initial_camera.position, middle + 0.9 * 2.0 * np.array([1.1, -1.3, 0.8]))
    still = Robot(Model("still", (Body("a", None, Revolute(), inertia=UNIT, joint_name="j"), Body("b", "a", Fixed()))))
    recording.page(still, np.zeros((1, 1)), 0.25)
    assert np.allclose(servers[1].initial_camera.position, 0.9 * 0.2 * np.array([1.1, -1.3, 0.8]))
    assert recording.DEFAULT_STEP == 1.0 / 30.0
    for name in ("a.html", "a.HTM"):
        file = recording.animate(ARM, path, tmp_path / name, 0.5)
        assert file.read_text() == "<page>" and servers[-1].pauses == [0.5] * 2
    recording.animate(ARM, path, tmp_path / "a.html", overwrite=True)
    with pytest.raises(OutputError, match=named("a.html")):
        recording.animate(ARM, path, tmp_path / "a.html")
