"""Rows of contacts: normals by slopes of the gap, tangents by the motion of points, stops, pairs of a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from naming import named
from sixvec.constraints.contacts import Contact, Stop, shape_pairs, stops
from sixvec.constraints.contacts.contact import floor, require_obstacles
from sixvec.constraints.contacts.rows import Rows, contact_rows, tangents
from sixvec.errors import ArgumentError
from sixvec.geometry.rigid_body.solids import Sphere
from sixvec.model import Body, Model
from sixvec.model.body import Limits, Mimic
from sixvec.model.geom import Geom, HalfSpace
from sixvec.model.joints import Free, Prismatic, Revolute
from sixvec.robot import Robot
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

MASS = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1))
BALL, PLANE = Sphere(0.1), HalfSpace()
STEP = 1e-6


def place(x: float, y: float, z: float) -> Pose:
    return Pose(Rotation.identity(), Vec3(x, y, z))


def chain(*more: Geom) -> Model:
    """A trunk with two limbs, of which one has a tip; they may all touch."""
    limits = Limits((-1.0,), (0.5,))
    return Model(
        "chain",
        (
            Body("trunk", None, Revolute(Vec3(1.0, 0.0, 0.0)), place(0.0, 0.0, 1.0), MASS, limits=limits),
            Body("limb", "trunk", Revolute(Vec3(0.0, 1.0, 0.0)), place(0.3, 0.0, 0.2), MASS, limits=Limits((-2.0,))),
            Body("tip", "limb", Prismatic(Vec3(0.0, 0.0, 1.0)), place(0.0, 0.1, 0.3), MASS, limits=Limits((), (0.2,))),
            Body("arm", "trunk", Revolute(Vec3(0.0, 0.0, 1.0)), place(-0.2, 0.4, 0.0), MASS),
        ),
        geoms=more,
    )


def rows(model: Model, q: Sequence[float], *contacts: Contact | Stop) -> list[Rows]:
    return contact_rows(model, list(map(float, q)), contacts)


@pytest.mark.parametrize("to", [None, "trunk", "arm"])
def test_normals_are_slopes_of_the_gap(to: str | None) -> None:
    model = chain()
    contact = Contact("tip", BALL, Sphere(0.2), to, placement=place(0.1, 0.2, 0.3), on_placement=place(0.0, 0.3, -0.1))
    q = np.array([0.3, -0.7, 0.1, 0.9])
    (found,) = rows(model, q, contact)
    slopes = [
        (rows(model, q + d, contact)[0].gap - rows(model, q - d, contact)[0].gap) / (2.0 * STEP)
        for d in STEP * np.eye(4)
    ]
    assert np.allclose(found.jacobian[0], slopes, rtol=0.0, atol=1e-9)
    if to == "trunk":  # the trunk's own joint moves both
        assert all(row[0] == 0.0 for row in found.jacobian) and found.jacobian[0][3] == 0.0


def test_tangents_are_slopes_of_the_place() -> None:
    """On a plane of the world that the ball touches: the rows are the velocity of the ball's own point."""
    model, q, at = chain(), np.array([0.2, 0.4, -0.1, 0.0]), np.array([0.1, 0.2, 0.3, 1.0])
    robot = Robot(model)
    turned = Pose(Rotation.about_y(0.4), Vec3(*(robot.pose(q, "tip") @ at)[:3].tolist()))
    (found,) = rows(model, q, Contact("tip", Sphere(0.0), PLANE, None, 0.3, 0.25, place(0.1, 0.2, 0.3), turned))
    ends = [(robot.pose(q + d, "tip") - robot.pose(q - d, "tip")) @ at for d in STEP * np.eye(4)]
    slopes = np.array(ends) / (2.0 * STEP)
    n = turned.rot @ Vec3(0.0, 0.0, 1.0)
    axes = np.array([[*d] for d in (n, *tangents(n))])
    assert np.allclose(found.jacobian, axes @ slopes[:, :3].T, rtol=0.0, atol=1e-9)
    assert (found.friction, found.restitution) == (0.3, 0.25)


@pytest.mark.parametrize("seed", range(8))
def test_tangents_complete_every_normal(seed: int) -> None:
    n = np.random.default_rng(seed).normal(size=3)
    n /= np.linalg.norm(n)
    frame = np.array([[*d] for d in (*tangents(Vec3(*n.tolist())), Vec3(*n.tolist()))])
    assert np.allclose(frame @ frame.T, np.eye(3), rtol=0.0, atol=1e-15) and np.isclose(np.linalg.det(frame), 1.0)


@pytest.mark.parametrize(
    ("joint", "q", "gap", "row"),
    [
        ("trunk", [-0.9, 0.0, 0.0, 0.0], 0.1, [1.0, 0.0, 0.0, 0.0]),
        ("trunk", [0.45, 0.0, 0.0, 0.0], 0.05, [-1.0, 0.0, 0.0, 0.0]),
        ("trunk", [0.75, 0.0, 0.0, 0.0], -0.25, [-1.0, 0.0, 0.0, 0.0]),
        ("limb", [0.0, 5.0, 0.0, 0.0], 7.0, [0.0, 1.0, 0.0, 0.0]),
        ("tip", [0.0, 0.0, -3.0, 0.0], 3.2, [0.0, 0.0, -1.0, 0.0]),
    ],
)
def test_the_nearer_stop_of_a_joint(joint: str, q: list[float], gap: float, row: list[float]) -> None:
    (found,) = rows(chain(), q, Stop(joint, 0.5))
    assert found.gap == pytest.approx(gap, abs=1e-15) and found.jacobian == [row]
    assert (found.friction, found.restitution) == (0.0, 0.5)


def test_joints_that_have_stops() -> None:
    robot = Robot(chain())
    assert [s.joint for s in stops(robot, 0.25)] == ["trunk", "limb", "tip"] and stops(robot, 0.25)[
        0
    ].restitution == 0.25
    with pytest.raises(ArgumentError, match="arm"):
        require_obstacles(robot.model, [Stop("arm")])
    with pytest.raises(ArgumentError, match="leg"):
        require_obstacles(robot.model, [Stop("leg")])
    for wrong in ("tip", Stop("trunk"), ["tip"]):
        with pytest.raises(ArgumentError, match="contacts"):
            require_obstacles(robot.model, wrong)
    for frame, to in (("nose", None), ("tip", "nose")):
        with pytest.raises(KeyError, match="nose"):
            require_obstacles(robot.model, [Contact(frame, BALL, BALL, to)])
    floating = Model("body", (Body("body", None, Free(), inertia=MASS, limits=Limits((-1.0,) * 7, (1.0,) * 7)),))
    assert stops(Robot(floating)) == ()


def test_pairs_of_a_robot() -> None:
    """Not those of one body, of bodies that a joint connects, nor of two planes; the floor only under moving bodies."""
    shapes = {"trunk": BALL, "limb": BALL, "tip": Sphere(0.3), "arm": BALL}
    geoms = [Geom(frame, shape, place(0.0, 0.0, 0.01)) for frame, shape in shapes.items()]
    geoms += [Geom("trunk", Sphere(0.05)), Geom("arm", BALL, collision=False), Geom("tip", PLANE)]
    robot = Robot(chain(*geoms))
    on_floor = [(c.frame, c.shape) for c in shape_pairs(robot) if c.to is None]
    assert on_floor == [("trunk", BALL), ("limb", BALL), ("tip", Sphere(0.3)), ("arm", BALL), ("trunk", Sphere(0.05))]
    between = {(c.frame, c.to, type(c.shape), type(c.on)) for c in shape_pairs(robot, floor=False)}
    assert between == {
        ("tip", "trunk", Sphere, Sphere),
        ("arm", "limb", Sphere, Sphere),
        ("arm", "tip", Sphere, Sphere),
        ("trunk", "tip", Sphere, Sphere),
        ("tip", "trunk", HalfSpace, Sphere),
        ("tip", "arm", HalfSpace, Sphere),
    }
    made = shape_pairs(robot, 0.1, 0.2)[0]
    assert (made.friction, made.restitution, made.placement) == (0.1, 0.2, place(0.0, 0.0, 0.01))
    assert made.on_placement == Pose.identity()
    assert len(shape_pairs(robot)) == len(on_floor) + len(shape_pairs(robot, floor=False))


def test_floors_and_what_contacts_say() -> None:
    tilted = Pose(Rotation.about_x(0.1), Vec3(0.0, 0.0, 0.2))
    one, two = floor(["tip", "arm"], BALL, 0.5, 0.1, tilted)
    assert (one.frame, two.frame, one.friction, one.restitution, one.on_placement) == ("tip", "arm", 0.5, 0.1, tilted)
    assert isinstance(one.on, HalfSpace) and floor(["tip"], BALL)[0].on_placement == Pose.identity()
    for options, said in (
        ({"to": "tip"}, "tip"),
        ({"friction": -0.1}, named("friction", "tip")),
        ({"friction": np.nan}, named("friction", "tip")),
        ({"friction": np.inf}, named("friction", "tip")),
        ({"restitution": -0.1}, "restitution"),
        ({"restitution": 1.1}, "restitution"),
    ):
        with pytest.raises(ArgumentError, match=said):
            Contact("tip", BALL, BALL, **options)  # type: ignore[arg-type]
    assert Contact("tip", BALL, friction=0.0, restitution=1.0).points == 1


def test_tangents_of_axes_and_defaults_of_contacts() -> None:
    axes = {(1.0, 0.0, 0.0): [[0, 0, -1], [0, 1, 0]], (0.0, 1.0, 0.0): [[1, 0, 0], [0, 0, -1]],
            (0.0, 0.0, -1.0): [[1, 0, 0], [0, -1, 0]]}  # fmt: skip
    for n, expected in axes.items():
        assert [[*t] for t in tangents(Vec3(*n))] == expected
    plain = Contact("tip", BALL)
    assert (plain.friction, plain.restitution, plain.to, Stop("trunk").restitution) == (0.8, 0.0, None, 0.0)
    robot = Robot(chain(Geom("tip", BALL)))
    (made,) = floor(["tip"], BALL)
    assert (made.frame, made.friction, made.restitution) == ("tip", 0.8, 0.0)
    (made,) = shape_pairs(robot)
    assert (made.frame, made.friction, made.restitution) == ("tip", robot.model.geoms[0].surface.friction[0], 0.0)
    assert {s.restitution for s in stops(robot)} == {0.0}


def follower() -> Model:
    """The chain with a tip that slides by a tenth of the limb's angle."""
    bodies = [replace(b, mimic=Mimic("limb", 0.1, 0.05)) if b.name == "tip" else b for b in chain().bodies]
    return replace(chain(), bodies=tuple(bodies))


def test_rows_of_joints_that_follow() -> None:
    """Normals are slopes of the gap in the coordinates that move on their own; a follower's limit stops its leader."""
    model, q = follower(), np.array([0.3, -0.7, 0.9])
    contact = Contact("tip", BALL, Sphere(0.2), "arm", placement=place(0.1, 0.2, 0.3))
    (found,) = rows(model, q, contact)
    slopes = [
        (rows(model, q + d, contact)[0].gap - rows(model, q - d, contact)[0].gap) / (2.0 * STEP)
        for d in STEP * np.eye(3)
    ]
    assert np.allclose(found.jacobian[0], slopes, rtol=0.0, atol=1e-9) and np.shape(found.jacobian) == (3, 3)
    (stop,) = rows(model, [0.0, 1.25, 0.0], Stop("limb"))  # 0.1 q + 0.05 reaches 0.2 at q = 1.5
    assert stop.gap == pytest.approx(0.25) and stop.jacobian == [[0.0, -1.0, 0.0]]
