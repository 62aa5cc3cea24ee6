"""Calibration finds the errors that poses can show, and knows which ones they cannot."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError, ShapeError
from sixvec.identification import UndeterminedCalibration, calibrate, parameter_jacobian
from sixvec.identification.calibration import _warn
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.spatial import Motion, Pose, Quaternion, Vec3

TOOL = "panda_link8"


def disturbed(robot: Robot, frame: str, size: float, seed: int = 0) -> Robot:
    """The same robot, built carelessly: every placement off by a small twist."""
    rng = np.random.default_rng(seed)

    def off(X: Pose) -> Pose:
        return X @ Pose.exp(Motion.of((rng.normal(size=6) * size).tolist()))

    bodies = tuple(replace(b, placement=off(b.placement)) for b in robot.model.bodies)
    frames = tuple(replace(f, placement=off(f.placement)) if f.name == frame else f for f in robot.model.frames)
    return Robot(replace(robot.model, bodies=bodies, frames=frames))


@pytest.mark.covers("CHAIN-20")
def test_a_calibrated_robot_predicts_new_poses() -> None:
    """Errors of some millimetres and milliradians in all placements, exact measurements: zero error elsewhere."""
    arm = sixvec.load("panda")
    real = disturbed(arm, TOOL, 3e-3)
    rng = np.random.default_rng(1)
    q, fresh = arm.random(rng, 60), arm.random(rng, 20)
    fit = calibrate(arm, q, uncompiled(real, q, TOOL), TOOL)
    assert fit.converged and fit.iterations <= 8
    before = np.abs(arm.pose(fresh, TOOL) - uncompiled(real, fresh, TOOL)).max()
    after = np.abs(uncompiled(fit.robot, fresh, TOOL) - uncompiled(real, fresh, TOOL)).max()
    assert before > 1e-3 and after < 1e-10
    assert fit.residual_before.max() > 1e-3 > 1e-9 > fit.residual_after.max()
    assert "identifiable" in str(fit)


@pytest.mark.every(2)
@pytest.mark.parametrize(("kinds", "expected"), [("RRRRRR", 30), ("RRPRRR", 28), ("RRRRRRR", 34), ("PPPRRR", 24)])
@pytest.mark.covers("CHAIN-20")
def test_identifiable_parameters_are_as_many_as_theory_says(kinds: str, expected: int) -> None:
    """4 for a revolute, 2 for a prismatic joint, and 6 (Everett and Hsu, J. Dyn. Syst. Meas. Control 110, 1988)."""
    rng = np.random.default_rng(2)
    arm = random_arm(kinds, rng)
    q = rng.uniform(-1.5, 1.5, (40, len(kinds)))
    fit = calibrate(arm, q, arm.pose(q, "tool"), "tool")
    assert fit.rank == 4 * kinds.count("R") + 2 * kinds.count("P") + 6 == expected
    assert fit.combinations.shape == (6 * (len(kinds) + 1), expected)


@pytest.mark.covers("CHAIN-20", "Bruyninckx (5.30)")
def test_what_is_determined_is_recovered_exactly() -> None:
    """With only two placements in question, far apart, all twelve numbers come back."""
    arm = sixvec.load("panda")
    names = ["panda_link2", "panda_link6"]
    rng = np.random.default_rng(3)
    delta = rng.normal(size=(2, 6)) * 2e-3
    off = {n: Pose.exp(Motion.of(d.tolist())) for n, d in zip(names, delta, strict=True)}
    bodies = tuple(replace(b, placement=b.placement @ off[b.name]) if b.name in off else b for b in arm.model.bodies)
    real = Robot(replace(arm.model, bodies=bodies))
    q = arm.random(rng, 30)
    fit = calibrate(arm, q, uncompiled(real, q, TOOL), TOOL, bodies=names, tool=False)
    assert fit.names == tuple(names) and fit.rank == 12 and fit.determined.all()
    np.testing.assert_allclose(fit.correction, delta, atol=1e-10)


@pytest.mark.covers("CHAIN-20")
def test_neighbours_on_one_axis_are_known_only_together() -> None:
    """A turn about a joint's axis can be before or after the joint: neither is determined."""
    arm = random_arm("RR", np.random.default_rng(4))
    q = np.random.default_rng(5).uniform(-1.5, 1.5, (30, 2))
    fit = calibrate(arm, q, arm.pose(q, "tool"), "tool")
    assert fit.rank == 14 and not fit.determined.all()
    assert "?" in str(fit)


@pytest.mark.covers("CHAIN-20")
def test_positions_alone_do_not_show_the_tools_orientation() -> None:
    arm = sixvec.load("panda")
    real = disturbed(arm, TOOL, 2e-3)
    q = arm.random(6, 80)
    fit = calibrate(arm, q, uncompiled(real, q, TOOL)[:, :3, 3], TOOL)
    assert fit.rank == 34 - 3
    assert not fit.determined[-1, :3].any()
    np.testing.assert_allclose(
        uncompiled(fit.robot, q, TOOL)[:, :3, 3], uncompiled(real, q, TOOL)[:, :3, 3], atol=1e-10
    )
    assert np.isnan(fit.residual_after[0])


@pytest.mark.covers("CHAIN-20")
def test_covariance_is_the_scatter_of_repeated_calibrations() -> None:
    """Forty calibrations with fresh noise: the standard deviations of twelve parameters come out as announced."""
    arm, names, noise = sixvec.load("panda"), ["panda_link2", "panda_link6"], 1e-4
    rng = np.random.default_rng(7)
    q = arm.random(rng, 25)
    exact = arm.pose(q, TOOL)
    fits = [
        calibrate(arm, q, noisy(exact, noise, rng), TOOL, bodies=names, tool=False, sigma=(noise, noise))
        for _ in range(40)
    ]
    scatter = np.std([f.correction for f in fits], axis=0)
    announced = np.mean([f.standard_deviation for f in fits], axis=0)
    # The scatter of 40 samples is itself uncertain by 1/√80 = 11 %; four times that bounds twelve of them.
    assert (np.abs(scatter / announced - 1.0) < 0.45).all()
    assert np.abs(np.mean(scatter / announced) - 1.0) < 0.12


@pytest.mark.covers("CHAIN-20")
def test_parameter_jacobian_is_the_derivative_of_the_pose() -> None:
    arm = random_arm("RPR", np.random.default_rng(8))
    q = np.random.default_rng(9).uniform(-1.0, 1.0, (3, 3))
    P = parameter_jacobian(arm, q, "tool")
    assert P.shape == (3, 6, 24)
    names = [b.name for b in arm.model.bodies]
    h = 1e-5
    for i, name in enumerate(names):
        for j in range(6):
            moved = [uncompiled(shifted(arm, name, s * h * np.eye(6)[j]), q, "tool") for s in (1.0, -1.0)]
            rate = (moved[0] - moved[1]) / (2 * h)
            W = rate[:, :3, :3] @ np.swapaxes(arm.pose(q, "tool")[:, :3, :3], 1, 2)
            twist = np.concatenate([np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1), rate[:, :3, 3]], axis=1)
            np.testing.assert_allclose(P[:, :, 6 * i + j], twist, atol=1e-9)


@pytest.mark.covers("CHAIN-20")
def test_too_few_measurements_still_end_and_say_so() -> None:
    arm = sixvec.load("panda")
    real = disturbed(arm, TOOL, 1e-3)
    q = arm.random(0, 2)
    with pytest.warns(UndeterminedCalibration, match="significance"):
        fit = calibrate(arm, q, uncompiled(real, q, TOOL), TOOL)
    assert fit.rank <= 12 and np.isinf(fit.expected_error).all()
    np.testing.assert_allclose(uncompiled(fit.robot, q, TOOL), uncompiled(real, q, TOOL), atol=1e-9)


def five_poses(seed: int, n: int = 5) -> tuple[Robot, np.ndarray, np.ndarray, Callable[[Robot], float]]:
    """A UR5e with errors of a millimetre and a milliradian, n measured poses with a tenth of that as noise."""
    arm, rng = sixvec.load("ur5e"), np.random.default_rng(seed + 10)
    real = disturbed(arm, "tool0", 1e-3, seed)
    q, fresh = arm.random(rng, n), arm.random(rng, 100)
    there = uncompiled(real, fresh, "tool0")

    def held_out(robot: Robot) -> float:
        return float(np.linalg.norm((uncompiled(robot, fresh, "tool0") - there)[:, :3, 3], axis=1).mean())

    return arm, q, noisy(uncompiled(real, q, "tool0"), 1e-4, rng), held_out


@pytest.mark.covers("CHAIN-20")
def test_an_error_that_grows_at_new_positions_is_announced_and_a_prior_prevents_it() -> None:
    """Five poses have as many numbers as an arm with six joints has parameters: all of the noise goes into these."""
    grown = 0
    for seed in range(4):
        arm, q, measured, held_out = five_poses(seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            plain = calibrate(arm, q, measured, "tool0", sigma=(1e-4, 1e-4))
        if held_out(plain.robot) > held_out(arm):
            grown += 1
            assert [w.category for w in caught] == [UndeterminedCalibration] and "noise is larger" in str(caught[0])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            held = calibrate(arm, q, measured, "tool0", sigma=(1e-4, 1e-4), prior=(1e-3, 1e-3))
        assert held.converged and held_out(held.robot) < held_out(arm)
        assert held_out(held.robot) < 2.0 * held.expected_error[1]
        assert held_out(held.robot) < held_out(plain.robot) or held_out(plain.robot) < held_out(arm)
    assert grown, "one of these must be the case that the test is about"


@pytest.mark.covers("CHAIN-20")
def test_combinations_below_their_noise_can_be_left_out() -> None:
    arm, q, measured, held_out = five_poses(1)
    fit = calibrate(arm, q, measured, "tool0", sigma=(1e-4, 1e-4), significance=3.0)
    assert fit.rank < 30 and fit.converged and held_out(fit.robot) < 0.5 * held_out(arm)
    arm, q, measured, _ = five_poses(1, n=3)
    with pytest.warns(UndeterminedCalibration, match="significance"):  # what was never seen is not left out by choice
        calibrate(arm, q, measured, "tool0", sigma=(1e-4, 1e-4), significance=3.0)


@pytest.mark.covers("CHAIN-20")
def test_expected_errors_are_those_that_come() -> None:
    arm, q, measured, held_out = five_poses(2, n=12)
    fit = calibrate(arm, q, measured, "tool0", sigma=(1e-4, 1e-4))
    assert 0.4 < held_out(fit.robot) / fit.expected_error[1] < 2.0
    # A prior much wider than the errors changes nothing, a much narrower one allows nothing.
    wide = calibrate(arm, q, measured, "tool0", sigma=(1e-4, 1e-4), prior=(10.0, 10.0))
    assert np.abs(uncompiled(wide.robot, q, "tool0") - uncompiled(fit.robot, q, "tool0")).max() < 1e-6
    narrow = calibrate(arm, q, measured, "tool0", sigma=(1e-4, 1e-4), prior=np.full((8, 6), 1e-9))
    assert np.abs(narrow.correction).max() < 1e-8


def test_bad_priors_raise() -> None:
    arm, q, measured, _ = five_poses(0)
    for prior, error in (((1.0, 0.0), ArgumentError), ((1.0,), ShapeError), (np.ones((3, 6)), ShapeError)):
        with pytest.raises(error, match="prior"):
            calibrate(arm, q, measured, "tool0", prior=prior)
    with pytest.raises(ArgumentError, match="significance"):
        calibrate(arm, q, measured, "tool0", significance=-1.0)


def test_bad_measurements_are_named() -> None:
    arm = sixvec.load("panda")
    q = arm.random(0, 4)
    X = arm.pose(q, TOOL)
    with pytest.raises(ShapeError, match=named("calibrate", "q")):
        calibrate(arm, q[0], X, TOOL)
    with pytest.raises(ShapeError, match="measured"):
        calibrate(arm, q, X[:2], TOOL)
    with pytest.raises(ArgumentError, match=named("calibrate", "measured")):
        calibrate(arm, q, np.full_like(X, np.nan), TOOL)
    with pytest.raises(ArgumentError, match=named("panda_lnk2", "panda_link2", "bodies")):
        calibrate(arm, q, X, TOOL, bodies=["panda_lnk2"])
    with pytest.raises(ArgumentError, match=named("bodies", "tool")):
        calibrate(arm, q, X, TOOL, bodies=[], tool=False)
    with pytest.raises(ArgumentError, match="sigma"):
        calibrate(arm, q, X, TOOL, sigma=(0.0, 1.0))


def random_arm(kinds: str, rng: np.random.Generator) -> Robot:
    """A serial arm with placements in general position."""
    bodies, parent = [], None
    for i, kind in enumerate(kinds):
        joint = Revolute(Vec3(0.0, 0.0, 1.0)) if kind == "R" else Prismatic(Vec3(0.0, 0.0, 1.0))
        bodies.append(Body(f"link{i}", parent, joint, random_place(rng)))
        parent = f"link{i}"
    return Robot(Model("arm", tuple(bodies), (Frame("tool", parent, random_place(rng)),)))


def random_place(rng: np.random.Generator) -> Pose:
    turn = Quaternion(*rng.normal(size=4).tolist()).normalized().as_rotation()
    return Pose(turn, Vec3.of(rng.uniform(-0.5, 0.5, 3).tolist()))


def shifted(robot: Robot, name: str, six: np.ndarray) -> Robot:
    step = Pose.exp(Motion.of(six.tolist()))
    bodies = tuple(replace(b, placement=b.placement @ step) if b.name == name else b for b in robot.model.bodies)
    return Robot(replace(robot.model, bodies=bodies))


def uncompiled(robot: Robot, q: np.ndarray, frame: str) -> np.ndarray:
    """Poses by the equations on arrays: a robot that is asked once is not worth compiling."""
    rows = robot.evaluate("pose", list(q.T), frame=frame)
    return np.moveaxis(np.array([[np.broadcast_to(x, len(q)) for x in row] for row in rows]), -1, 0)


def noisy(X: np.ndarray, sigma: float, rng: np.random.Generator) -> np.ndarray:
    """Measured poses: turned about world axes and displaced by normal errors."""
    out = X.copy()
    for x in out:
        w = Vec3.of((rng.normal(size=3) * sigma).tolist())
        R = np.array([[*row] for row in Quaternion.exp(w).as_rotation().matrix.rows])
        x[:3, :3] = R @ x[:3, :3]
        x[:3, 3] += rng.normal(size=3) * sigma
    return out


@pytest.mark.covers("CHAIN-20")
def test_two_measurements_of_one_point_by_hand() -> None:
    """Both h too high, one d to the left and one d to the right, at one position: three of six parameters are seen.

    They leave 6 - 3 equations with the squares 2 d²; each coordinate is the mean of two with the variance 2 d²/3.
    """
    arm, d, h = sixvec.load("planar_2r"), 3e-4, 4e-4
    q = np.zeros((2, 2))
    measured = arm.pose(q, "tip")[:, :3, 3] + [[d, 0.0, h], [-d, 0.0, h]]
    fit = calibrate(arm, q, measured, "tip", bodies=[])
    assert fit.names == ("tip",) and fit.rank == 3 and fit.converged
    assert fit.correction[0] == pytest.approx([0.0, 0.0, 0.0, 0.0, h, 0.0], abs=1e-12)  # its y points up
    assert fit.standard_deviation[0] == pytest.approx([0.0] * 3 + [d / np.sqrt(3.0)] * 3, abs=1e-12)
    assert fit.determined.tolist() == [[False] * 3 + [True] * 3]
    assert np.isnan([fit.residual_before[0], fit.residual_after[0], fit.expected_error[0]]).all()
    assert [fit.residual_before[1], fit.residual_after[1]] == pytest.approx([np.hypot(d, h), d])
    assert fit.expected_error[1] == pytest.approx(d)
    lines = str(fit).splitlines()
    assert lines[0].endswith("converged after 2 steps; position residual 0.5 mm -> 0.3 mm")
    assert lines[1] == "  expected at new positions: nan mrad, 0.3 mm" and lines[2].count("?") == 3


@pytest.mark.covers("CHAIN-20")
def test_one_measurement_leaves_the_given_noise() -> None:
    """Three equations for three parameters: the deviation is sigma, and a prior of the same size halves the step."""
    arm = sixvec.load("planar_2r")
    q = np.zeros((1, 2))
    measured = arm.pose(q, "tip")[:, :3, 3] + [[0.0, 2e-3, 0.0]]
    fit = calibrate(arm, q, measured, "tip", bodies=[], sigma=(1.0, 5e-4))
    assert fit.standard_deviation[0] == pytest.approx([0.0] * 3 + [5e-4] * 3, abs=1e-12)
    held = calibrate(arm, q, measured, "tip", bodies=[], sigma=(1.0, 5e-4), prior=(0.1, 5e-4))
    assert held.correction[0] == pytest.approx([0.0, 0.0, 0.0, 0.0, 0.0, -1e-3], abs=1e-9)
    assert held.standard_deviation[0] == pytest.approx([0.1] * 3 + [5e-4 / np.sqrt(2.0)] * 3)
    each = calibrate(arm, q, measured, "tip", bodies=[], sigma=(1.0, 5e-4), prior=[[0.1] * 3 + [1.0, 1.0, 5e-4]])
    assert each.correction[0] == pytest.approx(held.correction[0], abs=1e-9)


@pytest.mark.parametrize(
    ("before", "expected", "points", "said"),
    [
        (
            (1e-3, 1e-3),
            (2e-3, 5e-4),
            False,
            r"^the noise is larger .*: expect 2 mrad \(before 1\), 0.5 mm \(before 1\) at",
        ),
        ((1e-3, 1e-3), (5e-4, 2e-3), False, r"^the noise .* expect 0.5 mrad \(before 1\), 2 mm \(before 1\) at"),
        ((np.nan, 1e-3), (np.nan, 2e-3), True, r"^the noise .* expect 2 mm \(before 1\) at new positions"),
        ((1e-3, 1e-3), (5e-4, np.inf), False, "^the measurements do not determine"),
        ((1e-3, 1e-3), (5e-4, 5e-4), False, ""),
        ((0.0, 0.0), (5e-10, 5e-10), False, ""),
        ((1e-3, 1e-3), (2e-3, 5e-4), True, ""),
    ],
)
def test_what_is_worse_than_before_is_said(
    before: tuple[float, float], expected: tuple[float, float], points: bool, said: str
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _warn(np.array(before), np.array(expected), points)
    assert len(caught) == bool(said)
    assert all(re.search(said, str(w.message)) for w in caught)
