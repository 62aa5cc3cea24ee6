"""Dexterity, stiffness and accuracy of poses, and maps of them."""

from __future__ import annotations

import numpy as np
import pytest

from parallel_robots import FAMILIES, HOME, hexapod, pose
from sixvec.errors import ArgumentError, ShapeError
from sixvec.parallel import Delta, ParallelRobot, StewartGough, quality, reach, singularity_free_radius, workspace
from sixvec.parallel.reach import REASONS

RNG = np.random.default_rng(29)
DELTA = Delta(0.2, 0.05, 0.25, 0.6)


@pytest.mark.parametrize("name", ["hexapod", "hexa", "hexaglide", "delta"])
def test_accuracy_is_the_largest_shift_that_unit_errors_of_the_actuators_make(name: str) -> None:
    robot, X = FAMILIES[name]
    errors = RNG.normal(size=(4000, robot.n))
    errors /= np.linalg.norm(errors, axis=-1, keepdims=True)
    twists = robot.forward_velocity(X, errors)
    shifts = np.linalg.norm(twists[:, robot.space.turns :], axis=-1)
    accuracy = float(quality(robot, X).accuracy)
    assert shifts.max() <= accuracy * (1.0 + 1e-12) and shifts.max() > 0.7 * accuracy
    J = np.stack([robot.forward_velocity(X, e) for e in np.eye(robot.n)], axis=-1)[robot.space.turns :]
    assert accuracy == pytest.approx(np.linalg.svd(J, compute_uv=False)[0], rel=1e-9)


@pytest.mark.covers("PAR-25")
@pytest.mark.parametrize("name", ["hexapod", "hexa", "delta"])
def test_stiffness_is_that_of_the_softest_push_at_the_origin(name: str) -> None:
    robot, X = FAMILIES[name]
    k = RNG.uniform(1e4, 1e5, size=robot.n)
    K = robot.stiffness(X, k)
    push = RNG.normal(size=(5000, 3))
    push /= np.linalg.norm(push, axis=-1, keepdims=True)
    wrench = np.concatenate([np.zeros((len(push), robot.space.turns)), push], axis=-1)
    way = np.linalg.solve(K, wrench.T).T[:, robot.space.turns :]
    softest = 1.0 / (way * push).sum(axis=-1).max()
    found = float(quality(robot, X, k).stiffness)
    assert found <= softest * (1.0 + 1e-9) and found == pytest.approx(softest, rel=0.02)
    assert float(quality(robot, X, 2.0 * k).stiffness) == pytest.approx(2.0 * found)


def test_a_singular_pose_has_no_quality_and_a_redundant_leg_adds_some() -> None:
    robot = hexapod()
    bad = quality(robot, np.stack([np.eye(4), HOME]), 1e5)
    assert bad.dexterity[0] == 0.0 and bad.stiffness[0] == 0.0 and np.isinf(bad.accuracy[0])
    assert bad.dexterity[1] > 0.0 and np.isfinite(bad.accuracy[1])
    seven = StewartGough(
        np.concatenate([robot.roots, [[0.0, 0.0, 0.0]]]), np.concatenate([robot.platform, [[0.1, 0.0, 0.0]]])
    )
    assert quality(seven, HOME).stiffness > quality(robot, HOME).stiffness
    five = StewartGough(robot.roots[:5], robot.platform[:5])
    assert quality(five, HOME).dexterity == 0.0 and quality(five, HOME).stiffness == 0.0
    with pytest.raises(ShapeError, match="stiffness"):
        quality(robot, HOME, [1.0, 2.0])
    with pytest.raises(ArgumentError, match="stiffness"):
        quality(robot, HOME, -1.0)


def test_the_workspace_of_a_delta_is_where_rods_meet_the_circles_of_the_elbows() -> None:
    found = workspace(DELTA, [(-0.5, 0.5), (-0.5, 0.5), (-0.9, -0.2)], count=10)
    reached = np.ones(found.reached.shape, bool)
    for leg in DELTA.legs:
        out, up = np.array([*leg.zero]), np.array([0.0, 0.0, 1.0])
        d = found.points + np.array([*leg.platform]) - np.array([*leg.base])
        across = d @ np.array([*leg.axis])
        inner = np.hypot(d @ out, d @ up)
        shortest, longest = np.hypot(inner - leg.crank, across), np.hypot(inner + leg.crank, across)
        reached &= (shortest <= leg.rod) & (leg.rod <= longest)
    assert np.array_equal(found.reached, reached) and 0 < reached.sum() < reached.size
    assert (found.accuracy[reached] > 0.0).all() and np.isinf(found.accuracy[~reached]).all()
    far = reach(DELTA, [[0.0, 0.0, -0.5], [0.0, 0.0, -2.0]])
    assert [REASONS[k] for k in far.reason] == ["reached", "cannot reach"]
    assert 0.05 < singularity_free_radius(DELTA, [0.0, 0.0, -0.5], 0.2) <= 0.2
    with pytest.raises(ArgumentError, match="orientations"):
        workspace(DELTA, [(-0.5, 0.5)] * 3, orientations=np.eye(3))


def test_limits_of_legs_joints_and_between_legs_make_a_workspace_smaller() -> None:
    plain = hexapod()
    q = plain.inverse_position(HOME)
    robot = StewartGough(plain.roots, plain.platform, limits=(q.min() - 0.3, q.max() + 0.3))
    box = ((-0.8, 0.8), (-0.8, 0.8), (0.2, 1.6))
    wide, cone = workspace(robot, box, count=8), workspace(robot, box, count=8, base_cone=([0, 0, 1.0], 0.6))
    thick = workspace(robot, box, count=8, leg_radius=0.17)
    assert 0 < cone.reached.sum() < wide.reached.sum() and 0 < thick.reached.sum() < wide.reached.sum()
    assert (cone.reached <= wide.reached).all() and (thick.reached <= wide.reached).all()


@pytest.mark.parametrize("across", ["x", "y", "z"])
def test_maps_are_drawn_layer_by_layer(across: str) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    found = workspace(DELTA, [(-0.5, 0.5), (-0.4, 0.4), (-0.9, -0.2)], count=6)
    ax = found.draw_slice(Figure().subplots(), "accuracy", across=across, at=-0.4 if across == "z" else 0.1)
    normal = "xyz".index(across)
    layer = int(np.abs(np.unique(found.points[..., normal]) - (-0.4 if across == "z" else 0.1)).argmin())
    shown = np.ma.filled(np.ma.masked_invalid(ax.collections[0].get_array()), np.nan).reshape(6, 6)
    there = np.take(found.reached, layer, axis=normal).T
    assert np.array_equal(np.isfinite(shown), there)
    assert np.allclose(shown[there], np.take(found.accuracy, layer, axis=normal).T[there])
    with pytest.raises(ArgumentError, match="dexteritie"):
        found.draw_slice(Figure().subplots(), "dexteritie")


def test_poses_that_reach_no_pivot_are_not_good() -> None:
    robot: ParallelRobot = FAMILIES["hexa"][0]
    far = quality(robot, pose([0, 0, 0], [0, 0, 5.0]))
    assert far.dexterity == 0.0 and np.isinf(far.accuracy)
