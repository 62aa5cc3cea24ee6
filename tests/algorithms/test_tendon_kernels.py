"""Lengths and moment arms of tendons: MuJoCo's, those of shortest paths, and laws on random trees."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import sixvec
from differences import tangent_gradient
from mjcf_peer import mujoco, quietly
from package_files import package_files, published_mjcf
from random_states import random_states
from random_trees import random_tree
from sixvec import Robot
from sixvec.errors import ArgumentError, ModelError, SixvecError
from sixvec.formats import parse_model
from sixvec.model import FixedTendon, Pulley, SpatialTendon, ViaPoint, Wrap
from sixvec.spatial import Pose, Vec3
from tolerances import DIFFERENCE, IDENTITY, PEER, assert_close

FILE = """<mujoco><compiler angle="radian"/><worldbody><site name="w" pos="{w}"/>
<body name="b" pos="{b}"><joint name="h" axis="{h}" ref="0.3"/>
<geom name="g" type="{kind}" size="{size}" pos="{g}" euler="{turn}"/>
<site name="s" pos="{s}"/><site name="side1" pos="{side1}"/><site name="side2" pos="{side2}"/>
<body name="c" pos="{c}"><joint name="l" type="slide" axis="{l}" ref="-0.1"/><joint name="m" axis="{m}"/>
<geom size=".04"/><site name="e" pos="{e}"/><site name="side3" pos="{side3}"/></body></body>
<body name="f" pos="{f}"><freejoint/><geom size=".1"/><site name="k" pos="{k}"/></body></worldbody>
<tendon><spatial name="t"><site site="w"/><geom geom="g"{side}/><site site="e"/><site site="k"/>
<pulley divisor="2.5"/><site site="k"/><geom geom="g"{side}/><site site="s"/></spatial>
<spatial name="rigid"><site site="s"/><geom geom="g"/><site site="side1"/></spatial>
<fixed name="sum"><joint joint="h" coef="2"/><joint joint="l" coef="-.5"/></fixed></tendon></mujoco>"""

SPREAD = {"w": 0.8, "b": 0.3, "g": 0.2, "s": 0.7, "side1": 0.5, "side2": 0.1, "side3": 0.5, "c": 0.4, "e": 0.6,
          "k": 0.5, "turn": 1.0, "h": 1.0, "l": 1.0, "m": 1.0, "f": 1.0}  # fmt: skip

INSIDE = 1e-5
"""MuJoCo's search for the point where a tendon inside a shape bends ends at an angle of 1e-6."""

pytestmark = pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")


def random_file(seed: int) -> str:
    rng = np.random.default_rng(seed)
    vectors = {name: " ".join(f"{x:.7f}" for x in rng.uniform(-k, k, 3)) for name, k in SPREAD.items()}
    kind, radius = ("sphere", "cylinder")[seed % 2], rng.uniform(0.05, 0.35)
    side = (seed // 2) % 4
    return FILE.format(
        kind=kind,
        size=f"{radius}" + " 0.2" * (kind == "cylinder"),
        side=f' sidesite="side{side}"' if side else "",
        **vectors,
    )


def compare(robot: Robot, theirs: Any, states: np.ndarray) -> int:
    """Lengths and Jacobians at all states; the number of arcs that MuJoCo found."""
    data, arcs = mujoco.MjData(theirs), 0
    names = [t.name for t in robot.model.tendons]
    theirs_too = [i for i in range(theirs.ntendon) if theirs.tendon(i).name in names]  # others are laws of equalities
    order = [names.index(theirs.tendon(i).name) for i in theirs_too]
    for q in states:
        data.qpos = sixvec.convert(q, robot, to="mujoco")
        mujoco.mj_forward(theirs, data)
        J = np.zeros((theirs.ntendon, theirs.nv))
        mujoco.mju_sparse2dense(J, data.ten_J.ravel(), theirs.ten_J_rownnz, theirs.ten_J_rowadr, theirs.ten_J_colind)
        T = np.array([sixvec.convert(e, robot, to="mujoco", what="v", q=q) for e in np.eye(robot.nv)]).T
        # Uncompiled: the models are many, and the equations are what is compared.
        lengths = np.array(robot.evaluate("tendon_lengths", [*q]), float)[order]
        ours = np.array(robot.evaluate("tendon_jacobian", [*q]), float)[order]
        np.testing.assert_allclose(lengths, data.ten_length[theirs_too], rtol=PEER, atol=PEER)
        np.testing.assert_allclose(ours, (J @ T)[theirs_too], rtol=0.0, atol=INSIDE * (1.0 + abs(J).max()))
        arcs += int((data.wrap_obj >= 0).sum())
    return arcs


@pytest.mark.covers("MUS-01")
def test_lengths_and_moment_arms_are_those_of_mujoco() -> None:
    arcs = 0
    for seed in range(64):
        text = random_file(seed)
        robot = Robot(parse_model(text, "tendons.xml"))
        q = robot.random(seed, 3)
        q[:, :2] *= 0.5
        arcs += compare(robot, mujoco.MjModel.from_xml_string(text), q)
    assert arcs > 100


@pytest.mark.filterwarnings("ignore:compiler attribute")
@pytest.mark.covers("MUS-01")
def test_published_tendons_are_those_of_mujoco() -> None:
    known = package_files("mujoco-core", ".xml", "mujoco/testdata") + package_files("mujoco", ".xml", "mujoco/testdata")
    compared = 0
    for path in [*published_mjcf(), *known]:
        if "<tendon>" not in path.read_text():
            continue
        try:
            model = quietly(path)
        except SixvecError:
            continue  # some elements of MuJoCo's own test file are not supported
        robot = Robot(model)
        compare(robot, mujoco.MjModel.from_xml_path(str(path)), robot.random(1, 2))
        compared += len(model.tendons)
    assert compared


def tendons(robot: Robot) -> Robot:
    """A random tree with three tendons over many of its bodies, which are far apart."""
    names = [b.name for b in robot.model.bodies]
    a, b, c, d = names[0], names[len(names) // 3], names[len(names) // 2], names[-1]
    ball = Wrap(b, 0.2, False, Pose.translation(Vec3(0.1, -0.2, 0.3)))
    drum = Wrap(c, 0.3, True, Pose.translation(Vec3(-0.1, 0.2, 0.1)), side=names[1])
    single = next(x for x in robot.model.moving if x.joint.nv == 1)
    return robot.with_tendons(
        SpatialTendon("straight", (ViaPoint(a), ViaPoint(c), Pulley(2.0), ViaPoint(b), ViaPoint(d))),
        SpatialTendon("over a ball", (ViaPoint(a), ball, ViaPoint(d), ViaPoint(c))),
        SpatialTendon("over a drum", (ViaPoint(a), drum, ViaPoint(d))),
        FixedTendon("sum", ((single.joint_label, -0.7),), 0.4),
    )


@pytest.mark.covers("MUS-01")
@pytest.mark.parametrize("seed", range(4))
def test_the_jacobian_is_the_slope_of_the_lengths(seed: int) -> None:
    """Lines and wrenches against automatic differentiation and against differences, with every joint type."""
    robot = tendons(Robot(random_tree(seed, floating=bool(seed % 2))))
    q, v, _, _ = random_states(robot)
    J = robot.tendon_jacobian(q)
    assert_close(robot.kernel("tendon_lengths").derivative("q")(q), J, 1e-9)
    assert_close(tangent_gradient(robot, robot.tendon_lengths, q), J, 100 * DIFFERENCE)
    assert_close(robot.tendon_velocities(q, v), np.einsum("...ij,...j->...i", J, v), IDENTITY)


def test_joints_outside_a_tendon_are_structural_zeros() -> None:
    robot = sixvec.load("humanoid").with_frame("elbow", "r_hand", Pose.translation(Vec3(0.1, 0.05, 0.02)))
    path = robot.model.path("r_hand")
    cable = robot.with_frame("back", path[-4].name, Pose.translation(Vec3(0.0, 0.1, 0.2)))
    cable = cable.with_tendons(SpatialTendon("arm", (ViaPoint("back"), ViaPoint("elbow"))))
    spanned = {i for b in path[-3:] for i in range(robot.nv)[robot.model.v_slices[b.name]]}
    (row,) = np.array_split(np.array(cable.kernel("tendon_jacobian").program.results[0], object), 1)
    assert {i for i, x in enumerate(row) if not (isinstance(x, float) and x == 0.0)} == spanned
    count, whole = cable.kernel("tendon_jacobian").count(), robot.kernel("jacobian", frame="r_hand").count()
    assert count["mul"] < whole["mul"]


def shortest(p0: np.ndarray, p1: np.ndarray, radius: float) -> float:
    """The length of the shortest polyline of many points around a ball, by a general optimiser."""
    n = 24
    start = np.linspace(p0, p1, n + 2)[1:-1] + 0.02
    start *= np.maximum(1.0, 1.1 * radius / np.linalg.norm(start, axis=1, keepdims=True))

    def parts(x: np.ndarray) -> np.ndarray:
        return np.diff(np.vstack([p0, x.reshape(n, 3), p1]), axis=0)

    def cost(x: np.ndarray) -> float:
        """The sum of squares: at its least all parts are equal, so that none cuts through the ball."""
        return float((parts(x) ** 2).sum())

    def slope(x: np.ndarray) -> np.ndarray:
        u = parts(x)
        return 2.0 * (u[:-1] - u[1:]).ravel()

    def gaps(x: np.ndarray) -> np.ndarray:
        return np.linalg.norm(x.reshape(n, 3), axis=1) - radius

    found = minimize(cost, start.ravel(), jac=slope, method="SLSQP", options={"maxiter": 300},
                     constraints={"type": "ineq", "fun": gaps})  # fmt: skip
    return float(np.linalg.norm(parts(found.x), axis=1).sum())


@pytest.mark.covers("MUS-01")
def test_a_tendon_takes_the_shortest_way_over_a_ball() -> None:
    """An independent route: a polyline of 24 points outside the ball, whose chords cut at most a share of the arc."""
    radius = 0.3
    for p0, p1 in [([-0.6, 0.05, 0.1], [0.5, -0.1, 0.0]), ([0.4, 0.4, -0.2], [-0.2, -0.35, 0.3])]:
        robot = cable_over(Wrap("world", radius, False), p0, p1)
        ours = float(robot.tendon_lengths([0.0])[0])
        assert np.linalg.norm(np.subtract(p1, p0)) < ours
        assert shortest(np.array(p0), np.array(p1), radius) == pytest.approx(ours, rel=2e-3)


def cable_over(shape: Wrap, p0: Any, p1: Any, side: Any = None) -> Robot:
    """A cable over a shape at the origin; its far end slides along x."""
    from dataclasses import replace

    from sixvec.model import Body, Model
    from sixvec.model.joints import Prismatic

    model = Model("cable", (Body("world"), Body("end", "world", Prismatic(Vec3(1.0, 0.0, 0.0)))))
    robot = Robot(model).with_frame("p0", "world", Pose.translation(Vec3(*p0)))
    robot = robot.with_frame("p1", "end", Pose.translation(Vec3(*p1)))
    if side is not None:
        robot = robot.with_frame("side", "world", Pose.translation(Vec3(*side)))
        shape = replace(shape, side="side")
    return robot.with_tendons(SpatialTendon("cable", (ViaPoint("p0"), shape, ViaPoint("p1"))))


@pytest.mark.covers("MUS-01")
@pytest.mark.parametrize("cylinder", [False, True])
def test_lengths_are_continuous_where_a_tendon_touches(cylinder: bool) -> None:
    """From free to wrapped and back, in steps of 1e-4, without jumps of length or moment arm."""
    robot = cable_over(Wrap("world", 0.2, cylinder), [-0.5, 0.3, 0.1], [0.3, 0.12, 0.0])
    q = np.arange(-0.5, 1.5, 1e-4)[:, None]
    lengths, J = robot.tendon_lengths(q)[:, 0], robot.tendon_jacobian(q)[:, 0, 0]
    near = np.linalg.norm(robot.pose(q, "p1")[:, :3, 3] - robot.pose(q, "p0")[:, :3, 3], axis=1)
    outside = np.linalg.norm(robot.pose(q, "p1")[:, : 2 if cylinder else 3, 3], axis=1) > 0.21
    both = outside[1:] & outside[:-1]
    assert (lengths[outside] > near[outside] + 1e-6).any() and (lengths[outside] < near[outside] + 1e-12).any()
    assert abs(np.diff(lengths)[both]).max() < 1.1e-4
    assert abs(np.diff(J)[both]).max() < 2e-3


@pytest.mark.covers("MUS-01")
def test_a_side_inside_bends_the_tendon_at_the_circle() -> None:
    """The bend divides the angle evenly, as a ray of light at a mirror."""
    p0, p1, radius = np.array([0.5, 0.4, 0.0]), np.array([-0.3, 0.6, 0.0]), 0.25
    robot = cable_over(Wrap("world", radius, True), p0, p1, side=[0.01, 0.0, 0.0])
    angle = np.linspace(0.0, np.pi, 2_000_001)
    rim = radius * np.stack([np.cos(angle), np.sin(angle)], -1)
    longest = np.linalg.norm(rim - p0[:2], axis=1) + np.linalg.norm(rim - p1[:2], axis=1)
    assert robot.tendon_lengths([0.0])[0] == pytest.approx(longest.min(), abs=1e-11)
    q = np.array([[0.05]])
    assert_close(robot.kernel("tendon_lengths").derivative("q")(q), robot.tendon_jacobian(q), 1e-9)


def test_derivatives_are_finite_where_a_tendon_passes_freely() -> None:
    """Also with an end inside the shape, where the tangents do not exist, and with both ends at one point."""
    for p0, p1 in [([0.05, 0.0, 0.0], [0.5, 0.1, 0.0]), ([0.5, 0.5, 0.0], [0.6, 0.5, 0.0]),
                   ([0.5, 0.5, 0.1], [0.5, 0.5, 0.1]), ([0.0, 0.0, 0.0], [0.0, 0.0, 0.5])]:  # fmt: skip
        for side in (None, [0.01, 0.0, 0.0], [0.0, 0.9, 0.0]):
            for cylinder in (False, True):
                robot = cable_over(Wrap("world", 0.2, cylinder), p0, p1, side)
                for x in (robot.tendon_lengths([0.0]), robot.tendon_jacobian([0.0])):
                    assert np.isfinite(x).all()
                assert np.isfinite(robot.kernel("tendon_lengths").derivative("q")([0.0])).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_batches_empty_ones_and_single_precision(dtype: Any) -> None:
    robot = tendons(Robot(random_tree(3)))
    q = robot.random(0, 5).astype(dtype)
    q[2, 0] = np.nan
    lengths = robot.tendon_lengths(q)
    assert lengths.dtype == dtype and np.isfinite(lengths[[0, 1, 3, 4]]).all()
    assert robot.tendon_jacobian(q[:0]).shape == (0, 4, robot.nv)
    tolerance = 1e-4 if dtype == np.float32 else 1e-14
    np.testing.assert_allclose(lengths[0], robot.tendon_lengths(robot.random(0, 5)[0]), rtol=tolerance)


def test_robots_without_tendons_have_empty_results() -> None:
    robot = sixvec.load("planar_2r")
    assert robot.tendon_lengths([0.0, 0.0]).shape == (0,)
    assert robot.tendon_jacobian(np.zeros((3, 2))).shape == (3, 0, 2)


def test_followers_pull_for_their_leader() -> None:
    """With a joint that mimics another the slope is that along the coupled motion."""
    from dataclasses import replace

    from sixvec.model import Mimic

    model = sixvec.load("planar_2r").model
    first, second = (b for b in model.bodies if b.joint.nv)
    followed = replace(second, mimic=Mimic(first.name, -0.5, 0.2))
    model = replace(model, bodies=tuple(followed if b is second else b for b in model.bodies))
    cable = SpatialTendon("cable", (ViaPoint(model.frames[0].name), ViaPoint("tip")))
    robot = Robot(model).with_tendons(cable, FixedTendon("sum", ((second.joint_label, 2.0),)))
    q = robot.random(0, 5)
    assert_close(tangent_gradient(robot, robot.tendon_lengths, q), robot.tendon_jacobian(q), DIFFERENCE)


@pytest.mark.parametrize(
    ("tendon", "message"),
    [
        (SpatialTendon("x", (ViaPoint("panda_link0"), ViaPoint("wrist"))), 'no frame "wrist"'),
        (SpatialTendon("x", (ViaPoint("panda_link0"),)), "two or more"),
        (SpatialTendon("x", ()), "two or more"),
        (SpatialTendon("x", (ViaPoint("panda_link0"), Wrap("panda_link3", -1.0, True), ViaPoint("panda_link4"))),
         "radius"),
        (SpatialTendon("x", (ViaPoint("panda_link0"), Wrap("panda_link3", 0.1, True, side="up"),
                             ViaPoint("panda_link4"))), 'no frame "up"'),
        (FixedTendon("x", (("elbow", 1.0),)), 'no joint with one freedom "elbow"'),
        (ViaPoint("panda_link0"), "not a ViaPoint"),
    ],
)  # fmt: skip
def test_broken_tendons_raise_and_are_named(tendon: Any, message: str) -> None:
    with pytest.raises((ModelError, ArgumentError), match=message):
        sixvec.load("panda").with_tendons(tendon)


def test_models_are_read_without_warnings_about_paths(tmp_path: Path) -> None:
    """What a tendon's path needs is supported: a file with one that has no spring loads without a warning."""
    path = tmp_path / "arm.xml"
    path.write_text(random_file(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(sixvec.load(path).model.tendons) == 3
