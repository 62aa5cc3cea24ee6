"""Edits give a new robot that is the old one, changed as said: checked through poses and dynamics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_trees import random_tree
from sixvec.model import Body, Gear, Mimic, Model
from sixvec.model.edits import attach, lock, mirror, payload, rename, reorder, reroot, subchain, with_inertia
from sixvec.model.edits.floating import with_free_root
from sixvec.model.joints import Helical, Prismatic, Revolute, Spherical
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3
from tolerances import IDENTITY, assert_close

LOAD = RigidInertia.from_center_of_mass(2.0, Vec3(0.01, 0.02, 0.1), Sym3(0.02, 0.001, 0.0, 0.03, 0.0, 0.01))


@pytest.fixture(scope="module")
def panda() -> sv.Robot:
    return sv.load("panda")


@pytest.fixture(scope="module")
def arm() -> sv.Robot:
    """A branched robot of revolute, prismatic and helical joints with skew axes."""
    rng = np.random.default_rng(3)
    kinds = [Revolute, Prismatic, lambda a: Helical(a, 0.1), Revolute, Prismatic, Revolute]
    bodies = [Body("root", inertia=LOAD)]
    for i, (kind, parent) in enumerate(zip(kinds, ["root", "b0", "b1", "b1", "b3", "root"], strict=True)):
        axis, p = Vec3.of(map(float, rng.normal(size=3))), Vec3.of(map(float, rng.normal(size=3)))
        X = Pose(Rotation.from_rpy(*map(float, rng.normal(size=3))), p)
        bodies.append(Body(f"b{i}", parent, kind(axis), X, LOAD, joint_name=f"j{i}"))
    return sv.Robot(Model("arm", tuple(bodies)))


def states(robot: sv.Robot) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return robot.random(rng, 5), rng.normal(size=(5, robot.nv)), rng.normal(size=(5, robot.nv))


@pytest.mark.covers("Featherstone (8)")
def test_lock(panda) -> None:
    q, v, a = states(panda)
    q[:, 3], q[:, 5], v[:, [3, 5]], a[:, [3, 5]] = -1.2, 0.0, 0.0, 0.0
    short = sv.Robot(lock(panda.model, {"panda_joint4": -1.2, "panda_joint6": [0.0]}))
    keep = [0, 1, 2, 4, 6]
    assert short.joint_names == tuple(panda.joint_names[i] for i in keep)
    assert short.frame_names == panda.frame_names
    assert_close(short.poses(q[:, keep]), panda.poses(q), IDENTITY)
    expected = panda.inverse_dynamics(q, v, a)[:, keep]
    assert_close(short.inverse_dynamics(q[:, keep], v[:, keep], a[:, keep]), expected, IDENTITY)
    assert sv.Robot(lock(panda.model, panda.joint_names)).nv == 0
    with pytest.raises(ValueError, match="panda_joint9"):
        lock(panda.model, ["panda_joint9"])
    with pytest.raises(ValueError, match="panda_link1"):
        lock(panda.model, {"panda_joint1": [0.0, 1.0]})


def test_payload_and_inertia(panda) -> None:
    q, v, a = states(panda)
    loaded = sv.Robot(payload(panda.model, "panda_link8", LOAD))
    heavier = panda.model.by_name["panda_link8"].inertia + LOAD
    replaced = sv.Robot(with_inertia(panda.model, "panda_link8", heavier))
    assert_close(loaded.inverse_dynamics(q, v, a), replaced.inverse_dynamics(q, v, a), IDENTITY)
    # the load is felt as the wrench that moves it
    A = loaded.classical_acceleration(q, v, a, "panda_link8", "local")
    assert loaded.mass == pytest.approx(panda.mass + 2.0)
    assert A.shape == (5, 6)


def test_attach(panda) -> None:
    X = Pose(Rotation.from_rpy(0.1, 0.2, 0.3), Vec3(0.0, 0.1, 0.2))
    two = sv.Robot(attach(panda.model, panda.model, "panda_link8", X, prefix="second_"))
    q1, q2 = panda.random(1, 4), panda.random(2, 4)
    q = np.concatenate([q1, q2], axis=-1)
    assert two.nv == 14
    mount = panda.pose(q1, "panda_link8") @ np.array(X.as_matrix())
    assert_close(two.pose(q, "second_panda_link8"), mount @ panda.pose(q2, "panda_link8"), IDENTITY)
    with pytest.raises(ValueError, match="panda_link0"):
        attach(panda.model, panda.model, "panda_link8")
    with pytest.raises(KeyError, match="tool"):
        attach(panda.model, panda.model, "tool")


def test_subchain(panda) -> None:
    part = sv.Robot(subchain(panda.model, "panda_link2", "panda_link5"))
    q = panda.random(0, 4)
    whole = np.linalg.inv(panda.pose(q, "panda_link2")) @ panda.pose(q, "panda_link5")
    assert part.joint_names == ("panda_joint3", "panda_joint4", "panda_joint5")
    assert_close(part.pose(q[:, 2:5], "panda_link5"), whole, IDENTITY)
    with pytest.raises(ValueError, match=named("panda_link6", "panda_link5")):
        subchain(panda.model, "panda_link6", "panda_link5")


def test_rename(panda) -> None:
    other = sv.Robot(rename(panda.model, {"panda_link8": "flange", "panda_joint1": "waist"}))
    q = panda.random(0)
    assert other.joint_names[0] == "waist"
    assert np.array_equal(other.pose(q, "flange"), panda.pose(q, "panda_link8"))
    with pytest.raises(ValueError, match="panda_link9"):
        rename(panda.model, {"panda_link9": "x"})


@pytest.mark.parametrize("floating", [False, True])
def test_reorder(floating: bool) -> None:
    robot = sv.Robot(random_tree(7, bodies=7, floating=floating))
    names = robot.joint_names[::-1]
    other = sv.Robot(reorder(robot.model, names))
    assert other.joint_names == names
    q, v, a = states(robot)

    def permuted(x: np.ndarray, slices: str) -> np.ndarray:
        of, to = getattr(robot.model, slices), getattr(other.model, slices)
        y = np.empty_like(x)
        for name in of:
            y[..., to[name]] = x[..., of[name]]
        return y

    p = permuted(q, "q_slices"), permuted(v, "v_slices"), permuted(a, "v_slices")
    assert_close(other.inverse_dynamics(*p), permuted(robot.inverse_dynamics(q, v, a), "v_slices"), IDENTITY)
    assert_close(other.forward_dynamics(*p), permuted(robot.forward_dynamics(q, v, a), "v_slices"), 1e-9)
    assert_close(other.integrate(p[0], p[1]), permuted(robot.integrate(q, v), "q_slices"), IDENTITY)
    with pytest.raises(ValueError, match=names[0]):
        reorder(robot.model, names[1:])
    with pytest.raises(ValueError, match=named(names[0], names[1])):
        reorder(robot.model, [names[1], *names[1:]])


def test_mirror(arm) -> None:
    q, v, a = states(arm)
    n = np.array([1.0, 2.0, -1.0]) / np.sqrt(6.0)
    H = np.eye(4)
    H[:3, :3] -= 2 * np.outer(n, n)
    image = sv.Robot(mirror(arm.model, Vec3(1.0, 2.0, -1.0)))
    assert_close(image.poses(q), H @ arm.poses(q) @ H, IDENTITY)
    assert_close(image.inverse_dynamics(q, v, a), arm.inverse_dynamics(q, v, a), IDENTITY)
    ball = Model("ball", (Body("b", None, Spherical(), inertia=LOAD),))
    with pytest.raises(ValueError, match=named("b")):
        mirror(ball, Vec3(1.0, 0.0, 0.0))


PLACE = Pose(Rotation.from_rpy(0.3, -0.2, 0.9), Vec3(0.1, 0.2, 0.3))


def relative_places(robot: sv.Robot, q: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """The poses of frames, seen from the first of them."""
    X = robot.poses(q)[:, [robot.frame_names.index(name) for name in names]]
    return np.linalg.inv(X[:, :1]) @ X


@pytest.mark.parametrize("root", ["b1", "b2", "b3", "b4", "b5"])
@pytest.mark.parametrize("named", [True, False])
def test_reroot_keeps_relative_places_at_the_same_q(arm, root, named) -> None:
    """The user's call: the same q, no permutation, with names of joints or without."""
    if not named:
        arm = sv.Robot(replace(arm.model, bodies=tuple(replace(b, joint_name="") for b in arm.model.bodies)))
    q, _, _ = states(arm)
    turned = sv.Robot(reroot(arm.model, root))
    assert turned.model.bodies[0].name == root
    assert turned.joint_names == arm.joint_names
    assert (turned.nq, turned.nv, turned.mass) == (arm.nq, arm.nv, pytest.approx(arm.mass))
    assert_close(relative_places(turned, q, arm.frame_names), relative_places(arm, q, arm.frame_names), IDENTITY)
    for limit in ("lower", "upper", "velocity_limits", "effort_limits"):
        np.testing.assert_array_equal(getattr(turned, limit), getattr(arm, limit))


def test_reroot_keeps_couplings() -> None:
    """Mimics and gears name bodies for their joints, which other bodies carry after the edit."""
    bodies = (
        Body("base", inertia=LOAD),
        Body("a", "base", Revolute(Vec3(0.0, 1.0, 0.0)), PLACE, LOAD, joint_name="ja"),
        Body("b", "a", Revolute(Vec3(1.0, 0.0, 0.0)), PLACE, LOAD),
        Body("c", "b", Revolute(Vec3(0.0, 0.0, 1.0)), PLACE, LOAD, mimic=Mimic("b", 2.0, 0.1)),
        Body("side", "base", Revolute(Vec3(0.0, 0.0, 1.0)), PLACE, LOAD, mimic=Mimic("a", -1.5)),
    )
    geared = sv.Robot(Model("geared", bodies, closures=(Gear("g", "a", "b", 3.0),)))
    turned = reroot(geared.model, "c")
    assert turned.closures == (Gear("g", "base", "a", 3.0),)
    q = np.random.default_rng(3).normal(size=(4, 2))
    names = geared.frame_names
    assert_close(relative_places(sv.Robot(turned), q, names), relative_places(geared, q, names), IDENTITY)
    again = sv.Robot(reroot(turned, "base"))
    assert_close(relative_places(again, q, names), relative_places(geared, q, names), IDENTITY)
    assert again.joint_names == geared.joint_names == ("ja", "b")


def test_reroot_keeps_the_dynamics_of_a_free_robot(arm) -> None:
    """How joints respond to joint forces does not depend on which body carries the six free coordinates."""
    free = sv.Robot(with_free_root(arm.model))
    turned = sv.Robot(reroot(free.model, "b4"))
    q, _, _ = states(free)
    assert turned.joint_names == free.joint_names
    mobility = turned.mass_matrix_inverse(q)[:, 6:, 6:]
    assert_close(mobility, free.mass_matrix_inverse(q)[:, 6:, 6:], 1e-9)
