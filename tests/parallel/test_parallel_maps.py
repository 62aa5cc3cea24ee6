"""Position, velocity and force of every family: against each other, by differences and by power."""

from __future__ import annotations

import numpy as np
import pytest

from naming import named
from parallel_robots import FAMILIES, HOME, hexa, hexapod, pose, ring, step
from sixvec.errors import ArgumentError, DegenerateError, DtypeError, KernelNotFound, ShapeError
from sixvec.parallel import (
    PUS,
    RUS,
    UPS,
    Delta,
    Hexaglide,
    ParallelRobot,
    Planar3RPR,
    SingularPose,
    StewartGough,
    leg_factors,
    leg_jacobian,
    partial_wrenches,
)
from sixvec.parallel.partial_wrench import actuated_joint
from sixvec.spatial import Vec3
from sixvec.verdict import Verdict

STEP = 1e-6
RNG = np.random.default_rng(3)


@pytest.mark.covers("PAR-01", "PAR-02", "PAR-03", "PAR-14", "PAR-15", "PAR-23", "Bruyninckx (8.2)-(8.7)")
@pytest.mark.parametrize("name", FAMILIES)
def test_inverse_position_closes_every_leg(name: str) -> None:
    robot, X = FAMILIES[name]
    q = np.asarray(robot.inverse_position(X))
    for leg, x in zip(robot.legs, q, strict=True):
        centre, radius = leg.sphere(x)
        S = robot.space.pivot(X.tolist(), leg.platform)
        assert abs((S - centre).norm() - radius) < 1e-14


@pytest.mark.covers(
    "PAR-04",
    "PAR-06",
    "Bruyninckx (8.8)",
    "Bruyninckx (8.10)",
    "Bruyninckx (8.14)",
    "Bruyninckx (8.23)-(8.24)",
)
@pytest.mark.parametrize("name", FAMILIES)
def test_velocity_is_the_derivative_of_position_and_dual_to_force(name: str) -> None:
    robot, X = FAMILIES[name]
    m = robot.space.freedoms
    twist, tau = RNG.normal(size=m), RNG.normal(size=robot.n)
    qd = robot.inverse_velocity(X, twist)
    ends = [np.asarray(robot.inverse_position(step(robot, X, s * STEP * twist))) for s in (1.0, -1.0)]
    assert np.allclose(qd, (ends[0] - ends[1]) / (2 * STEP), atol=1e-8)
    assert np.allclose(robot.forward_velocity(X, qd), twist, atol=1e-12)
    w = robot.forward_force(X, tau)
    assert w @ twist == pytest.approx(tau @ qd, abs=1e-12)  # power
    assert np.allclose(robot.inverse_force(X, w), tau, atol=1e-12)
    G = robot.wrench_basis(X)
    assert G.shape == (m, robot.n)
    assert np.allclose(G @ tau, w) and np.allclose(G.T @ twist, qd)


@pytest.mark.parametrize("name", ["hexapod", "3-RPR"])
@pytest.mark.parametrize("reference", ["local", "world"])
def test_power_does_not_depend_on_the_reference(name: str, reference: str) -> None:
    robot, X = FAMILIES[name]
    qd, tau = RNG.normal(size=robot.n), RNG.normal(size=robot.n)
    twist = robot.forward_velocity(X, qd, reference=reference)  # type: ignore[arg-type]
    assert robot.forward_force(X, tau, reference=reference) @ twist == pytest.approx(qd @ tau)  # type: ignore[arg-type]
    if name == "hexapod":  # of the world: the point of the platform at the base's origin
        aligned = robot.forward_velocity(X, qd)
        at_origin = np.concatenate([aligned[:3], aligned[3:] - np.cross(aligned[:3], X[:3, 3])])
        turned = np.concatenate([X[:3, :3].T @ aligned[:3], X[:3, :3].T @ aligned[3:]])
        assert np.allclose(twist, at_origin if reference == "world" else turned)


@pytest.mark.covers("PAR-03", "PAR-15")
def test_cranks_and_sliders_have_two_positions_each() -> None:
    for name, modes in (("hexa", 64), ("hexaglide", 64), ("delta", 8), ("3-RRR", 8)):
        robot, X = FAMILIES[name]
        found = robot.working_modes(X)
        assert found.q.shape == (modes, robot.n) and found.solved.all()
        assert len(np.unique(found.q.round(9), axis=0)) == modes
        assert np.array_equal(robot.branch(X, found.q[5]), found.branch[5])
        back = robot.inverse_position(X, found.branch[5])
        assert np.array_equal(back.q, found.q[5])
        if robot.space.freedoms == 6:
            assert robot.forward_position(found.q[5], X)


@pytest.mark.covers("PAR-01", "PAR-22")
def test_encoders_read_less_by_their_offsets() -> None:
    plain, offsets = hexapod(), 0.1 * np.arange(6)
    shifted = StewartGough(plain.roots, plain.platform, offsets=offsets, limits=(0.0, 2.0))
    q = shifted.inverse_position(HOME)
    assert np.allclose(q, plain.inverse_position(HOME) - offsets)
    assert np.allclose(shifted.forward_position(q, pose([0, 0, 0], [0, 0, 1.0])).pose, HOME)
    assert (shifted.upper == 2.0).all()


LEGS = {
    "UPS": UPS(base=Vec3(0.1, -0.2, 0.0), platform=Vec3(0.3, 0.1, 0.2)),
    "PUS": PUS(origin=Vec3(0.1, -0.2, 0.0), axis=Vec3(0.2, 0.1, 1.0), rod=1.3, platform=Vec3(0.3, 0.1, 0.2)),
    "RUS": RUS(
        base=Vec3(0.1, -0.2, 0.0), axis=Vec3(0.2, 1.0, 0.1), zero=Vec3(1.0, 0.0, 0.0), crank=0.5, rod=1.2,
        platform=Vec3(0.3, 0.1, 0.2),
    ),
}  # fmt: skip


@pytest.mark.covers("PAR-05", "Bruyninckx (7.44)", "Bruyninckx (8.9)")
@pytest.mark.parametrize("name", LEGS)
def test_partial_wrenches_by_inversion_and_in_closed_form_agree(name: str) -> None:
    robot = ParallelRobot([LEGS[name]])
    X = pose([0.3, -0.2, 0.4], [0.2, 0.3, 1.0])
    q = float(np.asarray(robot.inverse_position(X))[0])
    S = X[:3, :3] @ robot.platform[0] + X[:3, 3]
    universal, ball = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 3))
    J = leg_jacobian(LEGS[name], q, S, universal, ball)
    G = partial_wrenches(J)
    assert np.allclose(J.T @ G, np.eye(6), atol=1e-12)
    closed = robot.wrench_basis(X, reference="world")[:, 0]
    assert np.allclose(G[:, actuated_joint(LEGS[name])], closed, atol=1e-12)
    factors = leg_factors(LEGS[name], q, S, universal, ball)
    assert np.linalg.det(J) == pytest.approx(-np.prod([*factors.values()]), rel=1e-9)


@pytest.mark.covers("PAR-13")
def test_the_jacobian_of_a_telescopic_leg_is_that_of_the_book_with_its_rows_in_order() -> None:
    l = 0.7
    leg = UPS(base=Vec3(0.0, 0.0, -l), platform=Vec3.zero())
    J = leg_jacobian(leg, l, [0.0, 0.0, 0.0], np.eye(3)[:2])
    expected = np.array([[1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1], [0, l, 0, 0, 0, 0],
                         [-l, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]])  # fmt: skip
    assert np.allclose(J, expected) and np.linalg.det(J) == pytest.approx(-0.49)
    assert np.allclose(partial_wrenches(J)[:, 2], [0, 0, 0, 0, 0, 1])
    assert hexapod().mobility == hexa().mobility == 6
    with pytest.raises(DegenerateError, match="singular"):
        partial_wrenches(leg_jacobian(leg, l, [0.0, 0.0, 0.0], [[1, 0, 0], [0, 0, 1]]))


@pytest.mark.covers("PAR-14")
def test_designs_have_names() -> None:
    base = ring(6, 1.0, 0.0, 0.0)
    top = ring(6, 0.6, 0.0, 1.0)
    names = {
        "6-6": (base, top),
        "6-3": (base, top[[0, 0, 2, 2, 4, 4]]),
        "3-3": (base[[0, 0, 2, 2, 4, 4]], top[[5, 1, 1, 3, 3, 5]]),
        "3-1-1-1": (base, top[[0, 0, 0, 1, 2, 3]]),
        "321": (base, top[[0, 0, 0, 1, 1, 2]]),
        "7-7": (ring(7, 1.0, 0.0, 0.0), ring(7, 0.5, 0.0, 0.2)),
    }
    assert {name: StewartGough(*pivots).design for name, pivots in names.items()} == {n: n for n in names}


@pytest.mark.covers("PAR-01")
def test_legs_of_mixed_kinds_share_a_platform() -> None:
    mixed = ParallelRobot([*hexapod().legs[:3], *FAMILIES["hexa"][0].legs[3:]])
    X = FAMILIES["hexa"][1]
    found = mixed.inverse_position(X)
    assert np.allclose(found.q[:3], hexapod().inverse_position(X)[:3])
    assert np.allclose(found.q[3:], FAMILIES["hexa"][0].inverse_position(X).q[3:])
    twist = RNG.normal(size=6)
    assert np.allclose(mixed.forward_velocity(X, mixed.inverse_velocity(X, twist)), twist)


def test_maps_are_programs_for_every_target() -> None:
    robot, X = FAMILIES["hexapod"]
    kernel = robot.kernel("inverse_position")
    assert "__global__" in kernel.source("cuda") and "sqrt" in kernel.source("c")
    assert kernel.count()["sqrt"] == 6
    slope = kernel.derivative("X")(X)  # of q by the entries of the pose, and of what is checked
    twist = RNG.normal(size=6)
    h = 1e-6
    rate = (step(robot, X, h * twist) - step(robot, X, -h * twist)) / (2 * h)
    assert np.allclose(np.einsum("nij,ij->n", slope[0], rate), robot.inverse_velocity(X, twist), atol=1e-8)
    with pytest.raises(KernelNotFound, match="wrench_basis"):
        robot.kernel("wrench_bases")


@pytest.mark.parametrize("family", ["hexapod", "hexa", "delta", "3-RPR"])
def test_newton_steps_are_programs_too(family: str) -> None:
    """Of the pose and the actuator positions alone: repeated, they arrive at the pose, with quadratic convergence."""
    robot, X = FAMILIES[family]
    kernel = robot.kernel("newton_step")
    assert [p.name for p in kernel.inputs][1:] == ["q"]
    assert "__global__" in kernel.source("cuda") and "sqrt" in kernel.source("c")
    q, near = np.asarray(robot.inverse_position(X)), robot.space.checked(X, "X")
    start = here = step(robot, X, np.full(robot.space.freedoms, 3e-3))
    errors = []
    for _ in range(5):
        here, error = kernel(here, q)
        errors.append(float(error))
    assert errors[0] > 1e-3 and errors[-1] < 1e-14 and np.abs(here - near).max() < 1e-12
    assert errors[2] < 100.0 * errors[1] ** 2 + 1e-15
    both = kernel(np.stack([start, near]), q)[1]
    assert both[0] == errors[0] and both[1] < 1e-14


def test_bad_input_is_named() -> None:
    robot = hexapod()
    with pytest.raises(DegenerateError, match="legs"):
        StewartGough(robot.roots[[0, 1, 0]], robot.platform[[0, 1, 0]])
    with pytest.raises(DegenerateError, match="platform"):
        StewartGough(robot.roots, robot.platform[[0] * 6])
    with pytest.raises(DegenerateError, match="base"):
        StewartGough(np.outer(np.arange(6.0), [1, 2, 3]), robot.platform)
    with pytest.raises(ShapeError, match="platform"):
        StewartGough(robot.roots, robot.platform[:5])
    with pytest.raises(ArgumentError, match="PUS"):
        Hexaglide(robot.roots, robot.platform, np.tile([0, 0, 1.0], (6, 1)), -1.0)
    with pytest.raises(ArgumentError, match="mirror image"):
        robot.inverse_position(np.diag([1.0, 1, -1, 1]))
    with pytest.raises(ArgumentError, match="pose"):
        robot.inverse_position(HOME.T @ np.diag([1.0, 1, 1, 1]))
    with pytest.raises(ShapeError, match=named("q")):
        robot.forward_position(np.ones(7), HOME)
    for tolerance in ((1e-3, 1e-3), "a", -1.0, np.inf, True):
        with pytest.raises((ArgumentError, DtypeError), match=named("forward_position", "tolerance")):
            robot.forward_position(robot.inverse_position(HOME), HOME, tolerance=tolerance)
    with pytest.raises(DegenerateError, match="forward_velocity"):
        StewartGough(robot.roots[:5], robot.platform[:5]).forward_velocity(HOME, np.ones(5))
    with pytest.raises(ArgumentError, match=named("inverse_position", "X")):
        FAMILIES["delta"][0].inverse_position(HOME)
    with pytest.raises(ArgumentError, match="branch"):
        FAMILIES["hexa"][0].inverse_position(FAMILIES["hexa"][1], [0, 2, 0, 0, 0, 0])


def test_lengths_that_cannot_close_name_the_leg() -> None:
    robot = hexapod()
    q = robot.inverse_position(HOME)
    far, negative, nan = (q.copy() for _ in range(3))
    far[3], negative[2], nan[4] = 30.0, -1.0, np.nan
    found = robot.forward_position(np.stack([q, far, negative, nan]), HOME)
    assert found.verdict.tolist() == [Verdict.SOLVED, Verdict.UNREACHABLE, Verdict.INVALID, Verdict.INVALID]
    assert found.leg.tolist() == [-1, 3, 2, 4]
    assert "cannot close: legs 3 and" in found.explain(1) and "leg 2" in found.explain(2)
    reach = FAMILIES["hexa"][0].inverse_position(pose([0, 0, 0], [0, 0, 5.0]))
    assert not reach.solved and reach.leg == 0


@pytest.mark.covers("PAR-11")
def test_a_singular_pose_gives_no_number_but_a_warning() -> None:
    """All legs in one plane: nothing holds the platform out of it."""
    flat = StewartGough(ring(6, 1.0, 0.0, 0.0), ring(6, 0.6, 0.0, 0.0, 0.75))
    with pytest.warns(SingularPose, match="forward_velocity"):
        assert np.isnan(flat.forward_velocity(np.eye(4), np.ones(6))).all()
    with pytest.warns(SingularPose, match="inverse_force"):
        tau = flat.inverse_force(np.stack([HOME, np.eye(4)]), np.ones(6))
    assert np.isfinite(tau[0]).all() and np.isnan(tau[1]).all()
    report = flat.singularity(np.eye(4))
    assert report.types == ("II",) and report.rank == 3 and report.distance == 0.0
    A = flat.wrench_basis(np.eye(4))
    assert np.abs(A.T @ report.gained).max() < 1e-12
    assert np.abs(np.diag(report.unheld.T @ report.gained)).min() > 0.1
    assert "type II" in str(report)
    assert flat.singularity(HOME).types == ()


@pytest.mark.covers("PAR-11", "PAR-19")
def test_a_leg_that_is_stretched_is_singular_itself() -> None:
    robot = ParallelRobot([UPS(base=Vec3.zero(), platform=Vec3.zero()), *_slider()])
    X = pose([0, 0, 0], [0.0, 0.0, 1.0])
    report = robot.singularity(X)
    assert "I" in report.types and report.legs == (1,)
    with pytest.warns(SingularPose, match="inverse_velocity"):
        assert np.isnan(robot.inverse_velocity(X, np.ones(6))).all()
    with pytest.raises(ArgumentError, match="singularity"):
        FAMILIES["delta"][0].singularity([3.0, 0.0, 0.0])


def _slider() -> list[PUS]:
    """Its rod is at right angles to its rail where the platform's origin is one rod above."""
    return [PUS(origin=Vec3.zero(), axis=Vec3(1.0, 0.0, 0.0), rod=1.0, platform=Vec3.zero())]


def test_bad_legs_are_named_by_their_number() -> None:
    robot = hexapod()
    with pytest.raises(ArgumentError, match=named("leg", "limits")):
        StewartGough(robot.roots, robot.platform, limits=([1, 1, 2, 1, 1, 1], [3, 3, 1, 3, 3, 3]))
    with pytest.raises(ArgumentError, match="limits"):
        StewartGough(robot.roots, robot.platform, limits=5)
    with pytest.raises(ArgumentError, match="RUS"):
        Delta(0.2, 0.05, 0.25, [0.6, -0.6, 0.6])
    with pytest.raises(DtypeError, match=named("base", "a")):
        StewartGough("a", robot.platform)
    with pytest.raises(DegenerateError, match="platform"):
        Planar3RPR([[0, 0], [4, 0], [2, 3]], [[1, 1], [1, 1], [1, 1]])


@pytest.mark.parametrize("name", FAMILIES)
def test_single_precision_is_answered_in_kind(name: str) -> None:
    robot, X = FAMILIES[name]
    single = np.asarray(X, np.float32)
    q = np.asarray(robot.inverse_position(X), float)
    found = robot.inverse_position(single)
    assert getattr(found, "q", found).dtype == np.float32
    assert np.allclose(np.asarray(found), q, atol=1e-5)
    twist = RNG.normal(size=robot.space.freedoms)
    answers = [
        (robot.wrench_basis(single), robot.wrench_basis(X)),
        (robot.inverse_velocity(single, twist.astype(np.float32)), robot.inverse_velocity(X, twist)),
        (robot.forward_velocity(single, q.astype(np.float32)), robot.forward_velocity(X, q)),
        (robot.forward_force(single, q.astype(np.float32)), robot.forward_force(X, q)),
        (robot.inverse_force(single, twist.astype(np.float32)), robot.inverse_force(X, twist)),
        (robot.forward_position(q.astype(np.float32), single).pose, robot.forward_position(q, X).pose),
    ]
    for one, double in answers:
        assert one.dtype == np.float32 and double.dtype == np.float64
        assert np.allclose(one, double, atol=2e-4 * (1.0 + np.abs(double).max()))
    assert robot.inverse_velocity(single, twist).dtype == np.float64
    assert robot.inverse_velocity(single, twist.tolist()).dtype == np.float32  # numbers in lists do not decide


def test_legs_of_mixed_kinds_know_their_branch() -> None:
    X = FAMILIES["hexa"][1]
    mixed = ParallelRobot([*hexapod().legs[:3], *FAMILIES["hexa"][0].legs[3:]])
    branch = np.array([0, 0, 0, 1, 0, 1])
    q = mixed.inverse_position(X, branch).q
    assert mixed.branch(X, q).tolist() == branch.tolist()
    assert hexapod().branch(np.stack([HOME, HOME]), hexapod().inverse_position(HOME)).shape == (2, 6)


@pytest.mark.parametrize("name", LEGS)
def test_joints_of_a_leg_are_perpendicular_unless_given(name: str) -> None:
    leg, S = LEGS[name], np.array([0.4, 0.3, 1.1])
    q = float(np.asarray(ParallelRobot([leg]).inverse_position(pose([0, 0, 0], S - [*leg.platform])))[0])
    J, factors = leg_jacobian(leg, q, S), leg_factors(leg, q, S)
    assert np.linalg.det(J) == pytest.approx(-np.prod([*factors.values()]), rel=1e-9) and factors["ball"] == 1.0
    centre = np.array([*leg.sphere(q)[0]])
    rod = np.linalg.norm(S - centre)
    e = (S - centre) / rod
    u = J[:3, :2].T if name == "UPS" else J[:3, 1:3].T
    assert np.allclose(u @ u.T, np.eye(2)) and np.allclose(u @ e, 0.0) and np.allclose(np.cross(*u), e)
    assert factors["universal"] == pytest.approx(1.0 if name == "UPS" else -rod)
    assert np.array_equal(J[:3, 3:], np.eye(3)) and np.allclose(J[3:, 3:], np.cross(S, np.eye(3)).T)
    for option in ("universal", "ball"):
        with pytest.raises(ShapeError, match=option):
            leg_factors(leg, q, S, **{option: np.eye(3)[:1]})
    with pytest.raises(ShapeError, match=named("J")):
        partial_wrenches(np.eye(5))


@pytest.mark.parametrize(("name", "freedoms"), [("hexapod", 6), ("hexa", 6), ("hexaglide", 6), ("321", 6), ("delta", 3),
                                               ("3-RPR", 3), ("3-RRR", 3)])  # fmt: skip
def test_mobility_of_the_families(name: str, freedoms: int) -> None:
    assert FAMILIES[name][0].mobility == freedoms


def test_partial_wrenches_of_batches_in_any_unit() -> None:
    J = np.eye(6) * np.array([1.0, 1e-14, 1e14])[:, None, None]
    assert np.allclose(partial_wrenches(J) * J, np.eye(6))
