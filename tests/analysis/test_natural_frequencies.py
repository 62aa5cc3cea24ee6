"""Natural frequencies against closed forms, SciPy with differentiated stiffness, and mechanisms in one coordinate."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

import sixvec
from differences import tangent_gradient
from naming import named
from sixvec import Model, Robot
from sixvec.analysis import natural_frequencies
from sixvec.errors import ArgumentError, DegenerateError, ModelError
from sixvec.model import Body, BodySpring, JointDynamics, Mimic
from sixvec.model.edits import lock, with_elastic_joint
from sixvec.model.joints import Prismatic, Revolute
from sixvec.spatial import RigidInertia, Sym3, Vec3
from tolerances import assert_close

X = Vec3(1.0, 0.0, 0.0)


def mass(m: float) -> RigidInertia:
    return RigidInertia.from_center_of_mass(m, Vec3.zero(), Sym3.diagonal(m, m, m))


def chain(springs: list[float], masses: list[float]) -> Robot:
    """Masses on a line, each on a spring to the one before, the first to the world."""
    bodies, parent = [], None
    for i, (k, m) in enumerate(zip(springs, masses, strict=True)):
        bodies.append(Body(f"m{i}", parent, Prismatic(X), inertia=mass(m), dynamics=JointDynamics(stiffness=(k,))))
        parent = f"m{i}"
    return Robot(Model("chain", tuple(bodies)))


@pytest.mark.covers("ANA-01")
def test_a_chain_of_equal_springs_has_its_textbook_frequencies() -> None:
    """ω_j = 2 √(k/m) sin((2j - 1) π / (4n + 2)) for a chain with one end fixed."""
    n, k, m = 6, 40.0, 0.5
    found = natural_frequencies(chain([k] * n, [m] * n), np.zeros(n))
    j = np.arange(1, n + 1)
    expected = 2.0 * math.sqrt(k / m) * np.sin((2 * j - 1) * math.pi / (4 * n + 2)) / (2.0 * math.pi)
    np.testing.assert_allclose(found.frequencies, expected, rtol=1e-12)
    assert (found.growth == 0.0).all()


@pytest.mark.covers("ANA-01")
def test_two_loose_masses_drift_and_vibrate() -> None:
    """One mode of frequency zero, exactly, and one with the reduced mass."""
    found = natural_frequencies(chain([0.0, 30.0], [2.0, 3.0]), [0.4, -0.1])
    assert found.frequencies[0] == 0.0 and found.growth[0] == 0.0 and found.unstable == 0
    assert found.frequencies[1] == pytest.approx(math.sqrt(30.0 / (2.0 * 3.0 / 5.0)) / (2.0 * math.pi), rel=1e-12)
    np.testing.assert_allclose(found.modes[:, 0] / found.modes[0, 0], [1.0, 0.0], atol=1e-12)


@pytest.mark.covers("ANA-01")
def test_the_double_pendulum_hanging_and_standing() -> None:
    """M and K of two point masses on massless rods by hand; standing, both directions grow at the same rates."""
    m1, m2, l1, l2, g = 1.3, 0.7, 0.9, 0.5, 9.81
    at = [RigidInertia.from_center_of_mass(m, Vec3(0.0, 0.0, -x), Sym3.zero()) for m, x in ((m1, l1), (m2, l2))]
    from sixvec.spatial import Pose

    bodies = (Body("a", None, Revolute(X), inertia=at[0]),
              Body("b", "a", Revolute(X), Pose.translation(Vec3(0.0, 0.0, -l1)), at[1]))  # fmt: skip
    robot = Robot(Model("pendulum", bodies))
    L = l1 + l2
    M = np.array([[m1 * l1**2 + m2 * L**2, m2 * L * l2], [m2 * L * l2, m2 * l2**2]])
    K = g * np.array([[m1 * l1 + m2 * L, m2 * l2], [m2 * l2, m2 * l2]])
    values, vectors = eigh(K, M)
    found = natural_frequencies(robot, [[0.0, 0.0], [math.pi, 0.0]])
    np.testing.assert_allclose(found.frequencies[0], np.sqrt(values) / (2.0 * math.pi), rtol=1e-12)
    np.testing.assert_allclose(abs(found.modes[0]), abs(vectors), atol=1e-12)
    np.testing.assert_allclose(sorted(found.growth[1]), np.sqrt(values), rtol=1e-12)
    assert (found.frequencies[1] == 0.0).all() and found.unstable.tolist() == [0, 2]


def sprung(seed: int) -> Robot:
    """An arm with springs in some joints, rotors in all, and a spring between two of its links."""
    rng = np.random.default_rng(seed)
    model = sixvec.load("panda").model
    bodies = [
        replace(b, dynamics=JointDynamics(armature=(float(rng.uniform(0.1, 0.5)),), rest=(float(rng.normal()),),
                                          stiffness=(float(rng.uniform(0.0, 50.0) * (i % 2)),)))
        if b.joint.nv == 1 else b for i, b in enumerate(model.bodies)
    ]  # fmt: skip
    A = rng.normal(size=(6, 6))
    spring = BodySpring("panda_link2", "panda_link6", (A @ A.T * 5.0).tolist())
    return Robot(replace(model, bodies=tuple(bodies), passive=(spring,) if seed % 2 else ()))


@pytest.mark.covers("ANA-01")
@pytest.mark.parametrize("seed", range(4))
def test_frequencies_are_those_of_scipy_with_differences(seed: int) -> None:
    robot = sprung(seed)
    q = robot.random(seed, 5)

    def load(x: np.ndarray) -> np.ndarray:
        return robot.gravity_forces(x) - robot.passive_forces(x, np.zeros(7))

    K, M = tangent_gradient(robot, load, q), robot.mass_matrix(q)
    found = natural_frequencies(robot, q)
    for i in range(5):
        values = eigh(0.5 * (K[i] + K[i].T), M[i], eigvals_only=True)
        np.testing.assert_allclose(found.eigenvalues[i], values, atol=1e-6 * abs(values).max())
    unit = np.swapaxes(found.modes, -1, -2) @ M @ found.modes
    assert_close(unit, np.broadcast_to(np.eye(7), unit.shape), 1e-10)
    assert (found.unstable == (found.eigenvalues < 0.0).sum(-1)).all()


@pytest.mark.covers("ANA-01")
@pytest.mark.parametrize(("name", "drive"), [("four_bar", "drive"), ("slider_crank", None)])
def test_mechanisms_vibrate_in_their_independent_coordinates(name: str, drive: Any) -> None:
    """One freedom x: ω² = V''(x) / m(x), with V by assembling the loop at neighbouring positions of the motor."""
    model = sixvec.load(name).model
    passive = [b for b in model.bodies if b.joint.nv and max(b.limits.effort, default=1.0) == 0.0]
    motor = next(b for b in model.moving if b.joint_label == drive) if drive else model.moving[0]
    assert passive
    stiff = passive[-1]
    bodies = tuple(replace(b, dynamics=JointDynamics(stiffness=(7.0,))) if b is stiff else b for b in model.bodies)
    robot = Robot(replace(model, bodies=bodies))
    i = robot.model.v_slices[motor.name].start
    start = robot.assemble(robot.random(3)).q
    start = robot.assemble(start, fixed=[motor.joint_label]).q

    def energy(x: float) -> float:
        q = np.array(start)
        q[i] += x
        q = robot.assemble(q, fixed=[motor.joint_label]).q
        return float(robot.potential_energy(q)) + 3.5 * float(q[robot.model.q_slices[stiff.name]][0] ** 2)

    h = 1e-3
    curvature = (-energy(2 * h) + 16 * energy(h) - 30 * energy(0.0) + 16 * energy(-h) - energy(-2 * h)) / (12 * h * h)
    found = natural_frequencies(robot, start)
    assert found.eigenvalues.shape == (1,)
    rate = found.modes[:, 0] / found.modes[i, 0]
    expected = curvature / (rate @ robot.mass_matrix(start) @ rate)
    assert found.eigenvalues[0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.covers("ANA-02")
def test_series_elasticity_has_its_closed_form() -> None:
    """Motor free: 0 and k (1/I + 1/(r² J)); motor locked: k/I; the spring deflects by τ/k at rest."""
    inertia, k, J, r = 0.8, 300.0, 2e-4, 50.0
    link = Body("link", None, Revolute(X), inertia=RigidInertia.from_center_of_mass(2.0, Vec3.zero(),
                Sym3.diagonal(inertia, 0.1, 0.1)), joint_name="axis")  # fmt: skip
    model = with_elastic_joint(Model("one", (link,)), "axis", k, rotor_inertia=J, ratio=r, damping=0.3)
    robot = Robot(model)
    found = natural_frequencies(robot, [0.2, 0.0])
    assert found.frequencies[0] == 0.0
    assert found.eigenvalues[1] == pytest.approx(k * (1.0 / inertia + 1.0 / (r * r * J)), rel=1e-12)
    held = natural_frequencies(Robot(lock(model, {"axis": 0.2})), [0.0])
    assert held.eigenvalues[0] == pytest.approx(k / inertia, rel=1e-12)
    a = robot.forward_dynamics([0.0, 0.01], [0.0, 0.5], [1.5, 0.0], passive=True)
    pull = -k * 0.01 - 0.3 * 0.5
    np.testing.assert_allclose(a, [(1.5 - pull) / (r * r * J), pull / inertia - (1.5 - pull) / (r * r * J)], rtol=1e-12)


@pytest.mark.covers("ANA-02")
def test_a_stiff_spring_is_the_rigid_robot_with_its_armature() -> None:
    model = sixvec.load("panda").model
    elastic = Robot(with_elastic_joint(model, "panda_joint4", 1e9, rotor_inertia=1e-4, ratio=100.0))
    bodies = tuple(replace(b, dynamics=JointDynamics(armature=(1.0,))) if b.joint_name == "panda_joint4" else b
                   for b in model.bodies)  # fmt: skip
    rigid = Robot(replace(model, bodies=bodies))
    q = rigid.random(1)
    wide = np.insert(q, 4, 0.0)
    at_rest = np.linalg.solve(elastic.mass_matrix(wide)[[0, 1, 2, 3, 5, 6, 7]][:, [0, 1, 2, 3, 5, 6, 7]], np.ones(7))
    np.testing.assert_allclose(at_rest, np.linalg.solve(rigid.mass_matrix(q), np.ones(7)), rtol=1e-10)
    assert elastic.joint_names == (*rigid.joint_names[:4], "panda_joint4 (spring)", *rigid.joint_names[4:])
    assert natural_frequencies(elastic, wide).frequencies[-1] > 1e3


@pytest.mark.covers("ANA-02")
def test_backlash_is_a_gap_that_stops_close() -> None:
    """The motor turns 0.05 rad before the link follows, and the link lags by the gap on the way back."""
    from sixvec.constraints.contacts import stops

    link = Body("link", None, Revolute(Vec3(0.0, 0.0, 1.0)), inertia=mass(1.0), joint_name="axis",
                dynamics=JointDynamics(damping=(20.0,)))  # fmt: skip
    robot = Robot(with_elastic_joint(Model("gear", (link,)), "axis", 0.0, rotor_inertia=1e-3, ratio=10.0, travel=0.05,
                                     damping=0.5))  # fmt: skip
    forward = robot.rollout([0.0, 0.0], [0.0, 0.0], [3.0, 0.0], 1e-3, steps=1500, passive=True, contacts=stops(robot))
    theta, gap = forward.q[:, 0], forward.q[:, 1]
    assert gap.min() >= -0.05 - 2e-3 and theta[-1] > 0.15
    assert gap[-1] == pytest.approx(-0.05, abs=2e-3)  # the motor leads
    back = robot.rollout(
        forward.q[-1], forward.v[-1], [-3.0, 0.0], 1e-3, steps=1500, passive=True, contacts=stops(robot)
    )
    assert back.q[-1, 1] == pytest.approx(0.05, abs=2e-3)


def test_batches_nan_and_precision() -> None:
    robot = sprung(0)
    q = robot.random(0, 6).reshape(2, 3, 7)
    q[1, 1, 2] = np.nan
    found = natural_frequencies(robot, q)
    assert found.frequencies.shape == (2, 3, 7) and found.modes.shape == (2, 3, 7, 7)
    assert np.isnan(found.frequencies[1, 1]).all() and np.isfinite(found.frequencies[0]).all()
    np.testing.assert_allclose(natural_frequencies(robot, q[0, 2]).frequencies, found.frequencies[0, 2], rtol=1e-9)
    assert natural_frequencies(robot, q[:0]).frequencies.shape == (0, 3, 7)
    assert natural_frequencies(robot, q[0].astype(np.float32)).frequencies.dtype == np.float32


def test_bodies_that_fall_are_not_in_equilibrium() -> None:
    """Constant moments on a free joint have no energy; without gravity six modes are exactly zero."""
    model = with_elastic_joint(sixvec.load("planar_2r").model, "joint2", 200.0, rotor_inertia=0.01)
    base = Body("ship", None, sixvec.model.joints.Free(), inertia=mass(5.0))
    bodies = (base, *(replace(b, parent="ship") if b.parent is None else b for b in model.bodies))
    robot = Robot(replace(model, bodies=bodies))
    with pytest.raises(ArgumentError, match=named("ship")):
        natural_frequencies(robot, robot.random(0))
    free = robot.with_gravity([0.0, 0.0, 0.0])
    q = free.random(0)
    q[-1] = 0.0
    found = natural_frequencies(free, q)
    assert (found.frequencies[:-1] == 0.0).all() and found.frequencies[-1] > 1.0 and found.unstable == 0


def test_what_cannot_vibrate_or_be_elastic_is_named() -> None:
    light = Robot(Model("light", (Body("a", None, Revolute(X)),)))
    with pytest.raises(DegenerateError, match=named("natural_frequencies", "light")):
        natural_frequencies(light, [0.0])
    model = sixvec.load("planar_2r").model
    for wrong in ({"rotor_inertia": 0.0}, {"rotor_inertia": -1.0}, {"rotor_inertia": 1.0, "ratio": 0.0}):
        with pytest.raises(ArgumentError, match="rotor_inertia"):
            with_elastic_joint(model, "joint1", 1.0, **wrong)
    first = model.moving[0]
    geared = replace(model, bodies=tuple(
        replace(b, dynamics=JointDynamics(armature=(0.3,))) if b is first else b for b in model.bodies))  # fmt: skip
    with_elastic_joint(geared, first.joint_label, 1.0, rotor_inertia=0.0)  # its armature is on the motor's side
    with pytest.raises(ArgumentError, match=named("stiffness")):
        with_elastic_joint(model, "joint1", -1.0, rotor_inertia=1.0)
    with pytest.raises(ArgumentError, match="travel"):
        with_elastic_joint(model, "joint1", 1.0, rotor_inertia=1.0, travel=0.0)
    with pytest.raises(ModelError, match="elbow"):
        with_elastic_joint(model, "elbow", 1.0, rotor_inertia=1.0)
    first, second = (b for b in model.bodies if b.joint.nv)
    followed = replace(
        model, bodies=tuple(replace(b, mimic=Mimic(first.name)) if b is second else b for b in model.bodies)
    )
    with pytest.raises(ModelError, match="mimics it"):
        with_elastic_joint(followed, "joint1", 1.0, rotor_inertia=1.0)
    with pytest.raises(ModelError, match="follows another"):
        with_elastic_joint(followed, "joint2", 1.0, rotor_inertia=1.0)
