"""A model from arrays: the recursion of the textbook on those arrays gives the torques of the robot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import SixvecError
from sixvec.model import Model
from sixvec.model.joints import Helical, Prismatic, Revolute, Spherical
from sixvec.spatial import RigidInertia

RNG = np.random.default_rng(26)


def skew(p: np.ndarray) -> np.ndarray:
    return np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])


def rotation(rng: np.random.Generator) -> np.ndarray:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.linalg.det(q)


def transform(E: np.ndarray, r: np.ndarray) -> np.ndarray:
    """From motions in the parent to motions in the child, whose frame is at r with the rotation Eᵀ."""
    return np.block([[E, np.zeros((3, 3))], [-E @ skew(r), E]])


def inertia(rng: np.random.Generator) -> np.ndarray:
    m, c, A = rng.uniform(0.5, 2.0), rng.normal(size=3), rng.normal(size=(3, 3))
    C = skew(c)
    return np.block([[A @ A.T + m * C @ C.T, m * C], [m * C.T, m * np.eye(3)]])


JOINTS: list[Any] = ["Rx", "Ry", "Rz", "Px", "Py", "Pz", "R", "P", 0.0, np.inf, 0.3]
PARENT = [0, 1, 2, 1, 4, 0, 6, 7, 7, 3, 5]
"""Counted from 1, with branches."""

AXES = {"x": 0, "y": 1, "z": 2}


def joint_transform(kind: Any, q: float) -> tuple[np.ndarray, np.ndarray]:
    """X_J and the subspace S, for motions (ω; v)."""
    turn, slide = (kind[0] == "R", kind[0] == "P") if isinstance(kind, str) else (np.isfinite(kind), not kind < np.inf)
    pitch = 0.0 if isinstance(kind, str) or slide else kind
    k = AXES[kind[1]] if isinstance(kind, str) and len(kind) == 2 else 2
    e = np.eye(3)[k]
    S = np.concatenate([e * turn, e * (slide + pitch)])
    E = np.eye(3) - turn * np.sin(q) * skew(e) + turn * (1 - np.cos(q)) * skew(e) @ skew(e)
    return transform(E, e * (slide + pitch) * q), S


def cross(v: np.ndarray) -> np.ndarray:
    return np.block([[skew(v[:3]), np.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


def newton_euler(X: np.ndarray, inertias: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The recursion, written on the arrays."""
    n = len(q)
    V, A, F, up, S = (np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 6, 6)), np.zeros((n, 6)))
    base = np.array([0, 0, 0, 0, 0, 9.81])
    for i in range(n):
        XJ, S[i] = joint_transform(JOINTS[i], q[i])
        up[i], p = XJ @ X[i], PARENT[i] - 1
        V[i] = (up[i] @ V[p] if p >= 0 else 0.0) + S[i] * v[i]
        A[i] = up[i] @ (A[p] if p >= 0 else base) + S[i] * a[i] + cross(V[i]) @ S[i] * v[i]
        F[i] = inertias[i] @ A[i] - cross(V[i]).T @ inertias[i] @ V[i]
    tau = np.zeros(n)
    for i in reversed(range(n)):
        tau[i] = S[i] @ F[i]
        if PARENT[i]:
            F[PARENT[i] - 1] += up[i].T @ F[i]
    return tau


def arrays(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    n = len(PARENT)
    X = np.stack([transform(rotation(rng), rng.normal(size=3)) for _ in range(n)])
    return X, np.stack([inertia(rng) for _ in range(n)])


@pytest.mark.covers("MODEL-07", "Featherstone (2)")
@pytest.mark.parametrize("seed", range(3))
def test_torques_are_those_of_the_recursion_on_the_arrays(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, inertias = arrays(rng)
    robot = sv.Robot(Model.from_arrays(PARENT, X, JOINTS, inertias))
    q, v, a = rng.normal(size=(3, len(PARENT)))
    expected = newton_euler(X, inertias, q, v, a)
    assert np.allclose(robot.inverse_dynamics(q, v, a), expected, rtol=1e-11, atol=1e-10)


def test_both_ways_to_count_and_both_forms_of_a_transform_are_one_robot() -> None:
    X, inertias = arrays(RNG)
    poses = np.stack([np.eye(4)] * len(X))
    for pose, x in zip(poses, X, strict=True):
        pose[:3, :3] = x[:3, :3].T
        across = -x[:3, :3].T @ x[3:, :3]
        pose[:3, 3] = across[2, 1], across[0, 2], across[1, 0]
    first = Model.from_arrays(PARENT, X, JOINTS, inertias)
    given = [RigidInertia.from_matrix(each.tolist()) for each in inertias]
    second = Model.from_arrays([p - 1 for p in PARENT], poses, JOINTS, given)
    assert [b.parent for b in first.bodies] == [b.parent for b in second.bodies]
    q = RNG.normal(size=len(PARENT))
    M = [sv.Robot(model).mass_matrix(q) for model in (first, second)]
    assert np.allclose(*M, rtol=1e-11, atol=1e-11)


def test_joints_by_name_by_pitch_and_as_objects() -> None:
    one = np.eye(6)[None]
    kinds = {"R": Revolute, "P": Prismatic, 0: Revolute, np.inf: Prismatic, 0.2: Helical}
    for given, kind in kinds.items():
        (_, body) = Model.from_arrays([0], one, [given], one).bodies
        assert type(body.joint) is kind
    assert Model.from_arrays([-1], one, [Spherical()], one, names=["ball"], name="r").bodies[1].joint.nv == 3


ONE = np.eye(6)[None]
TWO = np.stack([np.eye(6)] * 2)
MIRROR = np.kron(np.eye(2), np.diag([1.0, 1.0, -1.0]))[None]
LINEAR_FIRST = transform(np.eye(3), np.array([1.0, 2.0, 3.0])).T[None]
MISTAKES: dict[str, tuple[tuple[Any, ...], dict[str, Any], str]] = {
    "no body": (([], np.zeros((0, 4, 4)), [], np.zeros((0, 6, 6))), {}, "parent"),
    "a first parent of 1": (([1], ONE, ["R"], ONE), {}, "parent[0]"),
    "mixed counts": (([-1, 1], TWO, ["R", "R"], TWO), {}, "parent[1]"),
    "its own parent": (([0, 2], TWO, ["R", "R"], TWO), {}, "parent[1]"),
    "a later parent": (([0, 3], TWO, ["R", "R"], TWO), {}, "parent[1]"),
    "half a parent": (([0, 0.5], TWO, ["R", "R"], TWO), {}, "parent"),
    "too few transforms": (([0, 1], ONE, ["R", "R"], TWO), {}, "Xtree"),
    "a mirror": (([0], MIRROR, ["R"], ONE), {}, "Xtree"),
    "linear before angular": (([0], LINEAR_FIRST, ["R"], ONE), {}, "Xtree[0]"),
    "a transform that is not a number": (([0], ONE * np.nan, ["R"], ONE), {}, "Xtree"),
    "too few joints": (([0, 1], TWO, ["R"], TWO), {}, "joints"),
    "an unknown joint": (([0], ONE, ["Rw"], ONE), {}, "joints[0]"),
    "a pitch that is not a number": (([0], ONE, [np.nan], ONE), {}, "joints[0]"),
    "an inertia of other order": (([0], ONE, ["R"], np.diag([1.0, 1.0, 2.0, 1.0, 2.0, 3.0])[None]), {}, "I[0]"),
    "a negative mass": (([0], ONE, ["R"], -np.eye(6)[None]), {}, "I[0]"),
    "too few inertias": (([0, 1], TWO, ["R", "R"], ONE), {}, "I"),
    "two of a name": (([0, 1], TWO, ["R", "R"], TWO), {"names": ["a", "a"]}, "names"),
    "too few names": (([0, 1], TWO, ["R", "R"], TWO), {"names": ["a"]}, "names"),
    "gravity of two numbers": (([0], ONE, ["R"], ONE), {"gravity": (0, 0)}, "gravity"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake: str) -> None:
    given, more, offender = MISTAKES[mistake]
    with pytest.raises(SixvecError, match=named(offender)):
        Model.from_arrays(*given, **more)


def test_arrays_may_change_later() -> None:
    X, inertias = arrays(RNG)
    model = Model.from_arrays(PARENT, X, JOINTS, inertias)
    before = sv.Robot(model).mass_matrix(np.zeros(len(PARENT)))
    X[:], inertias[:] = 0.0, 0.0
    assert np.array_equal(sv.Robot(model).mass_matrix(np.zeros(len(PARENT))), before)
