"""The viewer without a browser: what sliders, switches and the target do, and what it says to bad input."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from naming import named
from sixvec import Robot, load
from sixvec.cli.main import main
from sixvec.constraints.contacts import floor
from sixvec.errors import ArgumentError, CallError, DtypeError, FrameNotFound, MissingExtra, ShapeError
from sixvec.geometry.rigid_body.solids import Sphere
from sixvec.mobile import mecanum, mount
from sixvec.parallel import StewartGough
from sixvec.viz.contact_arrows import force_arrows
from sixvec.viz.panel import Panel
from sixvec.viz.path import pictures
from sixvec.viz.server import stop
from sixvec.viz.view_scene import EXTRAS, quaternion_wxyz
from sixvec.viz.viewer import Viewer

pytest.importorskip("viser")


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    made = Viewer(port=0, browser=False)
    yield made
    made.close()


def node_pose(panel: Panel, frame: str) -> np.ndarray:
    node = panel._nodes._moved[frame]
    return np.r_[node.position, node.wxyz]


def pose_of(robot: Robot, q: np.ndarray, frame: str) -> np.ndarray:
    X = robot.pose(q, frame)
    return np.r_[X[:3, 3], quaternion_wxyz(X[:3, :3])]


def test_a_slider_moves_the_links_as_our_kinematics_says(viewer: Viewer) -> None:
    robot = load("panda")
    panel = viewer.add(robot)
    before = node_pose(panel, "panda_link5")
    panel._slid(robot.model.moving[1], 0, 0.5)
    assert panel.q[1] == 0.5
    assert not np.allclose(before, node_pose(panel, "panda_link5"))
    assert np.allclose(node_pose(panel, "panda_link5"), pose_of(robot, panel.q, "panda_link5"))
    slider, _, _ = panel._sliders[1]
    assert slider.value == 0.5 and slider.min == robot.lower[1] and slider.max == robot.upper[1]


def test_sliders_of_a_floating_base_turn_its_quaternion(viewer: Viewer) -> None:
    robot = load("planar_2r", floating=True)
    panel = viewer.add(robot)
    panel._slid(robot.model.moving[0], 2, 0.6)
    assert np.isclose(np.linalg.norm(panel.q[3:7]), 1.0)
    assert np.isclose(robot.difference(robot.neutral(), panel.q)[2], 0.6)
    names = [slider.label for slider, _, _ in panel._sliders]
    assert names[2:4] == ["root_joint turn z", "root_joint x"] and names[6] == "joint1"


def test_a_loop_stays_closed_and_says_when_it_cannot(viewer: Viewer) -> None:
    robot = load("four_bar")
    panel = viewer.add(robot)
    assert abs(robot.closure_error(panel.q)).max() < 1e-9
    panel._slid(robot.model.moving[0], 0, float(panel.q[0]) + 0.2)
    assert abs(robot.closure_error(panel.q)).max() < 1e-9
    held = panel.q.copy()
    panel._slid(robot.model.moving[1], 0, 3.0)
    if panel.verdict:
        assert "cannot be closed" in panel.verdict and np.array_equal(panel.q, held)


def test_the_target_moves_the_arm_and_the_verdict_is_shown(viewer: Viewer) -> None:
    robot = load("panda")
    panel = viewer.add(robot)
    panel._dragging.value = True
    panel._choose_frame()
    X = robot.pose(panel.q, "panda_link8")
    panel.reach(quaternion_wxyz(X[:3, :3]), X[:3, 3] + [0.05, 0.02, -0.05])
    assert panel.verdict == "solved"
    assert np.allclose(robot.pose(panel.q, "panda_link8")[:3, 3], X[:3, 3] + [0.05, 0.02, -0.05], atol=1e-5)
    panel.reach([1.0, 0.0, 0.0, 0.0], [5.0, 0.0, 0.0])
    assert panel.verdict.startswith("unreachable")


def test_everything_that_can_be_switched_on_is_drawn_and_goes_again(viewer: Viewer) -> None:
    robot = load("planar_2r")
    panel = viewer.add(robot)
    nodes = panel._nodes
    for extra in EXTRAS:
        nodes.switch(extra, True)
    assert len(nodes._axes) == len(robot.frame_names) and len(nodes._ellipsoids) >= 2
    assert {*nodes._arrows} == {"centre of mass", "Jacobian", "gravity forces", "collision shapes"}
    assert np.allclose(nodes._arrows["centre of mass"].position, robot.center_of_mass(panel.q))
    panel.show(np.array([0.3, 0.4]))
    assert np.allclose(nodes._arrows["centre of mass"].position, robot.center_of_mass([0.3, 0.4]))
    for extra in EXTRAS:
        nodes.switch(extra, False)
    assert not nodes._arrows and not any(node.visible for node in nodes._axes)


def test_several_robots_stand_at_their_bases(viewer: Viewer) -> None:
    viewer.add(load("planar_2r"))
    base = np.eye(4)
    base[1, 3] = 2.0
    other = viewer.add(load("cart_pole"), base=base)
    assert np.allclose(other._nodes._root.position, [0.0, 2.0, 0.0])
    assert "planar_2r, cart_pole" in repr(viewer) and viewer.url in viewer._repr_html_()
    assert 0.5 < viewer._server.initial_camera.look_at[1] < 1.5, "the camera looks at one of them only"


def test_an_arm_on_wheels_drives_and_reaches(viewer: Viewer) -> None:
    cart = mount(load("planar_2r"), mecanum(0.6, 0.4, 0.05), np.eye(4))
    panel = viewer.add(cart)
    assert [slider.label for slider, _, _ in panel._sliders][:3] == ["platform x", "platform y", "platform turn"]
    panel._slid(cart.model.moving[0], 2, 0.4)
    assert np.allclose(node_pose(panel, "link1"), pose_of(cart, panel.q, "link1")) and panel.q[2] == 0.4
    X = cart.pose(panel.q, "tip")
    panel.reach(quaternion_wxyz(X[:3, :3]), X[:3, 3] + [0.1, 0.0, 0.0])
    assert panel.verdict == "solved"


def test_a_path_is_played_to_its_end_and_kept(viewer: Viewer) -> None:
    robot = load("planar_2r")
    panel = viewer.add(robot)
    swing = robot.rollout([0.1, 0.2], [0.0, 0.0], [0.0, 0.0], 0.01, steps=20)
    viewer.play(swing, 0.01)
    assert viewer.player is not None and viewer.player.duration > 0.15
    viewer.player.play()
    end = time.monotonic() + 20.0
    while viewer.player.playing and time.monotonic() < end:
        time.sleep(0.02)
    assert np.array_equal(panel.q, swing.q[-1])
    viewer.points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [0.0, 1.0])


def test_pictures_of_a_path_are_those_a_screen_can_show() -> None:
    q = np.arange(1001.0)[:, None]
    shown, pause = pictures(q, 0.001, "play")
    assert np.isclose(pause, 1 / 30) and shown[-1] == 1000.0 and len(shown) == 31


def test_a_taken_port_is_replaced_by_another(viewer: Viewer) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        other = Viewer(port=taken.getsockname()[1], browser=False)
        assert other.port != taken.getsockname()[1]
        other.close()


def test_bad_input_has_clear_words(viewer: Viewer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    robot = load("planar_2r")
    with pytest.raises(ArgumentError, match="add"):
        viewer.show([0.0, 0.0])
    viewer.add(robot)
    with pytest.raises(ShapeError, match=named("q")):
        viewer.show([0.0, 0.0, 0.0])
    with pytest.raises(ArgumentError, match="play"):
        viewer.play([[0.0, 0.0], [np.nan, 0.0]], 0.1)
    with pytest.raises(ArgumentError, match=named("play", "dt")):
        viewer.play([[0.0, 0.0]], 0.0)
    with pytest.raises(ArgumentError, match=named("203.0.113.7")):
        Viewer(host="203.0.113.7", browser=False)
    with pytest.raises(ArgumentError, match="port"):
        Viewer(port=99999, browser=False)
    with pytest.raises(ArgumentError, match=named("animate", "swing.avi")):
        robot.animate([[0.0, 0.0]], tmp_path / "swing.avi")
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(MissingExtra, match=r"\[view\]"):
        robot.view()
    assert main(["view", "planar_2r", "--no-browser"]) == 5


def test_a_rejected_position_leaves_no_server_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Viewer] = []
    monkeypatch.setattr(Viewer, "close", lambda self: closed.append(self) or stop(self._server))
    with pytest.raises(ShapeError, match=named("view", "q")):
        load("planar_2r").view([0.0, 0.0, 0.0], port=0, browser=False)
    assert len(closed) == 1


def test_the_command_waits_for_the_user(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(Viewer, "wait", Viewer.close)
    monkeypatch.setattr(Viewer, "open", lambda self: False)
    assert main(["view", "planar_2r", "cart_pole", "--port", "0"]) == 0
    shown = capsys.readouterr().out
    assert "planar_2r, cart_pole at http://localhost:" in shown and "no browser was found" in shown
    assert "is taken" not in shown  # any port was asked for


def test_a_page_that_plays_needs_nothing_from_outside(tmp_path: Path) -> None:
    robot = load("planar_2r")
    file = robot.animate(np.linspace([0.0, 0.0], [1.0, 1.0], 10), tmp_path / "swing.html", 0.05)
    page = file.read_text()
    assert page.count("__VISER_EMBED_DATA__=") == 1 and 'src="http' not in page
    assert len(page) < 3_000_000


def test_degrees_are_noticed_where_a_robot_is_shown(viewer: Viewer) -> None:
    robot = load("panda")
    viewer.add(robot)
    with pytest.warns(UserWarning, match=named("panda_joint2", "angles")):
        viewer.show([0.0, -45.0, 0.0, -90.0, 0.0, 90.0, 45.0])


def test_quaternions_must_be_of_unit_length_where_a_robot_is_shown(viewer: Viewer) -> None:
    robot = load("planar_2r", floating=True)
    viewer.add(robot)
    q = robot.neutral()
    q[3:7] = 0.0
    with pytest.raises(ArgumentError, match=named("q")):
        viewer.show(q)


def test_what_is_not_a_robot_pose_or_point_raises_and_is_named(viewer: Viewer, tmp_path: Path) -> None:
    robot = load("planar_2r")
    with pytest.raises(CallError, match=named("view", "prot")):
        robot.view([0.0, 0.0], prot=1)
    with pytest.raises(ArgumentError, match=named("animate", "file")):
        robot.animate(np.zeros((3, 2)), 3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="panda"):
        viewer.add("panda")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=named("add", "base")):
        viewer.add(robot, None, base=np.eye(3))
    with pytest.raises(DtypeError, match=named("add", "base", "x")):
        viewer.add(robot, None, base="x")  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match=named("points", "centers", "x")):
        viewer.points("x")
    with pytest.raises(ShapeError, match=named("points", "centers")):
        viewer.points([0.0, 1.0])
    with pytest.raises(DtypeError, match=named("q", "ready")):
        viewer.add(robot, "ready")
    assert not viewer.robots


def test_sliders_without_limits_have_room_on_both_sides(viewer: Viewer) -> None:
    corners = [[np.cos(a), np.sin(a), 0.0] for a in np.linspace(0.0, 5.5, 6) + [0.0, 0.4] * 3]
    hexapod = StewartGough(corners, np.array(corners)[[5, 0, 1, 2, 3, 4]] * 0.6)
    X = np.eye(4)
    X[2, 3] = 1.4
    dynamics = hexapod._unit_dynamics(X, None)
    panel = viewer.add(dynamics.robot, dynamics.position(X))
    legs = [slider for slider, _, _ in panel._sliders[:6]]
    for slider, length in zip(legs, hexapod.inverse_position(X), strict=True):
        assert np.isclose(slider.value, length) and 0.0 <= slider.min < length - 0.5 and slider.max > length + 0.5
    turned = viewer.add(load("planar_2r"), [7.0, 0.0])._sliders
    assert [(s.min, s.max) for s, _, _ in turned] == [(7.0 - np.pi, 7.0 + np.pi), (-np.pi, np.pi)]


def test_robots_of_the_command_stand_next_to_each_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bases: list[np.ndarray] = []
    asked: list[str] = []

    class Shown:
        port, url = 8081, "http://here"

        def __init__(self, host: str, port: int, browser: bool) -> None:
            assert (host, port, browser) == ("127.0.0.1", 8080, False)

        def add(self, robot: Robot, base: np.ndarray) -> Shown:
            bases.append(base)
            return self

        size = 2.0

        def open(self) -> bool:
            asked.append("open")
            return False

        def wait(self) -> None:
            asked.append("wait")

    monkeypatch.setattr("sixvec.viz.viewer.Viewer", Shown)
    assert main(["view", "planar_2r", "cart_pole", "planar_2r"]) == 0
    assert [base[1, 3] for base in bases] == [0.0, 3.0, 6.0]
    for base in bases:
        base[1, 3] = 0.0
        assert np.array_equal(base, np.eye(4))
    assert asked == ["open", "wait"]
    assert capsys.readouterr().out.splitlines() == [
        "port 8080 is taken; using 8081",
        "planar_2r, cart_pole, planar_2r at http://here, until Ctrl-C",
        "no browser was found; open that address in one",
    ]
    assert main(["view", "planar_2r", "--no-browser"]) == 0
    assert asked == ["open", "wait", "wait"] and "no browser" not in capsys.readouterr().out


def test_a_script_prints_the_address_and_waits_until_it_is_interrupted(tmp_path: Path) -> None:
    script = tmp_path / "show.py"
    script.write_text("import sixvec\nsixvec.load('planar_2r').view(port=0, browser=False)\n")
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert re.match(r"planar_2r at http://localhost:\d+", line)
        url = line.split()[2].rstrip(",")
        time.sleep(0.5)
        with urllib.request.urlopen(url, timeout=10) as answer:
            assert answer.status == 200
        assert process.poll() is None, "the script ended"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.communicate()
    script.write_text("import sixvec\nsixvec.load('planar_2r').view(port=0, browser=False)\nraise SystemError\n")
    assert subprocess.run([sys.executable, str(script)], capture_output=True, timeout=30).returncode == 1


def test_zero_is_zero_also_where_the_page_starts_elsewhere(viewer: Viewer) -> None:
    arm, panda = viewer.add(load("planar_2r"), [0.3, 0.5]), viewer.add(load("panda"))
    arm.zero()
    assert not arm.q.any() and arm.start.tolist() == [0.3, 0.5]
    panda.randomize()
    panda.zero()
    assert np.array_equal(panda.q, panda.start)
    dog = load("solo12")
    base = dog.neutral()
    base[[0, 2]], base[8] = (1.0, 0.7), 0.2
    panel = viewer.add(dog, base)
    panel.zero()
    assert panel.q[:7].tolist() == base[:7].tolist() and not panel.q[7:].any()


def test_a_free_base_starts_above_the_floor(viewer: Viewer) -> None:
    panel = viewer.add(load("solo12"))
    assert abs(panel.nodes.lowest(panel.q)) < 1e-9
    height = panel.q[2]
    panel.randomize()
    assert panel.q[2] == height and np.all(panel.q[7:] >= panel.robot.lower[7:])
    panel.zero()
    assert not panel.q[7:].any()


def test_the_goal_and_wrenches_are_in_the_scene(viewer: Viewer) -> None:
    robot = load("panda")
    panel = viewer.add(robot)
    goal = panel.q + 0.1
    viewer.goal(goal)
    assert viewer._goal is not None
    assert np.allclose(viewer._goal._moved["panda_link5"].position, robot.pose(goal, "panda_link5")[:3, 3])
    assert all(mesh.opacity < 0.5 for mesh, _ in viewer._goal._surfaces)
    panel.nodes.fade(0.5)
    assert all(mesh.opacity == 0.5 for mesh, _ in panel.nodes._surfaces)
    viewer.wrenches({"panda_link8": [0.0, 0.0, 1.0, 5.0, 0.0, 0.0]})
    with pytest.raises(FrameNotFound, match=named("tool1")):
        viewer.wrenches({"tool1": np.zeros(6)})
    with pytest.raises(ShapeError, match=named("wrenches", "panda_link8")):
        viewer.wrenches({"panda_link8": np.zeros(3)})


def test_contact_arrows_change_the_momentum() -> None:
    dog = load("solo12")
    feet = [f for f in dog.frame_names if f.endswith("FOOT")]
    q = dog.neutral()
    q[7:] = [0.0, 0.7, -1.4] * 4
    q[2] += 0.015 - min(dog.pose(q, f)[2, 3] for f in feet)
    servo = lambda q, v, u: np.concatenate([np.zeros(6), 20.0 * (u - q[7:]) - 0.5 * v[6:]])  # noqa: E731
    ground = floor(feet, Sphere(0.015))
    path = dog.rollout(q, np.zeros(18), q[7:], 1e-3, steps=400, control=servo, contacts=ground)
    points, forces = force_arrows(dog, path, ground, np.arange(350, 400))
    momentum = dog.momentum(path.q[349:], path.v[349:])[:, 3:]
    weight = np.array([0.0, 0.0, 9.81 * dog.mass])
    mean = (momentum[-1] - momentum[0]) / (50 * 1e-3) + weight  # Newton: the forces change the momentum
    assert np.allclose(forces.sum(axis=1).mean(axis=0), mean, atol=1e-3 * weight[2])
    below = [dog.pose(path.q[-1], f)[:2, 3] for f in feet]
    assert np.allclose(points[..., 2], 0.0) and np.allclose(points[-1, :, :2], below)
    with pytest.raises(ArgumentError, match=named("contacts")):
        force_arrows(dog, path.q, ground, np.arange(2))


def test_a_notebook_shows_no_message_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """There viser's table is displayed, not written to stdout."""
    import rich.jupyter

    shown: list[object] = []
    monkeypatch.setattr(rich.jupyter, "display", lambda *parts: shown.append(parts))
    monkeypatch.setattr(rich.get_console(), "is_jupyter", True)
    rich.print("seen")
    assert len(shown) == 1
    Viewer(port=0, browser=False).close()
    assert len(shown) == 1 and not rich.get_console().quiet
