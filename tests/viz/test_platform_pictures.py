"""Parallel robots in pictures and in the viewer: legs end at their pivots, sliders hold the other motors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from naming import named
from sixvec.errors import ArgumentError, ShapeError
from sixvec.model.actuation import active_joints
from sixvec.parallel import Delta, Hexaglide, Parallel321, ParallelRobot, Planar3RPR, StewartGough, track
from sixvec.viz import scene

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure


def ring(radius: float, spread: float) -> np.ndarray:
    angles = np.repeat(2.0 * np.pi * np.arange(3) / 3.0, 2) + spread * np.tile([-1.0, 1.0], 3)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(6)], axis=-1)


def raised(height: float) -> np.ndarray:
    X = np.eye(4)
    X[2, 3] = height
    return X


HEXAPOD = StewartGough(ring(1.0, 0.3), ring(0.6, 0.75))
DELTA = Delta(0.2, 0.05, 0.25, 0.6)
CASES: dict[str, tuple[ParallelRobot, np.ndarray]] = {
    "hexapod": (HEXAPOD, raised(0.9)),
    "hexaglide": (Hexaglide(ring(0.8, 0.3), ring(0.3, 0.7), np.tile([0, 0, 1.0], (6, 1)), 0.9), raised(0.1)),
    "delta": (DELTA, np.array([0.05, 0.02, -0.5])),
    "planar": (Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]]), np.array([1.5, 0.8, 0.3])),
}


@pytest.mark.parametrize("name", CASES)
def test_rods_that_are_seen_end_at_their_pivots(name: str) -> None:
    robot, X = CASES[name]
    shown, q = robot._path(np.stack([X, X]))
    poses = dict(zip(shown.frame_names, shown.poses(q[1]), strict=True))
    for k, leg in enumerate(robot.legs):
        rods = [g for g in shown.model.geoms if g.frame == f"leg{k}_rod" and hasattr(g.shape, "length")]
        (rod,) = rods
        X_rod = poses[rod.frame] @ np.array(rod.placement.as_matrix(), float)
        end = X_rod[:3, 3] + X_rod[:3, 2] * rod.shape.length / 2
        pivot = np.array([*robot.space.pivot(robot.space.checked(X, "X").tolist(), leg.platform)], float)
        assert np.allclose(end, pivot, atol=1e-9)
        assert np.allclose(poses[f"pivot{k}"][:3, 3], pivot, atol=1e-9)


def test_modes_are_shown_with_the_actuators_that_they_belong_to() -> None:
    modes = DELTA.assembly_modes([0.3, 0.3, 0.3])
    shown, q = DELTA._path(modes)
    cranks = [shown.model.q_slices[f"leg{k}_crank"].start for k in range(3)]
    assert len(q) == 2 and np.allclose(q[:, cranks], 0.3)
    assert np.allclose(shown.pose(q, "platform"), modes.poses)
    assert abs(shown.closure_error(q)).max() < 1e-12


def test_pictures_of_modes_and_poses() -> None:
    base = [[1, 0, 0], [-0.5, 0, 0.9], [-0.5, 0, -0.9], [1.5, 0, 1.2], [0.2, 0, 1.9], [1.6, 0, -1.1]]
    robot = Parallel321(base, [[0, 0, 0], [0.7, 0, 0.35], [0.55, 0, -0.45]])
    X = np.eye(4)
    X[:3, 3] = [0.2, 1.2, 0.1]
    modes = robot.assembly_modes(robot.inverse_position(X))
    figure = robot.draw_modes(modes)
    assert [ax.get_title() for ax in figure.axes] == list(modes.labels)
    ends = np.array(figure.axes[0].lines[-1].get_data_3d()).T  # the platform is drawn last
    assert np.allclose(ends[:6], robot.platform @ modes.poses[0][:3, :3].T + modes.poses[0][:3, 3])
    assert DELTA.draw([0.0, 0.0, -0.5], scene(Figure())).name == "3d"
    with pytest.raises(ArgumentError, match="draw"):
        DELTA.draw([0.0, 0.0, -2.0], scene(Figure()))
    with pytest.raises(ShapeError, match=named("draw", "X")):
        DELTA.draw(np.zeros((2, 3)), scene(Figure()))
    with pytest.raises(ShapeError, match="draw_modes"):
        DELTA.draw_modes(DELTA.assembly_modes(np.full((2, 3), 0.3)))
    with pytest.raises(ArgumentError, match="draw_modes"):
        DELTA.draw_modes(DELTA.assembly_modes([3.0, 0.0, 0.0]))


def test_a_track_and_modes_are_written_as_pictures(tmp_path: Path) -> None:
    robot, X = CASES["planar"]
    way = track(robot, robot.inverse_position(np.linspace(X, X + 0.1, 5)), X)
    assert robot.animate(way, tmp_path / "way.png", 0.1).stat().st_size > 5000
    with pytest.raises(ArgumentError, match=r"ParallelRobot\.animate"):
        robot._path(way)[0].animate(way, tmp_path / "no.png")
    with pytest.raises(ShapeError, match="play"):
        DELTA.play(np.zeros((2, 2, 3)), 0.1)


def test_a_slider_of_an_actuator_holds_the_others_and_one_of_the_platform_moves_all() -> None:
    pytest.importorskip("viser")
    viewer = DELTA.view([0.0, 0.0, -0.5], port=0, browser=False)
    try:
        panel = viewer.robots[0]
        robot = panel.robot
        at = [robot.model.q_slices[f"leg{k}_crank"].start for k in range(3)]
        assert active_joints(robot.model) == ("leg0", "leg1", "leg2")
        assert [slider.label for slider, _, _ in panel._sliders[:3]] == ["leg0", "leg1", "leg2"]
        before = panel.q[at].copy()
        crank = next(b for b in robot.model.moving if b.joint_name == "leg0")
        panel._slid(crank, 0, float(before[0]) + 0.2)
        assert np.allclose(panel.q[at], before + 0.2 * np.eye(3)[0])
        assert abs(robot.closure_error(panel.q)).max() < 1e-9
        X = DELTA.forward_position(panel.q[at], robot.pose(panel.q, "platform")).pose
        assert np.allclose(robot.pose(panel.q, "platform"), X, atol=1e-9)
        panel._slid(next(b for b in robot.model.moving if b.name == "platform"), 0, -0.55)
        assert np.isclose(robot.pose(panel.q, "platform")[2, 3], -0.55) and not panel.verdict
        assert np.allclose(DELTA.inverse_position(robot.pose(panel.q, "platform")).q, panel.q[at], atol=1e-9)
    finally:
        viewer.close()


def test_modes_fill_their_figure() -> None:
    modes = DELTA.assembly_modes([0.3, 0.3, 0.3])
    figure = DELTA.draw_modes(modes, columns=1)
    assert figure.get_size_inches().tolist() == [1.9, 3.8] and figure.dpi == 80
    assert [ax.get_subplotspec().get_geometry() for ax in figure.axes] == [(2, 1, 0, 0), (2, 1, 1, 1)]
    wide = DELTA.draw_modes(modes)
    assert wide.get_size_inches().tolist() == [7.6, 1.9]
    places = wide.subplotpars
    assert (places.left, places.right, places.bottom, places.top) == (0.0, 1.0, 0.0, 0.94)
    assert (places.wspace, places.hspace) == (0.0, 0.1)
    for ax, label in zip(wide.axes, modes.labels, strict=True):
        assert ax.title.get_fontsize() == 7.0 and not ax.axison
        assert ax.lines[-1].get_color() == ("#AA4499" if label == "-" else "#E69F00")
    own = Figure()
    assert DELTA.draw_modes(modes, figure=own) is own


def test_servers_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    viser = pytest.importorskip("viser")
    from sixvec.viz.server import serve

    asked: list[dict[str, object]] = []

    def made(**given: Any) -> None:
        asked.append(given)
        given["host"].used = True  # as if it had been restricted

    monkeypatch.setattr(viser, "ViserServer", made)
    serve("127.0.0.1", 0)
    assert asked == [{"host": "127.0.0.1", "port": 0, "label": "sixvec", "verbose": False}]
