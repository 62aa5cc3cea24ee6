"""Shapes stay with their frames through every edit, and no kernel knows of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from geom_poses import geom_poses
from naming import named
from random_trees import random_pose
from sixvec.errors import ModelError
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cylinder, Ellipsoid, Sphere
from sixvec.model import Body, Geom, HalfSpace, Material, Mesh, Model, Polyhedron
from sixvec.model.canonical import canonical
from sixvec.model.edits import (
    Rotor,
    attach,
    lock,
    mirror,
    payload,
    rename,
    reorder,
    reroot,
    subchain,
    with_free_root,
    with_inertia,
    with_rotor,
)
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from tolerances import IDENTITY, assert_close

SHAPES = (
    Box(Vec3(0.1, 0.2, 0.3)),
    Sphere(0.1),
    Cylinder(0.1, 0.3),
    Capsule(0.1, 0.3),
    Ellipsoid(Vec3(0.1, 0.2, 0.3)),
    Mesh("hand.stl", Vec3(1.0, 2.0, 3.0)),
    Polyhedron((Vec3.zero(), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)), ((0, 2, 1), (0, 1, 3))),
    HalfSpace(),
)


def dressed(name: str = "panda") -> Model:
    """A robot with a shape of another kind, at a random place, on each of its frames."""
    model, rng = sixvec.load(name).model, np.random.default_rng(2)
    geoms = (
        Geom(f.name, SHAPES[i % len(SHAPES)], random_pose(rng), f"shape{i}", Material("red", (1.0, 0.0, 0.0, 1.0)))
        for i, f in enumerate(model.frames)
    )
    return replace(model, geoms=tuple(geoms))


ARM = dressed()
Q = np.random.default_rng(3).uniform(-1.0, 1.0, ARM.nv)
LOAD = RigidInertia(2.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))


def test_no_kernel_depends_on_shapes() -> None:
    bare = replace(ARM, geoms=())
    assert bare != ARM
    assert ARM.fingerprint == bare.fingerprint and hash(ARM) == hash(bare)
    assert canonical(ARM).geoms == () and repr(ARM) == repr(bare)
    identity = {sixvec.Robot(m).kernel("inverse_dynamics").identity for m in (ARM, bare)}
    assert len(identity) == 1


@pytest.mark.parametrize(
    "edited",
    [
        lock(ARM, {"panda_joint1": float(Q[0])}),
        payload(ARM, "panda_link8", LOAD),
        with_inertia(ARM, "panda_link3", LOAD),
        with_rotor(ARM, "panda_joint2", Rotor(1e-4, 100.0)),
        rename(ARM, {"panda_link8": "flange", "panda_link3": "elbow"}),
        reorder(ARM, [b.joint_name for b in reversed(ARM.moving)]),
        ARM.with_gravity(Vec3.zero()),
    ],
    ids=["lock", "payload", "inertia", "rotor", "rename", "reorder", "gravity"],
)
def test_shapes_stay_where_they_are(edited: Model) -> None:
    at = {b.joint_name: q for b, q in zip(ARM.moving, Q, strict=True)}
    q = np.array([at[b.joint_name] for b in edited.moving])
    assert [g.shape for g in edited.geoms] == [g.shape for g in ARM.geoms]
    assert [g.material for g in edited.geoms] == [g.material for g in ARM.geoms]
    assert_close(geom_poses(edited, q), geom_poses(ARM, Q), IDENTITY)


def test_a_floating_robot_takes_its_shapes_along() -> None:
    free = with_free_root(ARM)
    start = [0.3, -0.2, 0.5, 0.1, 0.5, 0.5, 0.7]  # position and quaternion of length 1
    X = np.array(free.bodies[0].joint.pose(start).as_matrix(), float)
    assert_close(geom_poses(free, np.array([*start, *Q])), X @ geom_poses(ARM, Q), IDENTITY)


def test_shapes_of_what_is_attached() -> None:
    X = random_pose(np.random.default_rng(6))
    both = attach(ARM, ARM, "panda_link8", X, prefix="second_")
    assert [g.name for g in both.geoms] == [g.name for g in ARM.geoms] + [f"second_{g.name}" for g in ARM.geoms]
    flange = np.array(sixvec.Robot(ARM).evaluate("pose", [*Q], frame="panda_link8"), float)
    expected = flange @ np.array(X.as_matrix(), float) @ geom_poses(ARM, Q)
    poses = geom_poses(both, np.array([*Q, *Q]))
    assert_close(poses[: len(ARM.geoms)], geom_poses(ARM, Q), IDENTITY)
    assert_close(poses[len(ARM.geoms) :], expected, IDENTITY)


def test_a_part_of_a_robot_has_the_shapes_of_that_part() -> None:
    part = subchain(ARM, "panda_link2", "panda_link5")
    assert [g.frame for g in part.geoms] == [f"panda_link{i}" for i in (2, 3, 4, 5)]


def test_another_root_leaves_shapes_in_the_same_relative_places() -> None:
    turned = reroot(ARM, "panda_link7")
    at = {b.joint_name: q for b, q in zip(ARM.moving, Q, strict=True)}
    poses = geom_poses(turned, np.array([at[b.joint_name] for b in turned.moving]))
    before = geom_poses(ARM, Q)
    assert_close(np.linalg.inv(poses[0]) @ poses, np.linalg.inv(before[0]) @ before, IDENTITY)


def surface(g: Geom) -> np.ndarray:
    """Points in the frame of the shape that tell its image in a mirror from any other."""
    match g.shape:
        case Box(size) | Ellipsoid(size):
            return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * [*size]
        case Mesh(_, scale):
            return np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.3, 1.0]]) * [*scale]
        case Polyhedron(vertices, _):
            return np.array([[*v] for v in vertices])
        case Cylinder(_, length) | Capsule(_, length):
            return np.array([[0.0, 0.0, -length], [0.0, 0.0, length]])
    return np.zeros((1, 3))


@pytest.mark.parametrize("normal", [Vec3(0.0, 1.0, 0.0), Vec3(1.0, -2.0, 0.5)], ids=["y", "oblique"])
def test_the_mirror_shows_every_point_of_every_shape(normal: Vec3) -> None:
    image = mirror(ARM, normal)
    n = np.array([*normal]) / np.linalg.norm([*normal])
    H = np.eye(3) - 2.0 * np.outer(n, n)
    for g, G, X, Y in zip(ARM.geoms, image.geoms, geom_poses(ARM, Q), geom_poses(image, Q), strict=True):
        assert np.linalg.det(Y[:3, :3]) == pytest.approx(1.0)
        expected = (surface(g) @ X[:3, :3].T + X[:3, 3]) @ H
        shown = surface(G) @ Y[:3, :3].T + Y[:3, 3]
        if isinstance(g.shape, Box | Ellipsoid | Cylinder | Capsule):  # the same points in another order
            expected, shown = (p[np.lexsort(p.round(9).T)] for p in (expected, shown))
        assert_close(shown, expected, IDENTITY)
    polyhedron = next(g.shape for g in image.geoms if isinstance(g.shape, Polyhedron))
    a, b, c = (np.array([*polyhedron.vertices[i]]) for i in polyhedron.triangles[0])
    fourth = next(v for i, v in enumerate(polyhedron.vertices) if i not in polyhedron.triangles[0])
    assert np.cross(b - a, c - a) @ (np.array([*fourth]) - a) < 0.0  # still counter-clockwise from outside


def test_shapes_that_no_model_has() -> None:
    bodies = (Body("base"), Body("arm", "base", Revolute()))
    with pytest.raises(ModelError, match=named("arn", "arm")):
        Model("r", bodies, geoms=(Geom("arn", Sphere(1.0)),))
    nowhere = Pose.translation(Vec3(float("nan"), 0.0, 0.0))
    for geom in (Geom("arm", HalfSpace((float("inf"), 1.0))), Geom("arm", Sphere(1.0), nowhere)):
        with pytest.raises(ModelError, match="arm"):
            Model("r", bodies, geoms=(geom,))
