"""A singular posture is explained by the axes that meet, align or lie in one plane there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.optimize

import sixvec
from sixvec import Robot
from sixvec.analysis import Singularity, singularity
from sixvec.analysis.singular_cause import MOST_JOINTS, _sentence, singular_causes
from sixvec.ik.closed_form.arm_321 import placed
from sixvec.model import Body, Frame, Model
from sixvec.model.coordinate_names import coordinate_names
from sixvec.model.joints import Prismatic, Revolute, Spherical
from sixvec.solve import Metric
from sixvec.spatial import Pose, Vec3


def ask(robot: Robot, q: object, **options: object) -> Singularity:
    frame = {"ur5e": "tool0", "puma560": "link6"}.get(robot.name, robot.frame_names[-1])
    return singularity(robot, np.asarray(q, float), frame, Metric.from_length(1.0, robot.nv), **options)  # type: ignore[arg-type]


def stretched_puma() -> np.ndarray:
    own = placed(sixvec.load("puma560"), "link6")
    return own.positions([0.3, 0.4, -own.arm.elbow_angle, 0.6, 0.7, 0.8])


def puma_above_its_base() -> np.ndarray:
    own = placed(sixvec.load("puma560"), "link6")
    raised = scipy.optimize.brentq(lambda q2: own.arm.base_offset + own.arm.wrist_reach(q2, 0.9)[0], -2.0, 1.5)
    return own.positions([0.3, raised, 0.9, 0.6, 0.7, 0.8])


WRIST = "the axes of joint4, joint5 and joint6 meet in one point, in the plane of the axes of "


@pytest.mark.covers("KIN-02", "KIN-03")
@pytest.mark.parametrize(
    ("name", "q", "cause"),
    [
        ("puma560", [0.1, 0.8, -1.0, 0.3, 0.0, 0.2], "the axes of joint4 and joint6 coincide"),
        ("puma560", stretched_puma(), WRIST + "joint2 and joint3"),
        ("puma560", puma_above_its_base(), WRIST + "joint1 and joint2"),
        ("ur5e", [0.3, -1.2, 0.0, 0.4, 1.1, 0.2],
         "the axes of shoulder_lift_joint, elbow_joint and wrist_1_joint are parallel and lie in one plane"),
        ("ur5e", [0.3, -1.2, 1.4, 0.4, 0.0, 0.2],
         "the axes of shoulder_lift_joint, elbow_joint, wrist_1_joint and wrist_3_joint are parallel"),
    ],
)  # fmt: skip
def test_textbook_singularities_are_named(name: str, q: object, cause: str) -> None:
    found = ask(sixvec.load(name), q)
    assert found.rank == 5 and found.causes == (cause,) and f"because              {cause}" in str(found)


@pytest.mark.covers("KIN-02", "KIN-03")
def test_six_axes_that_meet_one_line() -> None:
    """A UR with its wrist above the shoulder: no fewer than six axes depend on each other."""
    robot = sixvec.load("ur5e")

    def determinant(lift: float) -> float:
        return float(np.linalg.det(robot.jacobian([0.3, lift, 1.4, 0.4, 1.1, 0.2], "tool0")))

    grid = np.linspace(-3.0, 3.0, 61)
    low, high = next((a, b) for a, b in pairwise(grid) if determinant(a) * determinant(b) < 0.0)
    lift = scipy.optimize.brentq(determinant, low, high, xtol=1e-15)
    (cause,) = ask(robot, [0.3, lift, 1.4, 0.4, 1.1, 0.2]).causes
    assert cause.startswith(f"the axes of {', '.join(robot.joint_names[:-1])} and") and "meet one line" in cause


@pytest.mark.covers("KIN-02", "KIN-03")
def test_two_causes_at_once_are_both_named() -> None:
    x, y, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
    joints = {
        "a": Prismatic(x),
        "turn": Revolute(z),
        "b": Prismatic(x),
        "c": Revolute(x),
        "d": Revolute(y),
        "e": Revolute(x),
    }
    names = list(joints)
    bodies = tuple(Body(n, p, joints[n]) for n, p in zip(names, [None, *names[:-1]], strict=True))
    robot = Robot(Model("two", bodies, (Frame("tip", "e", Pose.translation(Vec3(0.2, 0.3, 0.1))),)))
    found = ask(robot, [0.1, 0.0, 0.2, 0.3, 0.0, 0.4])
    assert (found.rank, found.usual_rank) == (4, 5)  # along z it never moves
    assert found.causes == ("a and b slide in one direction", "the axes of c and e coincide")


@pytest.mark.covers("KIN-02", "KIN-03")
def test_regular_postures_and_structures_have_no_cause() -> None:
    """Joints to spare always depend on each other; that is no reason."""
    for name in ("ur5e", "puma560", "panda"):
        robot = sixvec.load(name)
        for q in robot.random(0, 5):
            assert ask(robot, q).causes == ()


@pytest.mark.covers("KIN-02", "KIN-03")
def test_slides_and_parts_of_a_twist_are_named_by_what_they_do() -> None:
    arm = sixvec.load("planar_2r")
    assert ask(arm, [0.3, 0.0], directions=("vx", "vz")).causes == ("joint1 and joint2 move the task in one direction",)
    x, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0)
    bodies = (Body("a", None, Prismatic(x)), Body("turn", "a", Revolute(z)), Body("b", "turn", Prismatic(x)))
    robot = Robot(Model("slides", bodies, (Frame("tip", "b", Pose.translation(Vec3(0.0, 0.3, 0.0))),)))
    assert ask(robot, [0.1, 0.0, 0.2]).causes == ("a and b slide in one direction",)
    assert ask(robot, [0.1, 0.5, 0.2]).causes == ()


Lines = list[tuple[np.ndarray, np.ndarray]]
"""Directions and points."""


def turns(lines: Lines) -> np.ndarray:
    """Unit twists of joints that turn about lines."""
    columns = np.array([[*w, *np.cross(p, w)] for w, p in lines]).T
    return np.asarray(columns / np.linalg.norm(columns, axis=0))


def slides(directions: list[np.ndarray]) -> np.ndarray:
    return np.array([[0.0, 0.0, 0.0, *(d / np.linalg.norm(d))] for d in directions]).T


def drawn(rng: np.random.Generator, how: str, count: int) -> Lines:
    """Random lines in a special arrangement."""
    R, center = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3)
    w, p = rng.normal(size=(count, 3)), rng.normal(size=(count, 3))
    if "plane" in how:
        w[:, 2], p[:, 2] = 0.0, 0.0
    if "parallel" in how:
        w[:] = w[0] * rng.uniform(0.5, 2.0, (count, 1)) * rng.choice([-1.0, 1.0], (count, 1))
    if "point" in how:
        p = w * rng.normal(size=(count, 1))
    return [(a / np.linalg.norm(a), b) for a, b in zip(w @ R.T, p @ R.T + center, strict=True)]


NAMES = list("abcdef")
ARRANGED = [
    ("parallel", 4, "are parallel"),
    ("parallel in a plane", 3, "are parallel and lie in one plane"),
    ("through a point", 4, "meet in one point"),
    ("through a point in a plane", 3, "meet in one point and lie in one plane"),
    ("in a plane", 4, "lie in one plane"),
]


@pytest.mark.parametrize(("how", "count", "words"), ARRANGED)
def test_every_arrangement_has_its_sentence_and_loses_it_when_an_axis_moves(how: str, count: int, words: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        lines = drawn(rng, how, count)
        columns = turns(lines)
        assert np.linalg.svd(columns, compute_uv=False)[-1] < 1e-12  # dependent, as the theory has it
        *others, last = NAMES[:count]
        assert _sentence(columns, NAMES[:count], True) == f"the axes of {', '.join(others)} and {last} {words}"
        k = int(rng.integers(count))
        lines[k] = lines[k][0] + 1e-3 * rng.normal(size=3), lines[k][1] + 1e-3 * rng.normal(size=3)
        moved = _sentence(turns(lines), NAMES[:count], True)
        assert not any(word in moved for word in ("parallel", "point", "plane"))


def test_two_axes_that_coincide_and_the_wrist_in_the_plane_of_two_others() -> None:
    rng = np.random.default_rng(1)
    (w, p), *_ = drawn(rng, "", 1)
    assert _sentence(turns([(w, p), (-w, p + 0.7 * w)]), ["a", "b"], True) == "the axes of a and b coincide"
    two = drawn(rng, "in a plane", 2)
    center = two[0][1] + two[0][0] * 0.3 + two[1][0] * 0.8
    wrist = [(v / np.linalg.norm(v), center + v) for v in rng.normal(size=(3, 3))]
    lines = [wrist[0], two[0], wrist[1], two[1], wrist[2]]
    told = "the axes of a, c and e meet in one point, in the plane of the axes of b and d"
    assert _sentence(turns(lines), NAMES[:5], True) == told
    off = [(w, p + 1e-3 * np.cross(two[0][0], two[1][0])) if k % 2 == 0 else (w, p) for k, (w, p) in enumerate(lines)]
    assert "plane" not in _sentence(turns(off), NAMES[:5], True)


def reciprocal(rng: np.random.Generator, wrench: np.ndarray) -> Lines:
    """Six lines on which a wrench (moment, force) does no work."""
    found: Lines = []
    for _ in range(6):
        p = rng.normal(size=3)
        moment = wrench[:3] + np.cross(wrench[3:], p)  # about the point
        w = np.cross(moment, rng.normal(size=3))
        found.append((w / np.linalg.norm(w), p))
    return found


def test_six_axes_are_described_by_the_wrench_that_does_no_work_on_them() -> None:
    rng = np.random.default_rng(2)
    force, point = rng.normal(size=3), rng.normal(size=3)
    for wrench, words in (
        (np.r_[np.cross(point, force), force], "meet one line or are parallel to it"),
        (np.r_[force, np.zeros(3)], "are at right angles to one direction"),
        (np.r_[np.cross(point, force) + 0.3 * force, force], "depend on each other"),
        (np.r_[np.cross(point, force) - 1e-3 * force, force], "depend on each other"),
    ):
        columns = turns(reciprocal(rng, wrench))
        assert np.abs(wrench @ columns).max() < 1e-12
        assert _sentence(columns, NAMES, True) == f"the axes of a, b, c, d, e and f {words}"


def test_slides_alone_and_with_axes() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 3))
    assert _sentence(slides([a, -2.0 * a]), ["a", "b"], True) == "a and b slide in one direction"
    assert _sentence(slides([a, b, a - 0.4 * b]), ["a", "b", "c"], True) == "a, b and c slide in one plane"
    lines = drawn(rng, "parallel", 2)
    between = np.cross(lines[0][0], lines[1][1] - lines[0][1])
    columns = np.hstack([turns(lines), slides([between])])
    assert np.linalg.svd(columns, compute_uv=False)[-1] < 1e-12
    told = "the axes of a and b are parallel so that c slides as they do together"
    assert _sentence(columns, ["a", "b", "c"], True) == told
    fan = drawn(rng, "in a plane", 3)
    both = np.hstack([turns(fan), slides([a, b])])
    assert _sentence(both, NAMES[:5], True) == "the axes of a, b and c turn so that d and e slide as they do together"
    alone = np.hstack([slides([a]), turns(lines[:1])])
    assert _sentence(alone, ["a", "b"], True) == "the axes of b turn so that a slides as they do together"


def test_parts_of_a_twist_are_described_by_how_many_joints_there_are() -> None:
    for count, words in ((1, "does not move the task"), (2, "move the task in one direction"),
                         (3, "move the task in one plane"), (4, "depend on each other")):  # fmt: skip
        assert _sentence(np.zeros((6, count)), NAMES[:count], False).endswith(words)


def test_joints_with_several_freedoms_and_many_joints() -> None:
    ball, hinge = Body("ball", None, Spherical()), Body("hinge", "ball", Revolute(Vec3(0.0, 1.0, 0.0)))
    robot = Robot(Model("r", (ball, hinge), (Frame("tip", "hinge", Pose.translation(Vec3(0.2, 0.3, 0.1))),)))
    assert coordinate_names(robot.model, "v") == ("ball[0]", "ball[1]", "ball[2]", "hinge")
    axis = Revolute(Vec3(0.0, 0.0, 1.0))
    for count, told in ((MOST_JOINTS, 1), (MOST_JOINTS + 1, 0)):
        chain = [Body(f"b{k}", f"b{k - 1}" if k else None, axis, Pose.translation(Vec3(0.1, 0.0, 0.0)))
                 for k in range(count)]  # fmt: skip
        robot = Robot(Model("r", tuple(chain), (Frame("tip", f"b{count - 1}", Pose.translation(Vec3(0.1, 0.0, 0.0))),)))
        assert bool(singular_causes(robot, np.zeros(count), "tip", [3, 4])) == told


def test_one_joint_that_does_not_move_the_task() -> None:
    """With the second link upright its joint moves the tip sideways alone."""
    arm = sixvec.load("planar_2r")
    upright = np.array([0.3, 0.5 * np.pi - 0.3])
    assert singular_causes(arm, upright, "tip", [5]) == ("joint2 does not move the task",)
    assert singular_causes(arm, np.array([0.3, 0.9]), "tip", [5]) == ()
