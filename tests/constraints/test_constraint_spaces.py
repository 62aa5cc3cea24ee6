"""Twist and wrench spaces: reciprocity, joints of every type, and stops that hold in one sense only."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from cloud import random_cloud, random_force, random_motion, six
from naming import named
from random_trees import JOINTS, random_pose
from sixvec.constraints import constraint_of_joint, constraint_of_twists, constraint_of_wrenches
from sixvec.constraints.constraint import KinematicConstraint, TwistSpace, WrenchSpace
from sixvec.constraints.contacts.unilateral import JointLimit, UnilateralConstraint, push
from sixvec.errors import DegenerateError, FrameError
from sixvec.geometry.rigid_body.stiffness import Stiffness
from sixvec.model.joints import Joint, Prismatic, Revolute
from sixvec.spatial import Force, Motion, Pose, Rotation, Vec3
from tolerances import IDENTITY, ROUNDING, assert_close

every_joint = pytest.mark.parametrize("kind", JOINTS)


def sample(kind: str) -> tuple[Joint, list[float]]:
    rng = np.random.default_rng(11)
    joint = JOINTS[kind](rng)
    return joint, joint.sample(rng, np.full(joint.nq, -np.inf), np.full(joint.nq, np.inf), ()).tolist()


def rank(screws: object) -> int:
    rows = [[*s] for s in screws]
    return int(np.linalg.matrix_rank(np.array(rows), tol=1e-9)) if rows else 0


@every_joint
@pytest.mark.covers("BODY-28")
def test_joint_spaces_are_reciprocal_and_complete(kind: str) -> None:
    joint, q = sample(kind)
    constraint = constraint_of_joint(joint, q)
    assert constraint.freedom == joint.nv
    assert rank(constraint.twists.basis) == joint.nv and rank(constraint.wrenches.basis) == 6 - joint.nv
    for s in joint.subspace(q):
        assert all(abs(power) < IDENTITY for power in constraint.wrenches.violation(s))
    again = constraint_of_wrenches(constraint.wrenches.basis)
    assert rank([*again.twists.basis, *constraint.twists.basis]) == joint.nv


@every_joint
@pytest.mark.covers("BODY-35", "BODY-28")
def test_power_balance_of_every_joint(kind: str) -> None:
    """τ · q̇ = f · S q̇ with τ = Sᵀ f: the constraint part of f, however large, takes no power (Featherstone (7))."""
    joint, q = sample(kind)
    rng = np.random.default_rng(12)
    S, constraint = TwistSpace(joint.subspace(q)), constraint_of_joint(joint, q)
    for _ in range(5):
        v, f = rng.normal(size=joint.nv).tolist(), random_force(rng)
        held = constraint.wrenches.combine((1e3 * rng.normal(size=6 - joint.nv)).tolist())
        tau = [s.dot(f + held) for s in S.basis]
        V = S.combine(v)
        power = float(np.dot(tau, v))
        assert power == pytest.approx(V.dot(f + held), rel=1e-9, abs=1e-9)
        assert power == pytest.approx(V.dot(f), rel=1e-9, abs=1e-9)
        # The same power in the joint's own frame and in any other.
        X = random_pose(rng) @ joint.pose(q)
        assert (X @ V).dot(X @ f) == pytest.approx(V.dot(f), rel=1e-10, abs=1e-12)


@pytest.mark.covers("BODY-28")
def test_scara_bears_moments_about_x_and_y() -> None:
    """Three parallel hinges and a slide: four freedoms at most; x and y moments need no motor."""
    Z = Vec3(0.0, 0.0, 1.0)
    arms = [Pose(Rotation.identity(), p) for p in (Vec3.zero(), Vec3(0.4, 0.1, 0.0), Vec3(0.5, 0.5, 0.0))]
    twists = [X @ Revolute().subspace([0.0])[0] for X in arms] + [*Prismatic().subspace([0.0])]
    constraint = constraint_of_twists(twists)
    assert constraint.freedom == 4
    moments = [Force(a, Vec3.zero()) for a in (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0))]
    assert rank([*constraint.wrenches.basis, *moments]) == 2
    stretched = [X @ Motion(Z, Vec3.zero()) for X in (arms[0], Pose(Rotation.identity(), Vec3(1.0, 0.0, 0.0)))]
    assert constraint_of_twists([*stretched, stretched[0] + stretched[1]]).freedom == 2


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
@pytest.mark.covers("BODY-28")
def test_spaces_do_not_depend_on_the_characteristic_length(length: float) -> None:
    rng = np.random.default_rng(3)
    twists = [random_motion(rng) for _ in range(3)]
    one, other = constraint_of_twists(twists), constraint_of_twists([*twists, twists[0]], length)
    assert rank([*one.wrenches.basis, *other.wrenches.basis]) == 3
    assert rank([*one.twists.basis, *other.twists.basis]) == 3
    wrenches = [random_force(rng) for _ in range(2)]
    back = constraint_of_wrenches([*wrenches, wrenches[0] + wrenches[1]], length)
    assert rank([*back.wrenches.basis, *wrenches]) == 2 and back.freedom == 4


def test_nothing_and_everything() -> None:
    assert constraint_of_twists([]).freedom == 0
    assert constraint_of_wrenches([]).freedom == 6


@pytest.mark.covers("BODY-28")
def test_reciprocity_holds_in_every_frame() -> None:
    rng = np.random.default_rng(4)
    constraint = constraint_of_twists([random_motion(rng) for _ in range(2)])
    X = random_pose(rng)
    moved = X @ constraint  # checks reciprocity again
    back = X.inv() @ moved
    for a, b in zip(back.twists.basis, constraint.twists.basis, strict=True):
        assert_close(six(a), six(b), ROUNDING, batched=False)
    for a, b in zip(back.wrenches.basis, constraint.wrenches.basis, strict=True):
        assert_close(six(a), six(b), ROUNDING, batched=False)


@pytest.mark.covers("BODY-28")
def test_coordinates_in_a_twist_space() -> None:
    """Inside the space any metric gives them back; outside, the rest is orthogonal in the metric asked for."""
    rng = np.random.default_rng(5)
    space = TwistSpace(tuple(random_motion(rng) for _ in range(3)))
    for metric in (random_cloud(1).inertia, Stiffness.diagonal(Vec3(1.0, 2.0, 3.0), Vec3(4.0, 5.0, 6.0))):
        x = rng.normal(size=3)
        assert_close(space.coordinates(space.combine(x.tolist()), metric), x, IDENTITY, batched=False)
        V = random_motion(rng)
        rest = V - space.combine(space.coordinates(V, metric))
        assert max(abs(s.dot(metric @ rest)) for s in space.basis) < 1e-12


@pytest.mark.covers("BODY-28")
def test_mistakes_are_named() -> None:
    s, w = Motion.of([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]), Force.of([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(FrameError, match="TwistSpace"):
        TwistSpace((w,))
    with pytest.raises(DegenerateError, match=named("twists", "wrenches")):
        KinematicConstraint(TwistSpace((s,)), WrenchSpace(()))
    others = tuple(Force.of(row) for row in np.eye(6)[:5].tolist())
    with pytest.raises(DegenerateError, match=named("twist", "wrench")):
        KinematicConstraint(TwistSpace((s,)), WrenchSpace(others))


@pytest.mark.covers("BODY-29")
def test_joint_limit_resists_in_one_sense() -> None:
    limit = JointLimit(-1.0, 2.0)
    for q, tau, expected in [(2.0, 5.0, -5.0), (2.0, -5.0, 0.0), (-1.0, -5.0, 5.0), (-1.0, 5.0, 0.0), (0.5, 5.0, 0.0)]:
        assert limit.reaction(q, tau) == expected
        assert limit.reaction(q, tau) * (tau + limit.reaction(q, tau)) == 0.0
    assert [limit.velocity(2.0, v) for v in (-1.0, 1.0)] == [-1.0, 0.0]
    assert [limit.velocity(-1.0, v) for v in (-1.0, 1.0)] == [0.0, 1.0]
    assert limit.velocity(0.0, 3.0) == 3.0
    locked = JointLimit(0.5, 0.5)
    assert (locked.reaction(0.5, 3.0), locked.reaction(0.5, -3.0), locked.velocity(0.5, 1.0)) == (-3.0, 3.0, 0.0)
    with pytest.raises(DegenerateError, match="limit"):
        JointLimit(1.0, 0.0)


@pytest.mark.covers("BODY-29")
def test_joint_limit_compiled_and_in_a_batch() -> None:
    @sixvec.compiled("q tau -> reaction")
    def reaction(q: object, tau: object) -> object:
        return JointLimit(-1.0, 2.0).reaction(q, tau)

    q, tau = np.array([2.0, 2.0, -1.0, -1.0, 0.5, 2.5]), np.array([5.0, -5.0, -5.0, 5.0, 5.0, 1.0])
    expected = [JointLimit(-1.0, 2.0).reaction(a, b) for a, b in zip(q.tolist(), tau.tolist(), strict=True)]
    np.testing.assert_array_equal(reaction(q, tau), expected)
    np.testing.assert_array_equal(JointLimit(-1.0, 2.0).reaction(q, tau), expected)
    np.testing.assert_array_equal(push(np.zeros(2), np.array([-1.0, 1.0])), [1.0, 0.0])


@pytest.mark.covers("BODY-29")
def test_floor_pushes_and_never_pulls() -> None:
    up = Force(Vec3.zero(), Vec3(0.0, 0.0, 1.0))
    rise = Motion.of([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    for gap, load, expected in [(0.0, -3.0, 3.0), (0.0, 3.0, 0.0), (0.1, -3.0, 0.0)]:
        floor = UnilateralConstraint(up, gap)
        held = floor.reaction(up * load, rise)
        assert held.lin.z == expected and held.lin.z >= 0.0 and gap * held.lin.z == 0.0
    assert UnilateralConstraint(up, 0.0).approach(rise * -2.0) == -2.0


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_dependent_screws_span_what_independent_ones_do(length: float) -> None:
    """A turn, a slide and their sum: two freedoms, and four wrenches without power on them."""
    turn, slide = Motion(Vec3(0.0, 0.0, 1.0), Vec3.zero()), Motion(Vec3.zero(), Vec3(1.0, 0.0, 0.0))
    found = constraint_of_twists([turn, slide, turn + slide * 3.0], length)
    basis = np.array([[*t] for t in found.twists.basis], float)
    assert basis.shape == (2, 6) and rank([*basis, [*turn], [*slide]]) == 2
    assert (
        rank(found.wrenches.basis) == 4
        and max(abs(w.dot(t)) for w in found.wrenches.basis for t in (turn, slide)) < 1e-9
    )
    pushes = [Force(Vec3(0.0, 0.0, 1.0), Vec3.zero()), Force(Vec3(0.0, 0.0, 2.0), Vec3.zero())]
    held = constraint_of_wrenches(pushes, length)
    assert held.freedom == 5 and len(held.wrenches.basis) == 1
    assert max(abs(t.ang.z) for t in held.twists.basis) < 1e-9 * max(length, 1.0 / length)
    assert constraint_of_twists([]).freedom == 0 and len(constraint_of_twists([Motion.zero()]).wrenches.basis) == 6


@pytest.mark.parametrize(
    ("q", "v", "expected"),
    [
        (-1.0, -3.0, 0.0), (-1.0, 3.0, 3.0), (-1.5, -3.0, 0.0), (-1.5, 3.0, 3.0), (0.0, -3.0, -3.0), (0.0, 3.0, 3.0),
        (2.0, 3.0, 0.0), (2.0, -3.0, -3.0), (2.5, 3.0, 0.0), (2.5, 0.5, 0.0), (2.5, -0.5, -0.5), (2.0, 0.0, 0.0),
    ],
)  # fmt: skip
def test_stops_end_the_velocity_into_them(q: float, v: float, expected: float) -> None:
    assert JointLimit(-1.0, 2.0).velocity(q, v) == expected
    assert JointLimit(0.5, 0.5).velocity(0.5, v) == 0.0
