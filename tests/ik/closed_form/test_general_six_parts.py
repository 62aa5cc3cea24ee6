"""The general solver of six revolute joints, part by part: before anything is polished, searched or tried again."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
from general_arms import ARMS
from multi_start import angle_gap
from sample_arms import random_arm

from sixvec.ik.closed_form import SerialChain
from sixvec.ik.closed_form.families.distinct_solutions import CAPACITY, SAME, DistinctSolutions
from sixvec.ik.closed_form.families.general_six import (
    ENOUGH,
    SOLUTIONS,
    SPLITS,
    IncompleteSolutions,
    _chosen,
    _roots,
    _spread,
    _unsettled,
    _warn_of,
)
from sixvec.ik.closed_form.families.loop import Loop, turned
from sixvec.ik.closed_form.families.polish import error_and_jacobian, polished
from sixvec.ik.closed_form.families.raghavan_roth import (
    _SOMEWHERE,
    _ZEROS,
    _completed,
    _eigenvalues,
    _fourteen,
    _ratio,
    _second,
    _shared,
    candidates,
    pencil,
    regularity,
)
from sixvec.ik.closed_form.families.self_motion import SINGULAR, least_singular_value, on_a_family

NAMES = ["generic", "one-pair-meets", "one-pair-parallel", "offset-wrist"]


def arm(name: str, n: int = 4, seed: int = 3) -> tuple[SerialChain, np.ndarray, np.ndarray]:
    make, frame = ARMS[name]
    robot = make()
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (n, 6))
    return SerialChain.of(robot.model, frame), q, np.asarray(robot.pose(q, frame))


def test_fourteen_functions_by_hand() -> None:
    found = _fourteen(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    assert found.tolist() == [1, 2, 3, 4, 5, 6, 14, 32, -3, 6, -3, -8, -58, -108]


@pytest.mark.parametrize("name", NAMES)
def test_pencils_are_singular_at_solutions(name: str) -> None:
    """With the null vector x₄ⁱ x₅ʲ, for the tangents of half the angles; and where there is none they are not."""
    chain, q, X = arm(name)
    loop = Loop.of(chain, X)
    M = pencil(loop)
    x3, x4, x5 = np.tan((q[:, 2:5] - _ZEROS) / 2.0).T
    v = (x4[:, None, None] ** np.arange(4)[:, None] * x5[:, None, None] ** np.arange(3)).reshape(-1, 12)
    at = M[:, 0] + x3[:, None, None] * M[:, 1] + (x3**2)[:, None, None] * M[:, 2]
    sizes = np.abs(at).max(axis=(1, 2)) * np.abs(v).max(axis=1)
    assert (np.abs(np.einsum("nij,nj->ni", at, v)).max(axis=1) < 1e-11 * sizes).all()
    if name in ("generic", "one-pair-meets"):
        assert (regularity(M) > 1e-9).all()


def test_regularity_by_hand() -> None:
    one, last = np.diag([1.0] * 11 + [0.0]), np.diag([0.0] * 11 + [1.0])
    M = np.stack([[one, last, 0.0 * one], [one, 0.0 * one, last], [2.0 * (one + last), 0.0 * one, 0.0 * one]])
    assert regularity(M) == pytest.approx([_SOMEWHERE, _SOMEWHERE**2, 1.0])
    with np.errstate(invalid="ignore"):
        assert regularity(np.zeros((1, 3, 12, 12))).tolist() == [0.0] and 0.1 < _SOMEWHERE < 0.9


@pytest.mark.parametrize("name", ["generic", "one-pair-meets"])
def test_eigenvalues_hold_the_tangents(name: str) -> None:
    chain, q, X = arm(name)
    x3, x4, x5, tried = _eigenvalues(pencil(Loop.of(chain, X)), 1e-2)
    for k, want in enumerate(np.tan((q[:, 2:5] - _ZEROS) / 2.0)):
        found = np.stack([x3[k], x4[k], x5[k]], -1)
        near = np.abs(found - want).max(axis=-1) / (1.0 + np.abs(want).max() ** 2)
        assert near.min() < 1e-7 and tried[k, near.argmin()]
    assert x3.shape == tried.shape == (4, 24) and not tried.all()


@pytest.mark.parametrize("name", [*NAMES, "first two parallel"])
def test_other_joints_follow_from_three(name: str) -> None:
    if name in NAMES:
        chain, q, X = arm(name)
    else:
        robot = random_arm(25, parallel=(0, 1))
        q = np.random.default_rng(3).uniform(-np.pi, np.pi, (4, 6))
        chain, X = SerialChain.of(robot.model, "tool"), np.asarray(robot.pose(q, "tool"))
    loop = Loop.of(chain, X)
    assert angle_gap(_completed(loop, q[:, 2:5]), q).max() < 1e-7
    P, L = (np.broadcast_to(a[:, 5], loop.pos.shape) for a in (loop.points, loop.axes))
    for i in (4, 3, 2):
        h, c = loop.axes[:, i], loop.points[:, i]
        P, L = c + turned(h, q[:, i], P - c), turned(h, q[:, i], L)
    far = loop.pos + np.einsum("nij,j->ni", loop.rot, loop.points[0, 5]), loop.rot @ loop.axes[0, 5]
    both = np.stack(_second(loop, P, L, *far), -1)
    assert angle_gap(both[..., None], q[:, 1, None, None]).min(axis=-1).max() < 1e-7


@pytest.mark.parametrize("name", ["generic", "one-pair-meets"])
def test_candidates_are_solutions_already(name: str) -> None:
    chain, q, X = arm(name)
    loop = Loop.of(chain, X)
    which, found, complete = candidates(loop, pencil(loop))
    assert complete.all() and set(which.tolist()) == {0, 1, 2, 3}
    for k in range(4):
        assert angle_gap(found[which == k], q[k]).min() < 1e-6


@pytest.mark.parametrize("m", [2, 3, 4])
def test_solutions_that_share_an_eigenvalue(m: int) -> None:
    """A pencil whose null space at one x₃ holds m solutions; two of them agree in x₄ or in x₅."""
    rng = np.random.default_rng(m)
    a, x4, x5 = 0.6, np.array([0.4, 0.4, -0.9, 1.3])[:m], np.array([-0.7, 0.8, 0.8, 0.2])[:m]
    v = (x4[:, None, None] ** np.arange(4)[:, None] * x5[:, None, None] ** np.arange(3)).reshape(m, 12)
    rest = np.eye(12) - np.linalg.pinv(v) @ v
    M1, M2 = rng.normal(size=(2, 12, 12))
    M = np.stack([np.zeros((3, 12, 12)), [rest - a * M1 - a**2 * M2, M1, M2]])
    x3 = np.array([[2.0] * 5, [a] * m + [2.0] * (5 - m)], complex)
    repeated = np.array([[1] * 5, [m] * m + [1] * (5 - m)])
    loops, found, lost = _shared(M, x3, repeated)
    assert loops.tolist() == [1] * m * m and lost.tolist() == []
    for copy in found.reshape(m, m, 3):
        order = np.lexsort((copy[:, 2].round(6), copy[:, 1].round(6)))
        want = np.stack([np.full(m, a), x4, x5], -1)
        assert np.allclose(copy[order], want[np.lexsort((x5, x4))], atol=1e-8)
    loops, _, lost = _shared(M + 1e-3 * rng.normal(size=M.shape), x3, repeated)
    assert len(loops) == m * m and lost.tolist() == [1] * m
    repeated[1, :5] = 5
    loops, found, lost = _shared(M, x3, repeated)
    assert loops.tolist() == [] and found.shape == (0, 3) and lost.tolist() == [1]


@pytest.mark.parametrize("split", range(len(SPLITS)))
def test_every_split_finds_the_position(split: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chain, q, X = arm("generic")
    monkeypatch.setattr(sys.modules[_roots.__module__], "SPLITS", [SPLITS[split]])
    which, found, source, simple, regular = _roots(Loop.of(chain, X), 1e-2, 12)
    assert simple.tolist() == regular.tolist() == [1] * 4 and set(source.tolist()) == {0}
    for k in range(4):
        assert angle_gap(found[which == k], q[k]).min() < 1e-6


def test_splits_are_taken_until_two_are_simple() -> None:
    chain, _, X = arm("generic")
    *_, source, simple, regular = _roots(Loop.of(chain, X), 1e-2, 12)
    assert set(source.tolist()) == {0, 1} and simple.tolist() == regular.tolist() == [ENOUGH] * 4
    assert len(SPLITS) == len(set(SPLITS)) == 12 and SPLITS[:4] == [(0, False), (0, True), (1, True), (5, False)]
    *_, source, simple, regular = _roots(Loop.of(chain, X), 1e-2, 1)
    assert set(source.tolist()) == {0} and regular.tolist() == [1] * 4


def test_roots_at_infinity_leave_the_others() -> None:
    M = np.stack([-np.diag(np.arange(1.0, 13.0)), np.eye(12), np.zeros((12, 12))])[None]
    with np.errstate(all="ignore"):
        x3 = _eigenvalues(M, 1e-2)[0][0]
    for root in range(1, 13):
        assert np.abs(x3 - root).min() < 1e-3
    assert (np.abs(x3) > 1e6).sum() == 12


def test_ratios() -> None:
    low = np.array([[[1.0, 2.0j]], [[0.5, 1.0 - 1.0j]]])
    assert np.allclose(_ratio(low, (0.3 - 0.4j) * low), 0.3 - 0.4j)


def test_finds_are_counted_once_for_each_source() -> None:
    a, b = np.full(6, 0.1), np.full(6, 3.1)
    found = DistinctSolutions.none(3)
    assert not found.any.any() and found.q.shape == (3, CAPACITY, 6)
    found = found.seen(np.array([2, 0, 2, 2]), np.stack([a, a, b, a]), np.array([0, 0, 0, 0]))
    assert found.any.sum(axis=1).tolist() == [1, 0, 2] and found.times[2, :2].tolist() == [1, 1]
    several = DistinctSolutions.none(1).seen(np.zeros(3, int), np.stack([b, a, 2.0 * a]), np.zeros(3, int))
    assert np.array_equal(several.q[0, :3], [b, a, 2.0 * a]) and several.times[0, :4].tolist() == [1, 1, 1, 0]
    turned_b = b + 0.5 * SAME - 2.0 * np.pi
    found = found.seen(np.array([2, 2, 1]), np.stack([turned_b, a + 2.0 * SAME, a]), np.array([1, 1, 1]))
    assert found.any.sum(axis=1).tolist() == [1, 1, 3] and found.times[2, :3].tolist() == [1, 2, 1]
    assert np.array_equal(found.q[2, :3], [a, b, a + 2.0 * SAME]) and np.isnan(found.q[2, 3:]).all()
    assert found.last[2, :4].tolist() == [0, 1, 1, -1]
    full = found.seen(np.zeros(60, int), np.linspace(-3, 3, 60)[:, None] * np.ones(6), np.arange(60))
    assert full.any.sum(axis=1).tolist() == [CAPACITY, 1, 3]
    again = found.replaced(np.array([0]), full[np.array([0])])
    assert again.any.sum(axis=1).tolist() == [CAPACITY, 1, 3] and found.any[0].sum() == 1


def test_what_is_unsettled() -> None:
    """Regular solutions found once, or an odd number of them where none is singular."""
    none = DistinctSolutions.none(5)
    times = none.times.copy()
    times[0, :2], times[1, :2], times[2, :3], times[3, :2] = 2, (2, 1), 2, (2, 1)
    sigma = np.full(times.shape, np.nan)
    sigma[times > 0] = 1.0
    sigma[3, 1] = 0.5 * SINGULAR
    assert _unsettled(replace(none, times=times), sigma).tolist() == [False, True, True, False, False]
    sigma[3, 1] = 2.0 * SINGULAR
    assert _unsettled(replace(none, times=times), sigma).tolist() == [False, True, True, True, False]


def test_which_solutions_are_chosen() -> None:
    """Regular ones first, then isolated singular ones, then points of a family, as far apart as can be."""
    q = np.full((2, CAPACITY, 6), np.nan)
    angles = np.linspace(-3.0, 3.0, 20)
    q[0, :20], q[1, :5] = angles[:, None], np.array([0.0, 0.1, 1.0, 0.1 + 1e-4, 2.0])[:, None]
    times = np.where(np.isnan(q[..., 0]), 0, 2)
    found = DistinctSolutions(q, times, times)
    singular, moving = np.zeros(times.shape, bool), np.zeros(times.shape, bool)
    singular[1, [1, 2, 3, 4]], moving[1, 4] = True, True
    chosen = _chosen(found, singular, moving)
    assert chosen.shape == (2, SOLUTIONS, 6) and np.array_equal(chosen[0, :, 0], angles[:16])
    assert chosen[1, :, 0][:4] == pytest.approx([0.0, 1.0, 0.1 + 1e-4, 2.0]) and np.isnan(chosen[1, 4:]).all()
    full = _spread(np.zeros((15, 6)), np.array([1.0, 2.0, 3.0])[:, None] * np.ones(6))
    assert len(full) == SOLUTIONS and full[-1, 0] == 3.0


def test_errors_are_the_twist_that_is_left() -> None:
    """Lengths in sizes of the arm; half turns have some direction, and beyond a quarter turn errors count double."""
    chain, q, X = arm("generic")
    error, J = error_and_jacobian(chain, X, q)
    assert np.abs(error).max() < 1e-12
    h = 1e-6
    for k in range(6):
        ahead, behind = (error_and_jacobian(chain, X, q + s * h * np.eye(6)[k])[0] for s in (1.0, -1.0))
        assert np.allclose((behind - ahead) / (2.0 * h), J[:, :, k], atol=1e-8)
    for angle, size in ((0.3, np.sin(0.3)), (2.5, 2.0 * np.sin(2.5)), (-0.7, -np.sin(0.7))):
        for axis in range(3):
            c, s = np.cos(angle), np.sin(angle)
            i, j = (axis + 1) % 3, (axis + 2) % 3
            R = np.eye(3)
            R[i, i], R[j, j], R[i, j], R[j, i] = c, c, -s, s
            there = X.copy()
            there[:, :3, :3] = R @ X[:, :3, :3]
            left = error_and_jacobian(chain, there, q)[0]
            assert np.allclose(left[:, :3], size * np.eye(3)[axis], atol=1e-12) and np.abs(left[:, 3:]).max() < 1e-12
    there[:, :3, :3] = np.diag([1.0, -1.0, -1.0]) @ X[:, :3, :3]
    there[:, 0, 3] += 0.5 * chain.size
    left = error_and_jacobian(chain, there, q)[0]
    assert np.allclose(left, [1.0, 1.0, 1.0, 0.5, 0.0, 0.0], atol=1e-9)


def test_polishing_ends_at_solutions_between_half_turns() -> None:
    chain, q, X = arm("generic")
    found, good = polished(chain, X, q + 1e-3)
    assert good.all() and angle_gap(found, q).max() < 1e-9 and np.abs(found).max() <= np.pi
    found, good = polished(chain, X, q + 6.0 * np.pi)
    assert good.all() and angle_gap(found, q).max() < 1e-9 and np.abs(found).max() <= np.pi
    _, good = polished(chain, X, np.where(np.arange(4)[:, None] == 2, np.nan, q))
    assert good.tolist() == [True, True, False, True]
    far = X.copy()
    far[:, :3, 3] += 9.0 * chain.size
    assert not polished(chain, far, q)[1].any()


def test_families_are_distinguished_from_double_roots() -> None:
    """Of an arm with a wrist: stretched, its first and last axes turn against each other; the elbow does not move."""
    chain, _, _ = arm("puma560")
    make, frame = ARMS["puma560"]
    straight = np.array([[0.3, 0.4, 0.5, 0.6, 0.0, 0.7], [0.3, 0.4, 0.5, 0.6, 0.8, 0.7]])
    X = np.asarray(make().pose(straight, frame))
    assert (least_singular_value(chain, X, straight) < SINGULAR).tolist() == [True, False]
    assert on_a_family(chain, X, straight).tolist() == [True, False]
    assert on_a_family(chain, X[:0], straight[:0]).tolist() == []


def test_warnings_name_the_first_poses() -> None:
    chain, _, _ = arm("generic", 1)
    told = {5: "poses", 7: "poses"}
    for count, said in told.items():
        with pytest.warns(IncompleteSolutions, match=said) as caught:
            _warn_of(chain, np.arange(9) < count, "why")
        assert caught[0].message.poses.tolist() == [*range(count)]  # type: ignore[union-attr]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _warn_of(chain, np.zeros(9, bool), "why")
