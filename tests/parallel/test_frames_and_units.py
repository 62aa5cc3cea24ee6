"""Answers depend neither on where the frames of base and platform are nor on the unit of length."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from naming import named
from parallel_robots import DIETMAIER_BASE, DIETMAIER_LEGS, DIETMAIER_PLATFORM, FAMILIES, Array, hexapod, pose, step
from sixvec.errors import ArgumentError
from sixvec.parallel import (
    Delta,
    ParallelRobot,
    Planar3RPR,
    StewartGough,
    mirrored,
    quality,
    singularity_free_radius,
    track,
)
from sixvec.spatial import Vec3
from sixvec.verdict import Verdict

SAME = 1e-9
FAR = 1e4
CHANGES = {
    "base": (FAR * np.array([1.0, -0.6, 0.3]), np.zeros(3), 1.0),
    "platform": (np.zeros(3), FAR * np.array([-0.4, 0.7, 1.0]), 1.0),
    "both": (FAR * np.array([0.2, 1.0, -0.5]), FAR * np.array([1.0, 0.1, -0.3]), 1.0),
    "kilometres": (np.zeros(3), np.zeros(3), 1e-3),
    "millimetres": (np.zeros(3), np.zeros(3), 1e3),
    "nanometres": (np.zeros(3), np.zeros(3), 1e9),
}
"""The shifts of both frames, and the size of one metre."""


class Changed:
    """A robot in other frames and units."""

    def __init__(self, robot: ParallelRobot, base: Array, platform: Array, metre: float) -> None:
        if robot.space.turns == 1:
            base, platform = base * [1, 1, 0], platform * [1, 1, 0]
        if robot.space.only_turns:  # both frames are at the ball joint
            base, platform = np.zeros(3), np.zeros(3)
        self.robot, self.base, self.platform, self.metre = robot, base, platform, metre
        legs = []
        for leg in robot.legs:
            moved = {leg.fixed: Vec3(*((np.array([*leg.root]) + base) * metre))}
            lengths = {name: getattr(leg, name) * metre for name in ("crank", "rod") if hasattr(leg, name)}
            top = Vec3(*((np.array([*leg.platform]) + platform) * metre))
            legs.append(replace(leg, platform=top, **moved, **lengths))
        self.changed = ParallelRobot(legs, robot.space)
        self.changed.__class__ = type(robot)

    def pose(self, X: Array) -> Array:
        """A pose (4, 4), rotation, position or (x, y, φ)."""
        Y = X.copy()
        if self.robot.space.only_turns:
            return Y
        if X.shape[-1] == 4:
            Y[..., :3, 3] = (X[..., :3, 3] + self.base - X[..., :3, :3] @ self.platform) * self.metre
        elif self.robot.space.turns:
            c, s = np.cos(X[..., 2]), np.sin(X[..., 2])
            x, y = self.platform[:2]
            Y[..., 0] = (X[..., 0] + self.base[0] - c * x + s * y) * self.metre
            Y[..., 1] = (X[..., 1] + self.base[1] - s * x - c * y) * self.metre
        else:
            Y = (X + self.base - self.platform) * self.metre
        return Y

    def back(self, Y: Array) -> Array:
        """A pose in the first frames and units."""
        X = Y.copy()
        if self.robot.space.only_turns:
            return X
        if Y.shape[-1] == 4:
            X[..., :3, 3] = Y[..., :3, 3] / self.metre - self.base + Y[..., :3, :3] @ self.platform
        else:
            c, s = np.cos(Y[..., 2]), np.sin(Y[..., 2])
            x, y = self.platform[:2]
            X[..., 0] = Y[..., 0] / self.metre - self.base[0] + c * x - s * y
            X[..., 1] = Y[..., 1] / self.metre - self.base[1] + s * x + c * y
        return X

    def positions(self, q: Array) -> Array:
        return q * np.array([1.0 if leg.angular else self.metre for leg in self.robot.legs])


SUBJECTS: dict[str, tuple[Any, Array]] = {
    **FAMILIES,
    "planar platform": (hexapod(), pose([0.3, -0.2, 0.4], [0.1, 0.05, 0.9])),
    "general": (
        StewartGough(np.random.default_rng(2).normal(size=(6, 3)), 0.5 * np.random.default_rng(3).normal(size=(6, 3))),
        pose([0.4, -0.1, 0.2], [0.1, 0.2, 1.5]),
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", SUBJECTS)
def test_results_do_not_depend_on_frames_and_units(name: str, change: str) -> None:
    robot, X = SUBJECTS[name]
    other = Changed(robot, *CHANGES[change])
    q = np.asarray(robot.inverse_position(X))
    Q, Y = other.positions(q), other.pose(X)
    assert np.allclose(np.asarray(other.changed.inverse_position(Y)), Q, rtol=SAME, atol=0)
    one, two = robot.assembly_modes(q), other.changed.assembly_modes(Q)
    assert (one.count, one.certified, one.complex_count) == (two.count, two.certified, two.complex_count)
    assert sorted(one.labels) == sorted(two.labels)
    gaps = np.abs(other.back(two.poses)[:, None] - one.poses).reshape(one.count, one.count, -1).max(axis=-1)
    assert gaps.min(axis=1).max() < SAME and gaps.min(axis=0).max() < SAME
    assert two.margin == pytest.approx(one.margin, rel=1e-6)
    start = step(robot, X, 0.01 * np.ones(robot.space.freedoms))
    found = ParallelRobot.forward_position(other.changed, Q, other.pose(start))
    there = other.back(found.pose) if robot.space.turns else other.back(found.pose)[:3, 3]
    assert found and np.abs(there - X).max() < SAME and found.residual < 1e-11 * other.metre


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", SUBJECTS)
def test_singularities_do_not_depend_on_frames_and_units(name: str, change: str) -> None:
    robot, X = SUBJECTS[name]
    other = Changed(robot, *CHANGES[change])
    Y, metre = other.pose(X), other.metre
    one, two = robot.singularity(X), other.changed.singularity(Y)
    assert one.types == two.types and one.rank == two.rank
    assert np.allclose(one.values, two.values, rtol=SAME, atol=SAME)
    assert two.distance / metre == pytest.approx(one.distance, rel=1e-7)
    assert robot.is_architecturally_singular == other.changed.is_architecturally_singular
    mixed = len({leg.angular for leg in robot.legs}) > 1  # springs per metre and per radian do not add in nanometres
    if not (mixed and metre > 1e6):
        assert quality(other.changed, Y).dexterity == pytest.approx(quality(robot, X).dexterity, rel=SAME)
    qd = np.linspace(0.1, 0.7, robot.n)
    t, u = robot.forward_velocity(X, qd), other.changed.forward_velocity(Y, other.positions(qd))
    assert np.allclose(t[: robot.space.turns], u[: robot.space.turns], rtol=1e-8, atol=1e-9)
    assert np.allclose(other.changed.inverse_velocity(Y, u), other.positions(qd), rtol=1e-7, atol=1e-8 * metre)


def test_a_gained_twist_is_reported_at_the_platforms_origin() -> None:
    robot = hexapod()
    flat, far = np.eye(4), Changed(robot, *CHANGES["platform"])
    near, there = robot.singularity(flat), far.changed.singularity(far.pose(flat))
    assert near.rank == there.rank == 3
    G = far.changed.wrench_basis(far.pose(flat))
    size = np.abs(G).max() * np.abs(there.gained).max(axis=0)
    assert (np.abs(G.T @ there.gained).max(axis=0) < 1e-12 * size).all()
    assert np.linalg.matrix_rank(there.unheld.T @ there.gained) == 3


def test_more_legs_than_freedoms_far_away() -> None:
    robot = hexapod(8)
    X = pose([0.1, 0.2, -0.1], [0.1, 0.0, 0.9])
    other = Changed(robot, *CHANGES["both"])
    Y, w = other.pose(X), np.array([0.1, -0.2, 0.3, 4.0, 5.0, 6.0])
    for reference in ("world", "local", "local_world_aligned"):
        qd = other.changed.inverse_velocity(Y, w, reference=reference)
        assert np.allclose(other.changed.forward_velocity(Y, qd, reference=reference), w, atol=1e-6)
        tau = other.changed.inverse_force(Y, w, reference=reference)
        assert np.allclose(other.changed.forward_force(Y, tau, reference=reference), w, atol=1e-6)
    assert other.changed.internal_forces(Y).shape == robot.internal_forces(X).shape == (8, 2)
    assert other.changed.forward_position(other.changed.inverse_position(Y), other.pose(pose([0, 0, 0], [0, 0, 0.9])))


@pytest.mark.parametrize("change", CHANGES)
def test_paths_and_rays_do_not_depend_on_frames_and_units(change: str) -> None:
    robot, X = FAMILIES["hexapod"]
    other = Changed(robot, *CHANGES[change])
    end = pose([0.2, 0.1, 0.0], [0.1, 0.1, 1.0])
    q = np.linspace(robot.inverse_position(X), robot.inverse_position(end), 4)
    one, two = track(robot, q, X), track(other.changed, other.positions(q), other.pose(X))
    assert one.kept and two.kept and one.label == two.label
    assert np.abs(other.back(two.poses) - one.poses).max() < SAME
    radii = (
        singularity_free_radius(robot, X, 2.0, 20, 16),
        singularity_free_radius(other.changed, other.pose(X), 2.0 * other.metre, 20, 16),
    )
    assert radii[1] / other.metre == pytest.approx(radii[0])


def test_forty_poses_in_survey_coordinates() -> None:
    far = Changed(StewartGough(DIETMAIER_BASE, DIETMAIER_PLATFORM), np.array([2e5, -3e5, 100.0]), np.zeros(3), 1.0)
    assert not far.changed.is_architecturally_singular
    modes = far.changed.assembly_modes(DIETMAIER_LEGS)
    assert modes.count == 40 and not modes.self_motion


def test_a_plane_is_judged_by_its_size() -> None:
    """A millimetre out of a plane is no plane, 1e7 m from the origin; a nanometre's platform is one."""
    ring, X = hexapod(), pose([0.1, 0.2, 0.0], [0.0, 0.0, 0.8])
    bent = ring.roots.copy()
    bent[0, 2] += 1e-3
    shift = np.array([1e7, 0.0, 0.0])
    far = X.copy()
    far[:3, 3] += shift
    with pytest.raises(ArgumentError, match=named("base", "pivots")):
        mirrored(StewartGough(bent + shift, ring.platform), far)
    flat = StewartGough(ring.roots + shift, ring.platform)
    assert np.abs(flat.inverse_position(mirrored(flat, far)) - flat.inverse_position(far)).max() < 1e-7
    small = StewartGough(1e-9 * ring.roots, 1e-9 * ring.platform)
    assert small.design == ring.design


@pytest.mark.parametrize("off", [0.0, 1e-11, 1e-9, 1e-7, 1e-5])
def test_a_delta_with_nearly_parallel_rods_is_not_said_to_be_open(off: float) -> None:
    robot = Delta(0.2, 0.2, 0.25, 0.6)
    q = np.pi / 2.0 + off * np.array([1.0, -0.5, 0.3])
    assert robot.forward_position(q)
    found = robot.forward_position(q, [0.1, 0.0, -0.6])
    assert np.isfinite(found.pose).all() and np.isfinite(found.residual)
    assert found.verdict in (Verdict.SOLVED, Verdict.NOT_CONVERGED) and "no pose has" not in found.explain()


def test_a_search_that_fails_returns_its_last_pose() -> None:
    """Lengths that no pose has, though no two legs show it."""
    robot = Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]])
    found = robot.forward_position([2.6, 2.6, 0.2], [1.0, 1.0, 0.0])
    if not found:
        assert found.verdict == Verdict.NOT_CONVERGED and np.isfinite(found.pose).all()
        assert "not converged" in found.explain()
