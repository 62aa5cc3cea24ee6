"""An arm without a closed form is told which of its joints stand in the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from sample_arms import X, Y, Z, arm, iiwa, random_arm

import sixvec
from naming import named
from sixvec import Robot
from sixvec.errors import DegenerateError
from sixvec.ik.closed_form import SerialChain, closed_form
from sixvec.ik.closed_form.families import find_family
from sixvec.ik.closed_form.families.reason import _length
from sixvec.ik.closed_form.target import Family
from sixvec.spatial import Pose, Vec3

_TIP = Pose.translation(Vec3(0.1, 0.2, 0.3))


def stacked(kinds: str, axes: Sequence[Sequence[float]]) -> Robot:
    """Joints 0.1 m above each other."""
    return arm(kinds, axes, [(0.0, 0.0, 0.1 * i) for i in range(len(kinds))], _TIP)


def nearly_spherical() -> Robot:
    """The last of three wrist axes passes the crossing of the other two at 6 mm."""
    points = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.3), (0.0, 0.0, 0.3), *[(0.0, 0.0, 0.9)] * 2, (0.006, 0.0, 0.9)]
    return arm("RRPRRR", [Z, X, Z, X, Y, Z], points, _TIP)


REASONS: dict[str, tuple[Callable[[], Robot], str]] = {
    "Pieper": (
        lambda: random_arm(20),
        "tool",
    ),
    "one line": (
        lambda: stacked("RRRRRR", [Z, X, Z, X, Z, Z]),
        "tool",
    ),
    "flat arm": (
        lambda: arm("RPPRRR", [Z, X, Y, X, Y, Z], [(0.0, 0.0, 0.0)] * 3 + [(0.3, 0.0, 0.2)] * 3, _TIP),
        "tool",
    ),
    "wrist missed": (nearly_spherical, "tool"),
    "no wrist": (
        lambda: random_arm(1, "RRPRPR"),
        "tool",
    ),
    "five joints": (lambda: random_arm(3, "RRRRR"), "tool"),
    "four slides": (lambda: random_arm(3, "PPPPRR"), "tool"),
    "flat slides": (
        lambda: stacked("PPPRRR", [X, Y, (0.6, 0.8, 0.0), X, Y, Z]),
        "tool",
    ),
    "parallel turns": (
        lambda: stacked("PPPRR", [X, Y, Z, X, X]),
        "tool",
    ),
    "surface": (lambda: random_arm(2, "RR"), "tool"),
    "curve": (lambda: random_arm(2, "R"), "tool"),
    "sphere": (
        lambda: arm("RRR", [Z, X, Y], [(0.0, 0.0, 0.0)] * 3, _TIP),
        "tool",
    ),
    "seven": (lambda: random_arm(5, "RRRRRRR", meet=(0, 1, 2)), "tool"),
    "seven, neither": (
        lambda: random_arm(5, "RRRRRRR"),
        "tool",
    ),
    "seven with a slide": (lambda: random_arm(5, "RRRPRRR"), "tool"),
    "eight": (lambda: random_arm(5, "RRRRRRRR"), "tool"),
    "three slides of seven": (lambda: random_arm(5, "PPPRRRR"), "tool"),
    "all parallel": (
        lambda: random_arm(2, "RRRRRR", parallel=(0, 1, 2, 3, 4, 5)),
        "tool",
    ),
    "two parallel": (
        lambda: random_arm(2, "RRRRRR", parallel=(1, 2)),
        "tool",
    ),
    "a slide and no wrist": (
        lambda: random_arm(4, "RRRPRR"),
        "tool",
    ),
}


@pytest.mark.covers("FORM-01")
@pytest.mark.parametrize("name", REASONS)
def test_the_geometric_reason_is_named(name: str) -> None:
    make, said = REASONS[name]
    with pytest.raises(DegenerateError, match=said) as caught:
        closed_form(make(), "tool", general=False)
    assert "Found: joints" in str(caught.value) and "Solvable: 6R" in str(caught.value)


@pytest.mark.covers("FORM-01")
def test_how_far_axes_are_from_meeting_is_said() -> None:
    """Two axes cross, the third passes at 6 mm: the point in the middle is 3 mm from the farthest of them."""
    with pytest.raises(DegenerateError, match="tool"):
        closed_form(nearly_spherical(), "tool")


@pytest.mark.covers("FORM-01")
def test_an_elbow_that_is_locked_leaves_a_sphere() -> None:
    """Shoulder and wrist at a fixed distance: reachable poses have infinitely many solutions, others none."""
    with pytest.raises(DegenerateError, match="tool"):
        closed_form(iiwa(), "tool", locked={"joint4": 0.4})
    robot = iiwa()
    q = np.random.default_rng(1).uniform(-2.0, 2.0, 7)
    J = np.delete(np.asarray(robot.jacobian(q, "tool")), 3, axis=1)
    assert np.linalg.matrix_rank(J, 1e-9) == 5


@pytest.mark.covers("FORM-01")
def test_the_error_for_the_panda_suggests_locking_a_joint() -> None:
    with pytest.raises(DegenerateError, match=named("panda_link8", "panda_joint5", "panda_joint6", "panda_joint7")):
        closed_form(sixvec.load("panda"), "panda_link8")


@pytest.mark.parametrize(("metres", "said"), [(0.1, "0.1 m"), (0.09994, "99.9 mm"), (1.25, "1.25 m"), (0.006, "6 mm")])
def test_lengths_below_a_tenth_of_a_metre_are_in_millimetres(metres: float, said: str) -> None:
    assert _length(metres) == said


def test_general_arms_have_a_family_unless_it_is_excluded() -> None:
    chain = SerialChain.of(random_arm(20).model, "tool")
    family = find_family(chain)
    assert isinstance(family, Family) and family.name == "general 6R, numerically"
    assert "Pieper" in str(find_family(chain, general=False))


def test_axes_on_one_line_have_no_family() -> None:
    """Even if the arm, moved in a plane, would have one."""
    flat = arm("RRR", [Y, Y, Y], [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.3, 0.0, 0.0)], _TIP)
    assert "joint1 and joint2 turn about the same line" in str(find_family(SerialChain.of(flat.model, "tool")))
