"""The acceleration of a constraint row: A a + γ is the derivative of A v, whichever other rows are held with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_trees import random_tree
from sixvec.model import Closure, Frame, Mimic, Model
from sixvec.model.joints import Cylindrical, Fixed, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Pose, Rotation, Vec3, so3

STEP = 1e-5
AGREED = 1e-7
"""Of differences of A v: the square of the step, and rounding over it, relative to the largest."""

OBLIQUE = (1.0, 2.0, -0.5)
DERIVATIVES = (
    "x", "y", "z", "turn x", "turn z", "world x", "world z", "turn world x", "turn world y",
    OBLIQUE, ("turn", OBLIQUE), ("world", OBLIQUE), ("turn world", OBLIQUE),
)  # fmt: skip
SETS = ("weld", "point", "vertical", "vertical slide", ("x", "y"), ("x", ("turn", OBLIQUE), "world z"))
PAIRS = ["end", ("end", "base"), ("end", "middle"), ("middle", "end"), ("base", "end")]


def arm() -> sv.Robot:
    """The Panda under short names; the frames are turned against their bodies."""
    model, turned = sv.load("panda").model, Pose.rotation(Vec3(0.6, 0.0, 0.8), 0.4)
    places = {"base": "panda_link0", "middle": "panda_link4", "end": "panda_link8"}
    frames = [replace(model.frame(old), name=new, placement=model.frame(old).placement @ turned)
              for new, old in places.items()]  # fmt: skip
    return sv.Robot(replace(model, frames=(*model.frames, *frames)))


def evaluated(robot: sv.Robot, name: str, *state, **options) -> np.ndarray:
    return np.array(robot.evaluate(name, *([*map(float, x)] for x in state), **options), float)


def of_rows(robot: sv.Robot, q, v, a, hold) -> np.ndarray:
    """A a + γ."""
    return evaluated(robot, "constraint_jacobian", q, hold=hold) @ a + evaluated(
        robot, "constraint_bias", q, v, hold=hold
    )


def by_differences(robot: sv.Robot, q, v, a, hold) -> np.ndarray:
    """The derivative of A v along a motion with this velocity and acceleration."""

    def rates(t: float) -> np.ndarray:
        at = robot.evaluate("integrate", [*map(float, q)], [*map(float, t * v + 0.5 * t * t * a)])
        return evaluated(robot, "constraint_jacobian", at, hold=hold) @ (v + t * a)

    return (rates(STEP) - rates(-STEP)) / (2.0 * STEP)


@pytest.mark.covers("CON-02")
@pytest.mark.parametrize("key", PAIRS, ids=str)
@pytest.mark.parametrize("directions", [DERIVATIVES, *SETS], ids=str)
def test_of_held_frames(key, directions) -> None:
    robot, rng = arm(), np.random.default_rng(0)
    state = robot.random(3), *rng.normal(size=(2, 7))
    expected, found = (f(robot, *state, {key: directions}) for f in (by_differences, of_rows))
    assert np.abs(found - expected).max() < AGREED * (1.0 + np.abs(expected).max())


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", range(6))
def test_of_held_frames_on_random_trees(seed: int) -> None:
    """With every type of joint, free bases, and joints that follow others."""
    model, rng = random_tree(seed, 9, floating=bool(seed % 2)), np.random.default_rng(seed)
    single = [b.name for b in model.bodies if b.joint.nv == 1]
    if len(single) > 1:
        follower = replace(model.by_name[single[-1]], mimic=Mimic(single[0], -0.7, 0.2))
        model = replace(model, bodies=tuple(follower if b.name == follower.name else b for b in model.bodies))
    robot = sv.Robot(model)
    names = list({model.frame(f).body: f for f in robot.frame_names if model.frame(f).body}.values())
    first, second = rng.choice(names, 2, replace=False).tolist()
    for key in (first, (first, second), (first, "ground")):
        state = robot.random(rng), *rng.normal(size=(2, robot.nv))
        expected, found = (f(robot, *state, {key: DERIVATIVES}) for f in (by_differences, of_rows))
        assert np.abs(found - expected).max() < AGREED * (1.0 + np.abs(expected).max())


@pytest.mark.parametrize("joint", [
    Fixed(), Revolute(), Spherical(), Universal(), Prismatic(), Cylindrical(), Planar(), Helical(pitch=0.3),
], ids=lambda j: type(j).__name__)  # fmt: skip
def test_of_closures_at_a_closed_position_with_any_velocity(joint) -> None:
    robot, rng = sv.load("panda"), np.random.default_rng(1)
    q = robot.random(1)
    here = Frame("here", None, Pose.from_matrix(robot.pose(q, "panda_link8").tolist()))
    model = replace(robot.model, frames=(*robot.model.frames, here))
    robot = sv.Robot(replace(model, closures=(Closure("loop", "here", "panda_link8", joint),)))
    state = q, *rng.normal(size=(2, 7))
    expected, found = (f(robot, *state, ()) for f in (by_differences, of_rows))
    assert np.abs(found - expected).max() < 1e-6 * (1.0 + np.abs(expected).max())


@pytest.mark.parametrize("key", PAIRS, ids=str)
def test_a_row_does_not_depend_on_the_others(key) -> None:
    robot, rng = arm(), np.random.default_rng(2)
    q, v = robot.random(4), rng.normal(size=7)
    every = (*DERIVATIVES, "acceleration x", ("acceleration", OBLIQUE))
    together = evaluated(robot, "constraint_bias", q, v, hold={key: every})
    alone = [evaluated(robot, "constraint_bias", q, v, hold={key: (d,)})[0] for d in every]
    assert np.allclose(together, alone, rtol=0.0, atol=1e-12)
    weld = ("turn x", "turn y", "turn z", "x", "y", "z")
    whole = evaluated(robot, "constraint_bias", q, v, hold={key: "weld"})
    for d, value in zip(weld, whole, strict=True):
        assert abs(evaluated(robot, "constraint_bias", q, v, hold={key: (d,)})[0] - value) < 1e-12


def test_one_meaning_for_the_world_and_for_the_fixed_base() -> None:
    robot, rng = arm(), np.random.default_rng(3)
    q, v = robot.random(5), rng.normal(size=7)
    every = (*DERIVATIVES, "acceleration y", ("acceleration", OBLIQUE))
    world, base = (evaluated(robot, "constraint_bias", q, v, hold={key: every}) for key in ("end", ("end", "base")))
    assert np.allclose(world, base, atol=1e-12)


def test_targets_of_moving_points() -> None:
    """`target` is the derivative of the velocity's components in the frame's axes; "acceleration" that of the point."""
    robot, rng = sv.load("panda"), np.random.default_rng(4)
    frame, q, v, zeros = "panda_link8", robot.random(3), rng.normal(size=7), np.zeros(7)
    u = np.array(OBLIQUE) / np.linalg.norm(OBLIQUE)
    for names in (("x", "y", "z"), ("x", "y"), ("z",)):
        want = rng.normal(size=len(names))
        k = ["xyz".index(n) for n in names]
        for key in (frame, (frame, "panda_link0")):
            r = robot.constrained_dynamics(q, v, zeros, hold={key: names}, target=want)
            assert np.allclose(robot.acceleration(q, v, r.a, frame, "local")[3:][k], want, atol=1e-8)
            hold = {key: tuple(f"acceleration {n}" for n in names)}
            r = robot.constrained_dynamics(q, v, zeros, hold=hold, target=want)
            assert np.allclose(robot.classical_acceleration(q, v, r.a, frame, "local")[3:][k], want, atol=1e-8)
    r = robot.constrained_dynamics(q, v, zeros, hold={frame: (("acceleration", OBLIQUE), ("world", OBLIQUE))},
                                   target=[0.7, -0.3])  # fmt: skip
    local, world = (robot.classical_acceleration(q, v, r.a, frame, x)[3:] for x in ("local", "local_world_aligned"))
    assert np.allclose([u @ local, u @ world], [0.7, -0.3], atol=1e-8)


@pytest.mark.covers("CON-02")
@pytest.mark.parametrize("key", PAIRS[:3], ids=str)
@pytest.mark.parametrize("directions", [
    (OBLIQUE, "turn x"), ("world x", ("turn world", OBLIQUE)), (("acceleration", OBLIQUE), "acceleration z"),
], ids=str)  # fmt: skip
def test_both_methods(key, directions) -> None:
    robot, rng = arm(), np.random.default_rng(5)
    q, v, tau, target = robot.random(6), *rng.normal(size=(2, 7)), rng.normal(size=2)
    state = [[*map(float, x)] for x in (q, v, tau)]
    for options in ({}, {"target": target.tolist()}):
        kkt, sweeps = (
            robot.evaluate("constrained_dynamics", *state, hold={key: directions}, method=m, **options)
            for m in ("kkt", "recursion")
        )
        for x, y in zip(kkt[:2], sweeps[:2], strict=True):
            assert np.allclose(np.array(x, float), np.array(y, float), rtol=1e-9, atol=1e-9)
        assert np.allclose(of_rows(robot, q, v, np.array(kkt[0], float), {key: directions}),
                           options.get("target", 0.0), atol=1e-9)  # fmt: skip


def test_an_oblique_direction_is_the_combination_of_axes() -> None:
    robot, rng = arm(), np.random.default_rng(6)
    q, v = robot.random(7), rng.normal(size=7)
    u = np.array(OBLIQUE) / np.linalg.norm(OBLIQUE)
    for words in ("", "turn", "world", "turn world", "acceleration"):
        axes = tuple(f"{words} {letter}".strip() for letter in "xyz")
        for key in PAIRS:
            for name, state in (("constraint_jacobian", (q,)), ("constraint_bias", (q, v))):
                one = evaluated(robot, name, *state, hold={key: ((words, OBLIQUE),)})[0]
                assert np.allclose(one, u @ evaluated(robot, name, *state, hold={key: axes}), atol=1e-12)


def test_how_directions_are_written() -> None:
    robot = arm()
    hold = {"end": ("x", (0.0, 0.0, 2.0), [1, 1, 0], ("turn", np.array([3.0, 0.0, -4.0])), ("world", (0, -1, 0)))}
    assert robot.constraint_names(hold=hold) == (
        "end: x", "end: z", "end: (0.7071, 0.7071, 0)", "end: turn about (0.6, 0, -0.8)", "end: world -y",
    )  # fmt: skip
    assert robot.constraint_names(hold={("end", "base"): ("acceleration z",)}) == ("end to base: acceleration z",)


@pytest.mark.parametrize(("directions", "message"), [
    ((1.0, 1.0, 0.0), "panda_link8"),
    (("turn", (1.0, 1.0, 0.0)), named("panda_link8", "turn")),
    (((0.0, 0.0, 0.0),), "panda_link8"),
    (((np.nan, 0.0, 1.0),), "finite"),
    (((1.0, 1.0),), "panda_link8"),
    ((("spin", (1.0, 1.0, 0.0)),), named("panda_link8", "spin")),
    ((("acceleration turn", (1.0, 1.0, 0.0)),), "panda_link8"),
    (("turn",), named("panda_link8", "turn")),
    (("acceleration world x",), "panda_link8"),
    (("z", (0.0, 0.0, 3.0)), named("panda_link8", "z")),
    ((((1.0, 2.0, 0.0), "x"),), "panda_link8"),
    (((True, 0.0, 0.0),), "panda_link8"),
    ((3,), "panda_link8"),
], ids=str)  # fmt: skip
def test_mistakes_in_directions_are_named(directions, message: str) -> None:
    robot = sv.load("panda")
    with pytest.raises(sv.SixvecError, match=message):
        robot.constraint_names(hold={"panda_link8": directions})


@pytest.mark.parametrize("key", PAIRS[:4], ids=str)
@pytest.mark.parametrize("direction", ["x", OBLIQUE, ("world", OBLIQUE), ("turn world", OBLIQUE), ("turn", OBLIQUE)],
                         ids=str)  # fmt: skip
def test_assemble_closes_a_loop_and_leaves_a_frame_in_place_along_a_direction(key, direction) -> None:
    """A ball moves a tool by some centimetres: along the held direction, the frame does not move."""
    model, rng = arm().model, np.random.default_rng(8)
    end = model.frame("end")
    tool = replace(end, name="tool", placement=end.placement @ Pose.translation(Vec3(0.1, 0.2, 0.15)))
    robot = sv.Robot(replace(model, frames=(*model.frames, tool)))
    q = robot.random(8)
    place = robot.pose(robot.integrate(q, 0.05 * rng.normal(size=7)), "tool")
    there = Frame("there", None, Pose.from_matrix(place.tolist()))
    model = replace(robot.model, frames=(*robot.model.frames, there))
    robot = sv.Robot(replace(model, closures=(Closure("ball", "there", "tool", Spherical()),)))
    answer = robot.assemble(q, hold={key: (direction,)})
    assert answer.verdict == sv.ik.Verdict.SOLVED and answer.residual < 1e-9
    frame, to = (key, "base") if isinstance(key, str) else key
    before, after = (_seen(robot, x, frame, to) for x in (q, answer.q))
    assert np.abs(after - before).max() > 1e-3
    words, axis = direction if len(direction) == 2 else ("", (1.0, 0.0, 0.0) if direction == "x" else direction)
    u = np.array(axis) / np.linalg.norm(axis)
    R_WF, R_WT = (robot.pose(answer.q, f)[:3, :3] for f in (frame, to))
    u_T = R_WT.T @ (u if "world" in words else R_WF @ u)
    turned = so3.log(Rotation.from_matrix((after[:3, :3] @ before[:3, :3].T).tolist()))
    moved = np.array([*map(float, turned)]) if "turn" in words else (after - before)[:3, 3]
    assert abs(u_T @ moved) < 1e-8


def _seen(robot: sv.Robot, q, frame: str, to: str) -> np.ndarray:
    """The pose of one frame in another."""
    return np.linalg.inv(robot.pose(q, to)) @ robot.pose(q, frame)


class TestRedundantForces:
    """The same point held twice, by frames with different axes: forces do not depend on the axes."""

    @staticmethod
    def forces(turn: float, shift: float, method: str, kind: str = "point") -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, and the two forces in the axes of the world."""
        robot, rng = sv.load("panda"), np.random.default_rng(0)
        q, v, tau = robot.random(0), np.zeros(7), rng.normal(size=7)
        frame = robot.model.frame("panda_link8")
        c, s = np.cos(turn), np.sin(turn)
        X = np.array([[c, -s, 0.0, shift], [s, c, 0.0, -0.5 * shift], [0.0, 0.0, 1.0, 0.3 * shift], [0.0] * 3 + [1.0]])
        copy = replace(frame, name="copy", placement=frame.placement @ Pose.from_matrix(X.tolist()))
        twice: Model = replace(robot.model, frames=(*robot.model.frames, copy))
        robot = sv.Robot(twice)
        hold = {"panda_link8": kind, "copy": kind}
        a, force, _ = robot.evaluate("constrained_dynamics", q.tolist(), v.tolist(), tau.tolist(), hold=hold,
                                     method=method)  # fmt: skip
        parts = np.array(force, float).reshape(-1, 3)
        n = len(parts) // 2
        axes = [robot.pose(q, f)[:3, :3] for f in ("panda_link8", "copy") for _ in range(n)]
        return np.array(a, float), np.array([R @ f for R, f in zip(axes, parts, strict=True)])

    @pytest.mark.parametrize("method", ["kkt", "recursion"])
    @pytest.mark.parametrize("kind", ["point", "weld"])
    def test_turned_and_shifted_copies(self, method: str, kind: str) -> None:
        a, expected = self.forces(0.0, 0.0, "kkt", kind)
        n = len(expected) // 2
        assert np.allclose(expected[:n], expected[n:], atol=1e-7)  # both bear half
        scale = np.abs(expected).max()
        for turn in (0.0, 0.3, 0.785, 2.0):
            for shift in (0.0, 1e-8, 1e-7, 1e-6):
                moved, found = self.forces(turn, shift, method, kind)
                assert np.abs(found - expected).max() < (1e-7 + 100.0 * shift) * scale
                assert np.abs(moved - a).max() < (1e-9 + 100.0 * shift) * (1.0 + np.abs(a).max())

    @pytest.mark.parametrize("shift", [1e-9, 1e-7, 3e-6])
    def test_two_points_close_together_are_one_point_between_them(self, shift: float) -> None:
        robot, rng = sv.load("panda"), np.random.default_rng(1)
        q, tau, way = robot.random(3), rng.normal(size=7), rng.normal(size=3) * shift
        frame = robot.model.frame("panda_link8")
        places = {"copy": way, "between": 0.5 * way}
        frames = [replace(frame, name=name, placement=frame.placement @ Pose.translation(Vec3(*map(float, x))))
                  for name, x in places.items()]  # fmt: skip
        robot = sv.Robot(replace(robot.model, frames=(*robot.model.frames, *frames)))
        state = q.tolist(), [0.0] * 7, tau.tolist()
        once = np.array(robot.evaluate("constrained_dynamics", *state, hold={"between": "point"})[0], float)
        for method in ("kkt", "recursion"):
            hold = {"panda_link8": "point", "copy": "point"}
            twice = np.array(robot.evaluate("constrained_dynamics", *state, hold=hold, method=method)[0], float)
            assert np.abs(twice - once).max() < (1e-11 + 0.1 * shift) * np.abs(once).max()
