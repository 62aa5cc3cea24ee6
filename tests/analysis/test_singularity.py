"""What is lost, what is borne and what moves in known singular positions, next to them and far from them."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from differences import tangent_gradient
from naming import named
from sixvec import Robot
from sixvec.analysis import Singularity, configuration, rate_demand, singularity
from sixvec.analysis.singularity import _embed, _signed, _six
from sixvec.constraints.loops import assembled
from sixvec.errors import ArgumentError, FrameNotFound, ShapeError
from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.solve import Metric, spectrum
from sixvec.spatial import Pose, Vec3
from tolerances import DIFFERENCE, assert_close

PLANE = ("vx", "vz")


@pytest.mark.parametrize("elbow", [0.0, np.pi])
@pytest.mark.covers("KIN-02", "KIN-03")
def test_a_stretched_or_folded_arm_loses_its_radial_motion(elbow: float) -> None:
    arm = sixvec.load("planar_2r")
    report = singularity(arm, [0.3, elbow], "tip", Metric.from_length(1.0, 2), directions=PLANE)
    along_arm = np.array([0.0, 0.0, 0.0, np.cos(0.3), 0.0, np.sin(0.3)])
    assert report.kind == "loses motion" and (report.rank, report.usual_rank) == (1, 2)
    assert report.lost.shape == report.free_wrenches.shape == (6, 1)
    assert abs(report.lost[:, 0] @ along_arm) == pytest.approx(1.0)
    assert abs(report.free_wrenches[:, 0] @ along_arm) == pytest.approx(1.0)
    assert np.abs(arm.jacobian([0.3, elbow], "tip").T @ report.free_wrenches).max() < 1e-12
    assert report.distance < 1e-9


@pytest.mark.covers("KIN-02", "KIN-03")
def test_an_aligned_wrist_loses_a_rotation() -> None:
    """PUMA with joints 4 and 6 on one line: both turn the same way, and the hand cannot turn about the third axis."""
    arm = sixvec.load("puma560")
    tool = arm.frame_names[-1]
    q = arm.random(0)
    q[4] = 0.0
    report = singularity(arm, q, tool, Metric.from_length(0.3, 6))
    assert report.kind == "loses motion" and (report.rank, report.usual_rank) == (5, 6)
    (wrist,) = report.internal.T
    assert np.abs(arm.jacobian(q, tool) @ wrist).max() < 1e-12
    assert np.abs(wrist[[0, 1, 2, 4]]).max() < 1e-12 < 0.1 < np.abs(wrist[[3, 5]]).min()
    text = str(report)
    assert "loses motion" in text and "lost twist" in text and "wrench borne free" in text


@pytest.mark.covers("KIN-02")
def test_almost_every_position_is_regular() -> None:
    arm = sixvec.load("puma560")
    for q in arm.random(1, 5):
        report = singularity(arm, q, arm.frame_names[-1], Metric.from_length(0.3, 6))
        assert report.kind == "regular" and not report.is_singular
        assert report.lost.shape == (6, 0) and report.free_wrenches.shape == (6, 0)
        assert "nearest singularity" in str(report)


@pytest.mark.covers("KIN-02")
def test_redundant_arms_move_inside_without_being_singular() -> None:
    arm = sixvec.load("panda")
    report = singularity(arm, arm.random(1), "panda_link8", Metric.from_length(0.3, 7))
    assert report.kind == "regular" and report.internal.shape == (7, 1)


@pytest.mark.covers("KIN-02")
def test_what_the_arm_can_never_do_is_not_called_lost() -> None:
    """A planar arm bears wrenches out of its plane everywhere; lost is only what is possible next door."""
    arm = sixvec.load("planar_2r")
    directions = ("vx", "vy", "vz")
    report = singularity(arm, [0.3, 0.0], "tip", Metric.from_length(1.0, 2), directions=directions)
    assert (report.rank, report.usual_rank) == (1, 2)
    assert report.free_wrenches.shape == (6, 2) and report.lost.shape == (6, 1)
    assert abs(report.lost[4, 0]) < 1e-12
    assert abs(report.lost[:, 0] @ [0.0, 0.0, 0.0, np.cos(0.3), 0.0, np.sin(0.3)]) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.covers("KIN-03")
def test_gradient_is_the_derivative_of_the_smallest_singular_value() -> None:
    arm = sixvec.load("puma560")
    tool, metric, q = arm.frame_names[-1], Metric.from_length(0.3, 6, rates=np.arange(1.0, 7.0)), arm.random(1, 3)
    expected = tangent_gradient(arm, lambda q: spectrum(arm.jacobian(q, tool), metric).smallest, q)
    found = np.array([singularity(arm, x, tool, metric).gradient for x in q])
    assert_close(found, expected, DIFFERENCE)


@pytest.mark.covers("KIN-03", "Bruyninckx (5.31)")
def test_distance_is_right_to_first_order_near_the_singularity() -> None:
    """σ of the elbow is |sin q₂| times a factor: the estimate comes closer quadratically."""
    arm = sixvec.load("planar_2r")
    metric = Metric.from_length(1.0, 2)
    errors = []
    for gap in (0.2, 0.1, 0.05):
        found = singularity(arm, [0.3, gap], "tip", metric, directions=PLANE).distance
        errors.append(abs(found - gap) / gap)
    assert errors[0] < 0.05
    assert errors[1] < errors[0] / 3 and errors[2] < errors[1] / 3


@pytest.mark.covers("KIN-03")
def test_rate_demand_blows_up_as_one_over_the_distance() -> None:
    arm = sixvec.load("puma560")
    tool, metric = arm.frame_names[-1], Metric.from_length(0.3, 6)
    q = arm.random(0)
    q[4] = 0.0
    lost = singularity(arm, q, tool, metric).lost[:, 0]
    path = np.repeat(q[None], 3, axis=0)
    path[:, 4] = [1e-2, 1e-3, 1e-4]
    J = arm.jacobian(path, tool)
    v = np.linalg.solve(J, np.broadcast_to(lost, (3, 6))[..., None])[..., 0]
    demand = rate_demand(arm, path, lost, tool, metric)
    assert_close(demand, np.abs(v) / arm.velocity_limits, 1e-8)
    worst = np.abs(v).max(axis=1)
    assert worst[1] / worst[0] == pytest.approx(10.0, rel=0.05) and worst[2] / worst[1] == pytest.approx(10.0, rel=0.05)


@pytest.mark.covers("KIN-02")
def test_a_four_bar_gains_motion_where_coupler_and_rocker_align() -> None:
    """Its motor holds the crank, and yet the passive joints move: the crank cannot hold the rocker there."""
    bars, frame, metric = four_bar(), "coupler_end", Metric.from_length(1.0, 3)
    dead = dead_point()
    assert np.abs(bars.closure_error(dead)).max() < 1e-12
    regular = singularity(bars, assembled(bars, [1.2, 0.3, 0.5], ["drive"]), frame, metric, passive=("knee", "pivot"))
    assert regular.kind == "regular" and regular.gained.shape == (3, 0)
    report = singularity(bars, dead, frame, metric, passive=("knee", "pivot"))
    assert "gains motion" in report.kind and report.gained.shape == (3, 1)
    assert abs(report.gained[0, 0]) < 1e-9
    assert np.abs(bars.closure_jacobian(dead) @ report.gained).max() < 1e-9
    assert "motors locked" in str(report)


@pytest.mark.covers("KIN-02")
def test_fully_actuated_trees_never_gain() -> None:
    arm = sixvec.load("planar_2r")
    report = singularity(arm, [0.3, 0.0], "tip", Metric.from_length(1.0, 2), directions=PLANE, passive=())
    assert report.gained.shape == (2, 0)
    limp = singularity(
        arm, [0.3, 1.0], "tip", Metric.from_length(1.0, 2), directions=PLANE, passive=arm.joint_names[1:]
    )
    assert limp.gained.shape == (2, 1) and limp.kind == "regular"  # a passive joint always moves: no surprise


@pytest.mark.covers("CHAIN-02", "KIN-02")
def test_configurations_are_parted_by_singularities() -> None:
    """Elbow up and down have other signs of det J, which is zero between them."""
    arm, metric = sixvec.load("planar_2r"), Metric.from_length(1.0, 2)
    elbows = np.linspace(-3.0, 3.0, 31)
    q = np.stack([np.full(31, 0.4), elbows], axis=1)
    signs = configuration(arm, q, "tip", metric, "x z")
    assert (signs[elbows > 1e-9] == signs[-1]).all() and (signs[elbows < -1e-9] == -signs[-1]).all()
    with pytest.raises(ArgumentError, match="directions"):
        configuration(arm, q, "tip", metric)


def test_bad_questions_are_answered() -> None:
    arm, metric = sixvec.load("planar_2r"), Metric.from_length(1.0, 2)
    with pytest.raises(ShapeError, match=named("singularity", "q")):
        singularity(arm, [[0.0, 0.0, 0.0]], "tip", metric)
    with pytest.raises(ArgumentError, match=named("up")):
        singularity(arm, [0.0, 0.0], "tip", metric, directions=("up",))
    with pytest.raises(ArgumentError, match="wrist"):
        singularity(arm, [0.0, 0.0], "tip", metric, passive=("wrist",))
    with pytest.raises(FrameNotFound, match="top"):
        singularity(arm, [0.0, 0.0], "top", metric)


def four_bar(crank: float = 2.0, coupler: float = 2.0, rocker: float = 1.5, ground: float = 2.2) -> Robot:
    """Bars along x that turn about z, cut between coupler and rocker."""
    z, tip = Revolute(Vec3(0.0, 0.0, 1.0)), Pose.translation
    bodies = (
        Body("crank", None, z, Pose.identity(), joint_name="drive"),
        Body("coupler", "crank", z, tip(Vec3(crank, 0.0, 0.0)), joint_name="knee"),
        Body("rocker", None, z, tip(Vec3(ground, 0.0, 0.0)), joint_name="pivot"),
    )
    frames = (
        *(Frame(b.name, b.name) for b in bodies),
        Frame("coupler_end", "coupler", tip(Vec3(coupler, 0.0, 0.0))),
        Frame("rocker_end", "rocker", tip(Vec3(rocker, 0.0, 0.0))),
    )
    return Robot(Model("bars", bodies, frames, closures=(Closure("pin", "coupler_end", "rocker_end", z),)))


def dead_point() -> np.ndarray:
    """Coupler (2) and rocker (1.5) folded: the crank's end is 0.5 from the pivot, its angle by the cosine rule."""
    angle = np.arccos((2.0**2 + 2.2**2 - 0.5**2) / (2 * 2.0 * 2.2))
    x, y = 2.2 - 2.0 * np.cos(angle), -2.0 * np.sin(angle)
    rocker = np.arctan2(y, x)
    return np.array([angle, rocker - angle, rocker])


@pytest.mark.parametrize(
    ("rank", "usual", "gained", "expected", "kind"),
    [
        (2, 2, 0, 0, "regular"), (1, 2, 0, 0, "loses motion"), (2, 2, 1, 0, "gains motion"),
        (1, 2, 2, 1, "loses and gains motion"), (2, 2, 1, 1, "regular"), (1, 2, 1, 1, "loses motion"),
        (3, 2, 0, 1, "regular"),
    ],
)  # fmt: skip
def test_kinds_and_reports(rank: int, usual: int, gained: int, expected: int, kind: str) -> None:
    none = np.zeros((6, 0))
    found = Singularity(
        "tool", ("vx", "vz"), rank, usual, np.array([2.0, 1e-15]), none, none, np.zeros((2, 0)),
        np.tile([[0.6], [-0.8]], gained), expected, np.zeros(2), 0.25, ("of this",) * (rank < usual),
    )  # fmt: skip
    assert found.kind == kind and found.is_singular == (kind != "regular")
    lines = [f"tool: {kind}; rank {rank} of {usual}; singular values 2, 0"]
    lines += ["  nearest singularity about 0.25 away, in the joint norm"] * (kind == "regular")
    lines += ["  because              of this"] * (rank < usual)
    assert str(found) == "\n".join([*lines, *["  moves, motors locked (0.6, -0.8)"] * gained])


def test_columns_have_their_largest_entry_positive() -> None:
    given = np.array([[1.0, -1.0, 0.5, 0.0], [-2.0, 0.5, 3.0, 0.0]])
    assert _signed(given).tolist() == [[-1.0, 1.0, 0.5, 0.0], [2.0, -0.5, 3.0, 0.0]]
    assert _embed(given, [4, 1])[[1, 4]].tolist() == [[2.0, -0.5, 3.0, 0.0], [-1.0, 1.0, 0.5, 0.0]]
    assert _six(np.array([1e-10, -0.0, 0.12345, -2.0, 1e-8, -1e-10])) == "ang (0, 0, 0.123)  lin (-2, 1e-08, 0)"


@pytest.mark.covers("KIN-02")
def test_a_batch_holds_the_report_of_each_position() -> None:
    """Along a planned motion, with singular positions in it; a position that is not finite is alone invalid."""
    arm, metric = sixvec.load("puma560"), Metric.from_length(0.3, 6)
    tool, q = arm.frame_names[-1], arm.random(0, 8).reshape(2, 4, 6)
    q[0, 1, 4] = q[1, 2, 4] = 0.0
    q[1, 0, 3] = np.nan
    batch = singularity(arm, q, tool, metric)
    assert batch.kind.tolist() == [["regular", "loses motion", "regular", "regular"],
                                   ["invalid", "regular", "loses motion", "regular"]]  # fmt: skip
    assert str(batch) == f"{tool}: 1 invalid, 2 loses motion, 5 regular"
    assert batch.rank.tolist() == [[6, 5, 6, 6], [0, 6, 5, 6]] and batch.usual_rank == 6
    for i in np.ndindex(2, 4):
        if i == (1, 0):
            assert np.isnan(batch.values[i]).all() and np.isnan(batch.distance[i]) and not batch.lost[i].any()
            continue
        one = singularity(arm, q[i], tool, metric)
        for name in ("values", "gradient", "distance"):
            np.testing.assert_array_equal(getattr(batch, name)[i], getattr(one, name))
        for name in ("lost", "free_wrenches", "internal", "gained"):
            columns = getattr(one, name)
            padded = getattr(batch, name)[i]
            np.testing.assert_array_equal(padded[:, : columns.shape[1]], columns)
            assert not padded[:, columns.shape[1] :].any()
    assert singularity(arm, q[:0], tool, metric).rank.shape == (0, 4)
    loop = sixvec.load("four_bar")
    start = assembled(loop, [0.7, 0.0, 1.0])
    several = singularity(loop, np.stack([start, start]), "coupler", Metric.from_length(1.0, 3))
    assert several.rank.shape == (2,) and several.values.shape[0] == 2
