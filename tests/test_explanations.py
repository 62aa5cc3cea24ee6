"""Each verdict in words, sample by sample of a batch."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec.errors import ArgumentError
from sixvec.formats.doctor.finding import Finding, Report, Severity
from sixvec.ik.solution import Solution
from sixvec.mobile.answer import PlatformVelocity, WheelRates
from sixvec.model.robots import BUILT_IN
from sixvec.parallel import AssemblyModes, ForwardPosition
from sixvec.tolerances import EQUAL
from sixvec.verdict import Verdict, verdicts

WORST = 0.5 * EQUAL, 2.0 * EQUAL
"""Slips of wheels that roll at 1 m/s: one is rounding, one is not."""


def test_wheels() -> None:
    slip = np.array([[WORST[0], -WORST[0]], [0.01, -0.2], [-0.3, WORST[0]], [np.nan] * 2, [0.1, 0.1]])
    speed = np.array([1.0, 1.0, 1.0, 1.0, np.inf])
    found = PlatformVelocity(slip, np.abs(slip).max(axis=-1), speed, ("left", "right"), np.zeros((5, 3)))
    assert [Verdict(v).name for v in found.verdict] == ["SOLVED", "UNREACHABLE", "UNREACHABLE", "SINGULAR", "INVALID"]
    assert found.explain(0) == "all wheels roll"
    assert found.explain(1) == "the wheels cannot roll together: right -0.2 m/s, left 0.01 m/s"
    assert found.explain(2) == "the wheels cannot roll together: left -0.3 m/s"
    assert len({found.explain(k) for k in range(5)}) == 5
    assert not found and repr(found) == "<PlatformVelocity: 1 of 5 roll>" and np.asarray(found).shape == (5, 3)
    fast = PlatformVelocity(100.0 * slip[:1], np.array([50.0 * EQUAL]), np.array([100.0]), ("l", "r"), np.zeros((1, 3)))
    assert fast and repr(PlatformVelocity(slip[0], slip[0, 0], speed[0], ("l", "r"), np.zeros(3))).endswith("roll>")


def test_wheels_that_cannot_turn_so_far() -> None:
    steer = np.array([[0.3, -0.5], [0.3, 0.7], [-0.7, 0.1], [0.69, -0.59]])
    none = np.zeros(4)
    found = WheelRates(np.zeros((4, 2)), none, none + 1.0, ("a", "b"), np.ones((4, 2)), steer, (0.7, 0.6))
    assert found.verdict.tolist() == [Verdict.SOLVED, Verdict.AT_LIMIT, Verdict.AT_LIMIT, Verdict.SOLVED]
    assert "limit" in found.explain(1) and found.explain(3) == "all wheels roll"
    free = WheelRates(np.zeros((4, 2)), none, none + 1.0, ("a", "b"), np.ones((4, 2)), steer)
    assert free and np.asarray(free).tolist() == [[1.0, 1.0]] * 4


def test_assembly_modes() -> None:
    found = AssemblyModes(
        np.zeros((6, 2, 3)), np.array([2, 0, 0, 0, 0, 1]), np.array([6] * 6), np.arange(6) < 2,
        np.full((6, 2), "", object), np.zeros(6), np.arange(6) == 3, None,
        verdicts([0, 3, 3, 0, 5, 0]), np.array([-1, 0, -1, -1, 4, -1]), np.array([-1, 2, -1, -1, -1, -1]),
    )  # fmt: skip
    assert [found.explain(k) for k in range(6)] == [
        "2 poses, none is missing",
        "cannot close: legs 0 and 2 are too different in length for their pivots",
        "no pose was found, possibly one is missing",
        "a self-motion: the platform moves with all legs locked, its poses are not isolated",
        "invalid: leg 4 has no positive finite length",
        "1 poses, possibly one is missing",
    ]
    assert repr(found) == "<AssemblyModes of 6 samples, 2 certified>"
    empty = AssemblyModes(np.zeros((0, 3)), 0, 6, True, [], 0.0, verdict=Verdict.UNREACHABLE)
    assert empty.explain() == "cannot close: there is no real pose"


def test_forward_positions() -> None:
    found = ForwardPosition(
        np.zeros((7, 3)), verdicts([0, 5, 5, 3, 7, 3, 4]), np.array([0.0, 0.0, 0.0, 0.0, 0.25, np.inf, 0.5]),
        np.array([-1, -1, 0, 0, 2, 1, 3]), np.array([-1, -1, -1, 0, -1, -1, -1]),
    )  # fmt: skip
    assert [found.explain(k) for k in range(7)] == [
        "solved",
        "invalid: X0 is not finite",
        "invalid: leg 0 has no positive finite length",
        "cannot close: legs 0 and 0 are too different in length for their pivots",
        "contradictory: no pose near X0 has all these positions; at the nearest leg 2 misses by 0.25 m",
        "cannot close: no pose has these positions; leg 1 is furthest from the others",
        "not converged: no pose was found near X0; leg 3 misses by 0.5 m",
    ]
    assert not found and found.solved.tolist() == [True] + [False] * 6
    assert repr(found) == "<ForwardPosition 1 of 7 solved>"


def test_solutions() -> None:
    distance, angle = np.array([0.0, 0.2, 0.3, 0.0, 0.0]), np.array([0.0, 0.0, 0.4, 0.5, 0.5])
    place, count = np.array([-1, -1, -1, 0, 2]), np.ones(5, int)
    found = Solution(np.zeros((5, 2)), verdicts([0, 3, 2, 1, 1]), distance, angle, place, count, ("elbow", "wrist"))
    assert [found.explain(k) for k in range(5)] == [
        "solved",
        "unreachable: the closest position found is 0.2 m away",
        "singular: the Jacobian has lost the missing motion here, but from elsewhere the joints come closer; the "
        "closest position found is 0.3 m away and turned by 0.4 rad",
        "at limit: no start led to the target within the limits; with elbow beyond its limit it was reached; the "
        "closest position found is turned by 0.5 rad",
        "at limit: no start led to the target within the limits; with coordinate 2 beyond its limit it was reached; "
        "the closest position found is turned by 0.5 rad",
    ]
    assert str(found) == "1 solved, 2 at limit, 1 singular, 1 unreachable" and not found
    swivel = Solution(
        np.zeros((1, 2)), verdicts([1]), distance[1:2], angle[:1], place[3:4], count[:1], ("elbow",), np.ones(1)
    )
    assert swivel.explain(0) == (
        "at limit: with the swivel angle 1 the target is reached only beyond the limit of elbow; other angles may do; "
        "that position, taken back to the limits, is 0.2 m away"
    )
    with pytest.raises(ArgumentError, match="explain"):
        found.explain()


def test_reports_of_the_doctor() -> None:
    note, warning, error = (Finding(s, 3, "a", "b", "c") for s in (Severity.NOTE, Severity.WARNING, Severity.ERROR))
    arm, pole = BUILT_IN["planar_2r"](), BUILT_IN["acrobot"]()
    mass = sum(b.inertia.mass for b in arm.bodies)
    assert Report("f", (), arm).summary == f"f: healthy: 3 links, 2 moving joints, {mass:.4g} kg"
    assert Report("f", (note,), None).summary == "f: healthy: 1 note" and Report("f", (note,), None).status == 0
    both = Report("f", (note, warning, warning), pole)
    assert both.summary.startswith("f: loads, with warnings: 2 warnings, 1 note; 3 links, 2 moving joints")
    broken = Report("f", (error, note, note), None)
    assert broken.summary == "f: broken: 1 error, 2 notes" and broken.status == 2
    assert len(broken.text().splitlines()) == 4 and broken.as_dict()["status"] == 2
