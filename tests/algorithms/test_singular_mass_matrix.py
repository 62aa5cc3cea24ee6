"""A mass matrix that is singular everywhere raises an error that names the joint; others do not."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_trees import random_tree
from sixvec.algorithms.parts.singular import _pivots, _position, null_vector, require_mass
from sixvec.errors import ModelError
from sixvec.model import WORLD, Body, JointDynamics, Mimic, Model
from sixvec.model.canonical import canonical
from sixvec.model.edits import Rotor, with_rotor
from sixvec.model.joints import Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3
from tolerances import SOLVED, assert_close

SOLID = RigidInertia.from_center_of_mass(1.0, Vec3(0.5, 0.0, 0.0), Sym3.diagonal(0.1, 0.2, 0.15))
ROD = RigidInertia.from_center_of_mass(1.0, Vec3(0.0, 0.0, 0.5), Sym3.diagonal(0.1, 0.1, 0.0))
POINT = RigidInertia.from_center_of_mass(1.0, Vec3(0.3, 0.4, 0.5), Sym3.zero())
Y = Vec3(0.0, 1.0, 0.0)


def bob(height: float) -> RigidInertia:
    return RigidInertia.from_center_of_mass(1.0, Vec3(0.0, 0.0, height), Sym3.zero())


SPHERICAL_PENDULUM = Model(
    "spherical pendulum", (Body("pan", WORLD, Revolute()), Body("tilt", "pan", Revolute(Y), inertia=bob(-1.0)))
)
MASSLESS_LEADER = Model(
    "massless leader",
    (Body("drum", WORLD, Revolute()), Body("arm", WORLD, Revolute(), inertia=SOLID, mimic=Mimic("drum", 2.0))),
)
ONLY_A_ROTOR = with_rotor(
    Model("only a rotor", (Body("base"), Body("gear", "base", Revolute(), joint_name="j"))), "j", Rotor(1e-3, 10.0)
)
COAXIAL = Model("coaxial", (Body("a", WORLD, Revolute()), Body("b", "a", Revolute(), inertia=SOLID)))


@pytest.mark.parametrize("model", [SPHERICAL_PENDULUM, MASSLESS_LEADER, ONLY_A_ROTOR], ids=lambda m: m.name)
def test_a_regular_mass_matrix_is_accepted(model: Model) -> None:
    robot = sv.Robot(model)
    q, tau = np.array([0.3, 0.7])[: robot.nv], np.array([0.1, 0.2])[: robot.nv]
    expected = np.linalg.solve(robot.mass_matrix(q), tau)
    assert_close(robot.mass_matrix_solve(q, tau), expected, SOLVED, batched=False)
    assert_close(robot.mass_matrix_inverse(q) @ tau, expected, SOLVED, batched=False)
    a = robot.forward_dynamics(q, np.zeros(robot.nv), tau)
    assert_close(robot.inverse_dynamics(q, np.zeros(robot.nv), a), tau, SOLVED, batched=False)


@pytest.mark.parametrize(
    ("bodies", "said"),
    [
        (COAXIAL.bodies, named("a", "b")),
        ((Body("bob", WORLD, Spherical(), inertia=POINT),), "bob"),
        ((Body("rod", WORLD, Spherical(), inertia=ROD),), "rod"),
        ((Body("fork", WORLD, Universal(), inertia=RigidInertia.zero()),), "fork"),
        (
            (Body("arm", WORLD, Revolute(), inertia=SOLID), Body("fork", "arm", Universal(), inertia=bob(0.0))),
            "fork",
        ),
        (
            (Body("drum", WORLD, Revolute()), Body("idler", WORLD, Revolute(), mimic=Mimic("drum", 2.0))),
            "drum",
        ),
        (
            (*COAXIAL.bodies, Body("idler", "b", Revolute(), mimic=Mimic("a", 2.0))),
            named("a", "b"),
        ),
    ],
)
@pytest.mark.parametrize("name", ["forward_dynamics", "mass_matrix_inverse", "mass_matrix_solve", "mass_matrix_ltdl"])
def test_a_singular_one_raises_by_the_users_name(bodies: tuple[Body, ...], said: str, name: str) -> None:
    with pytest.raises(ModelError, match=said):
        sv.Robot(Model("m", bodies)).kernel(name).program  # noqa: B018


def test_prescribed_coordinates_need_no_mass() -> None:
    rod = Model("rod", (Body("rod", WORLD, Spherical(), inertia=ROD),))
    require_mass(rod, frozenset({2}))
    with pytest.raises(ModelError, match="rod"):
        require_mass(rod, frozenset({0}))
    robot, v, tau = sv.Robot(rod), [0.1, 0.2, 0.3], [1.0, 0.5, 0.0]
    found = robot.hybrid_dynamics(robot.neutral(), v, [0.0, 0.0, 1.0], tau, prescribed=(2,))
    assert_close(robot.inverse_dynamics(robot.neutral(), v, found.a), found.tau, SOLVED, batched=False)
    for model, known in ((COAXIAL, 0), (COAXIAL, 1), (SPHERICAL_PENDULUM, 1), (MASSLESS_LEADER, 0)):
        require_mass(model, frozenset({known}))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (Body("a", WORLD, Prismatic(), inertia=RigidInertia.zero() - SOLID), named("a")),
        (
            Body("a", WORLD, Revolute(), inertia=SOLID, dynamics=JointDynamics(armature=(-5.0,))),
            named("a"),
        ),
        (
            Body("a", WORLD, Revolute(), inertia=RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(0.1, 0.1, -0.1))),
            named("a"),
        ),
    ],
)
def test_what_is_negative_is_named(body: Body, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        sv.Robot(Model("m", (body,))).forward_dynamics([0.0], [0.0], [1.0])


@pytest.mark.parametrize("seed", range(40))
def test_the_verdict_is_the_rank_of_the_mass_matrix(seed: int) -> None:
    """Trees with massless, thin and pointlike bodies, rotors and followers: as the eigenvalues of M say."""
    rng = np.random.default_rng(seed)
    model = random_tree(seed, bodies=6)
    bodies = list(model.bodies)
    for i, b in enumerate(bodies):
        kind = rng.integers(6)
        if kind < 3:
            b = replace(b, inertia=(RigidInertia.zero(), ROD, POINT)[kind])
        if rng.integers(6) == 0:
            b = replace(b, dynamics=JointDynamics(armature=(0.3,) * b.joint.nv))
        bodies[i] = b
    single = [b.name for b in bodies if b.joint.nv == 1]
    if len(single) > 1 and seed % 2:
        tied = single[1]
        bodies = [replace(b, mimic=Mimic(single[0], -0.7, 0.2)) if b.name == tied else b for b in bodies]
    model = replace(model, bodies=tuple(bodies))
    robot = sv.Robot(model)
    M = np.array([robot.evaluate("mass_matrix", q) for q in robot.random(rng, 3).tolist()])
    size = np.sqrt(np.maximum(np.diagonal(M, axis1=1, axis2=2), np.finfo(float).tiny))
    least = np.linalg.eigvalsh(M / (size[:, :, None] * size[:, None, :])).min(axis=1)
    for form in (model, canonical(model)):
        if least.max() > 1e-9:
            require_mass(form)
        else:
            assert least.max() < 1e-13
            with pytest.raises(ModelError, match="mass"):
                require_mass(form)


def test_symbols_are_not_judged() -> None:
    sympy = pytest.importorskip("sympy")
    m = sympy.Symbol("m", positive=True)
    tip = RigidInertia.from_center_of_mass(m, Vec3(1.0, 0.0, 0.0), Sym3.zero())
    pendulum = Model("pendulum", (Body("tip", WORLD, Revolute(), inertia=tip),))
    require_mass(pendulum)
    bare = replace(pendulum, bodies=(*pendulum.bodies, Body("ghost", "tip", Revolute())))
    with pytest.raises(ModelError, match="ghost"):  # whatever m is
        require_mass(bare)


def test_the_check_is_cheap() -> None:
    """Linear in the number of bodies, although the axes of universal joints are bodies without mass."""

    def calls(links: int) -> int:
        place, bodies = Pose(Rotation.about(Vec3(1.0, 0.0, 0.0), 0.3), Vec3(0.3, 0.2, 0.1)), [Body("base")]
        for i in range(links):
            bodies.append(Body(f"link{i}", bodies[-1].name, Universal(), place, SOLID))
        snake, seen = canonical(Model(f"snake of {links}", tuple(bodies))), 0

        def count(frame: object, event: str, argument: object) -> None:
            nonlocal seen
            seen += event == "call"

        sys.setprofile(count)
        try:
            require_mass(snake)
        finally:
            sys.setprofile(None)
        return seen

    few, some, many = calls(20), calls(40), calls(80)
    assert many - some == pytest.approx(2 * (some - few), rel=0.05)


def test_pivots_are_those_of_an_elimination_from_the_last_row() -> None:
    M = [[4.0, 2.0, 1.0], [2.0, 3.0, 0.5], [1.0, 0.5, 2.0]]
    assert _pivots(M) == pytest.approx([4.0 - 0.5 - 1.75**2 / 2.875, 2.875, 2.0])
    assert _pivots([[4.0, 2.0], [2.0, 1.0]]) == [0.0, 1.0] and _pivots([[4.0, 2.0], [2.0, 0.0]]) == [0.0, 0.0]
    assert _pivots([[4.0, 2.0], [2.0, -1.0]]) == [0.0, -1.0] and _pivots([]) == []


@pytest.mark.parametrize(
    ("root", "null"),
    [
        (np.eye(3), [0.0, 0.0, 0.0]),
        (np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]), [0.6, 0.8, -1.0]),
        (np.array([[1.0], [1.0]]), [1.0, -1.0]),
        (np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.6, 0.0, 0.8]]), [0.0, 1.0, 1.0, 0.0]),
    ],
)
def testnull_vectors_are_common_motions(root: np.ndarray, null: list[float]) -> None:
    x = np.array(null_vector((root @ root.T).tolist()))
    assert np.abs(root.T @ x).max() < 1e-12
    size = np.abs(x).max()
    assert bool(size) == any(null)
    if size:
        assert np.abs(x / x[np.argmax(np.abs(null))] - np.array(null) / null[np.argmax(np.abs(null))]).max() < 1e-12


def test_positions_are_generic() -> None:
    """All angles between 0.4 and 1.4, no two alike, at each of the positions."""
    model = Model("five", tuple(Body(str(i), joint=Revolute()) for i in range(5)))
    found = np.array([_position(model, n) for n in range(3)])
    assert (found >= 0.4).all() and (found < 1.4).all()
    assert np.abs(np.subtract.outer(found.ravel(), found.ravel()))[~np.eye(15, dtype=bool)].min() > 1e-3
    assert found[0, 0] == pytest.approx(0.4 + (5.0**0.5 - 1.0) / 2.0)
