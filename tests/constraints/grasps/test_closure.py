"""Form and force closure: known grasps, and a linear program that knows nothing of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, nnls

from sixvec.constraints.grasps import Grasp, force_closure, form_closure, grasp_matrix, internal_forces, internal_part
from sixvec.constraints.grasps.closure import _extreme
from sixvec.errors import ArgumentError, ShapeError
from sixvec.model.geom import z_towards
from sixvec.spatial import Pose, Vec3


def on_cube(point: tuple[float, float, float], inward: tuple[float, float, float]) -> Pose:
    return Pose(z_towards(Vec3(*inward)), Vec3(*point))


CUBE = [  # seven frictionless points that hold a cube: three below, two behind, one at a side, one against them all
    ((-0.5, -0.5, -1.0), (0.0, 0.0, 1.0)), ((0.5, -0.5, -1.0), (0.0, 0.0, 1.0)), ((0.0, 0.6, -1.0), (0.0, 0.0, 1.0)),
    ((-0.5, -1.0, 0.1), (0.0, 1.0, 0.0)), ((0.5, -1.0, 0.1), (0.0, 1.0, 0.0)), ((-1.0, 0.0, 0.1), (1.0, 0.0, 0.0)),
]  # fmt: skip


@pytest.mark.covers("CON-12")
def test_seven_contacts_hold_a_cube_and_six_do_not() -> None:
    six = [Grasp("frictionless", on_cube(*c)) for c in CUBE]
    corner = tuple(-np.ones(3) / np.sqrt(3.0))
    push = Grasp("frictionless", on_cube((0.7, 0.65, 0.75), corner))  # type: ignore[arg-type]
    assert not form_closure(six) and form_closure(six).rank == 6
    found = form_closure([*six, push])
    assert found and (found.force > 0.0).all()
    W = grasp_matrix([*six, push])
    assert np.abs(W @ found.force).max() < 1e-9 * found.force.sum()
    # friction makes up for missing contacts
    assert force_closure([Grasp("point", on_cube(*c)) for c in (CUBE[0], CUBE[1], CUBE[2])]).closed is False
    opposite = [
        on_cube((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)), on_cube((1.0, 0.1, 0.0), (-1.0, 0.0, 0.0)),
        on_cube((0.0, 1.0, 0.2), (0.0, -1.0, 0.0)), on_cube((0.1, -1.0, 0.1), (0.0, 1.0, 0.0)),
    ]  # fmt: skip
    assert force_closure([Grasp("point", X, friction=0.6) for X in opposite])
    assert not form_closure([Grasp("point", X) for X in opposite])


@pytest.mark.covers("CON-12")
def test_a_linear_program_agrees_on_random_grasps() -> None:
    rng = np.random.default_rng(0)
    answers = []
    for _ in range(60):
        normals = rng.normal(size=(int(rng.integers(2, 6)), 3))
        normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
        grasps = [Grasp("point", Pose(z_towards(Vec3(*-n)), Vec3(*n)), friction=0.5) for n in normals]
        W = np.array([w for g in grasps for w in _extreme(g, 8)]).T
        answers.append(force_closure(grasps, sides=8).closed)
        # a positive combination of all of them that vanishes, and full rank
        program = linprog(np.zeros(W.shape[1]), A_eq=W, b_eq=np.zeros(6), bounds=[(1.0, None)] * W.shape[1])
        assert answers[-1] == (program.status == 0 and np.linalg.matrix_rank(W) == 6)
    assert 5 < sum(answers) < 55


def test_what_is_missing_cannot_be_balanced_and_its_opposite_can() -> None:
    """Three fingers below a plate bear its weight; nothing keeps it from being lifted."""
    at = [Pose.translation(Vec3(np.cos(a), np.sin(a), 0.0)) for a in (0.0, 2.1, 4.2)]
    fingers = [Grasp("point", X, friction=0.5) for X in at]
    found = force_closure(fingers)
    assert not found and found.rank == 6 and found.missing[5] > 0.0
    W = np.array([w for g in fingers for w in _extreme(g, 16)]).T
    assert nnls(W, -found.missing)[1] > 0.5  # the forces that would balance it
    assert nnls(W, found.missing)[1] < 1e-9


def test_forces_of_force_closure_balance_each_other() -> None:
    at = [on_cube((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)), on_cube((1.0, 0.1, 0.0), (-1.0, 0.0, 0.0))]
    fingers = [Grasp("soft finger", X, friction=0.6, torsion=0.2) for X in at]
    found = force_closure(fingers, sides=8)
    W = np.array([w for g in fingers for w in _extreme(g, 8)]).T
    assert found and (found.force > 0.0).all() and np.abs(W @ found.force).max() < 1e-9 * found.force.sum()


def test_what_cannot_be_resisted_is_named() -> None:
    fingers = [
        Grasp("point", on_cube((0.0, 0.0, -1.0), (0.0, 0.0, 1.0))),
        Grasp("point", on_cube((0, 0, 1), (0, 0, -1))),
    ]
    found = force_closure(fingers)
    assert not found and found.rank == 5
    assert np.allclose(np.abs(found.missing) / np.linalg.norm(found.missing), [0, 0, 1, 0, 0, 0], atol=1e-9)  # to spin
    assert internal_forces(fingers).shape == (6, 1)
    assert force_closure([Grasp("rigid")]).closed
    assert not force_closure([])
    with pytest.raises(ArgumentError, match="sides"):
        force_closure(fingers, sides=2)
    assert force_closure(fingers, sides=3).rank == 5
    for answer in (grasp_matrix, internal_forces, form_closure, force_closure):
        with pytest.raises(ArgumentError, match="Grasp"):
            answer([fingers[0], 1])  # type: ignore[operator]
    with pytest.raises(ShapeError, match="force"):
        internal_part(fingers, np.zeros(5))


PUSH = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
RIM = [[0.0, 0.0, 0.0, 0.5, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.5, 1.0],
       [0.0, 0.0, 0.0, -0.5, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0, -0.5, 1.0]]  # fmt: skip
SPIN = [[0.0, 0.0, 0.2, 0.0, 0.0, 1.0], [0.0, 0.0, -0.2, 0.0, 0.0, 1.0]]
ALL = np.eye(6)


@pytest.mark.parametrize(
    ("grasp", "passed", "extreme"),
    [
        (Grasp(), ALL, [*ALL, *-ALL]),
        (Grasp("hinge"), ALL[[0, 1, 3, 4, 5]], [*ALL[[0, 1, 3, 4, 5]], *-ALL[[0, 1, 3, 4, 5]]]),
        (Grasp("soft finger", torsion=0.2), ALL[2:], [*RIM, *SPIN]),
        (Grasp("soft finger", friction=0.0, torsion=0.2), ALL[2:], [PUSH, *SPIN]),
        (Grasp("soft finger", torsion=0.0), ALL[2:], RIM),
        (Grasp("soft finger", friction=0.0, torsion=0.0), ALL[2:], [PUSH]),
        (Grasp("point", torsion=0.2), ALL[3:], RIM),
        (Grasp("point", friction=0.0), ALL[3:], [PUSH]),
        (Grasp("frictionless"), ALL[5:], [PUSH]),
    ],
)
def test_wrenches_of_each_kind(grasp: Grasp, passed: np.ndarray, extreme: list[list[float]]) -> None:
    assert np.array_equal([[*w] for w in grasp.wrenches], passed) and grasp.rows == len(passed)
    assert np.array_equal(grasp_matrix([grasp]), passed.T)
    assert np.allclose(_extreme(grasp, 4), extreme, rtol=0.0, atol=1e-15) and len(_extreme(grasp, 4)) == len(extreme)
    assert grasp.pushes == (grasp.kind not in ("rigid", "hinge")) and grasp.friction in (0.0, 0.5)


def test_grasps_have_limits_of_zero_or_more() -> None:
    assert (Grasp().kind, Grasp().friction, Grasp().torsion) == ("rigid", 0.5, 0.01)
    for name in ("friction", "torsion"):
        for value in (-0.1, np.inf, np.nan):
            with pytest.raises(ArgumentError, match=name):
                Grasp("point", **{name: value})


def test_no_grasps_hold_nothing() -> None:
    for found in (force_closure([]), form_closure([])):
        assert (found.closed, found.rank, found.force.size) == (False, 0, 0)
        assert found.missing.tolist() == PUSH
    assert grasp_matrix([]).shape == (6, 0)


def test_closure_does_not_depend_on_the_unit_of_length() -> None:
    below = [(1.3, 0.2), (-0.2, 1.06), (-0.19, -0.67)]
    open_ones, closed_ones = [], []
    for size in (1.0, 1000.0):
        at = [Pose.translation(Vec3(x * size, y * size, 0.1 * size)) for x, y in below]
        open_ones.append([Grasp("point", X) for X in at])
        faced = [((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)), ((1.0, 0.1, 0.0), (-1.0, 0.0, 0.0))]
        closed_ones.append(
            [Grasp("soft finger", on_cube(tuple(size * x for x in p), n), 0.6, 0.2 * size) for p, n in faced]  # type: ignore[arg-type]
        )
    lift, far = (force_closure(g) for g in open_ones)
    assert not lift and not far and lift.rank == far.rank == 6 and np.allclose(lift.force, far.force)
    assert np.allclose(far.missing, lift.missing * ([1000.0] * 3 + [1.0] * 3)) and np.abs(lift.missing[:3]).max() > 0.1
    W = np.array([w for g in open_ones[0] for w in _extreme(g, 16)])
    reach = np.abs(W[:, :3]).max()
    assert np.linalg.norm(lift.missing / ([reach] * 3 + [1.0] * 3)) == pytest.approx(1.0)
    assert (W @ (lift.missing / ([reach**2] * 3 + [1.0] * 3)) > -1e-9).all()
    held, wide = (force_closure(g) for g in closed_ones)
    assert held and wide and np.allclose(held.force, wide.force) and not held.missing.any() and not wide.missing.any()
