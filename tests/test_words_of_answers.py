"""What answers say of themselves, from numbers given by hand: every branch of every sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.analysis.accuracy import PoseAccuracy
from sixvec.analysis.mobility import MobilityCount
from sixvec.analysis.singularity import Singularity
from sixvec.identification.calibration import Calibration
from sixvec.ik.assembly import Assembly
from sixvec.ik.redundancy.closed_loop import Tracking
from sixvec.ik.redundancy.task import Redundancy
from sixvec.ik.solution import Solution
from sixvec.ik.track import Track
from sixvec.mobile import DrivingForces
from sixvec.mobile.answer import PlatformVelocity
from sixvec.mobile.kind import Kind
from sixvec.mobile.manipulator.support import Support
from sixvec.mobile.odometry import OdometryPath
from sixvec.mobile.vector_field import Controllability
from sixvec.parallel.assembly_modes import AssemblyModes
from sixvec.parallel.forward_position import ForwardPosition
from sixvec.parallel.quality import PoseQuality
from sixvec.parallel.reach import Reach
from sixvec.parallel.singularity import ParallelSingularity
from sixvec.parallel.track import ModeTrack
from sixvec.parallel.workspace import PlatformWorkspace
from sixvec.theory.lagrange.condition import MassCondition
from sixvec.verdict import Verdict

NOTHING = np.zeros(0)
S, U, I, C, L, SING = (
    Verdict.SOLVED, Verdict.UNREACHABLE, Verdict.INVALID, Verdict.CONTRADICTORY, Verdict.AT_LIMIT, Verdict.SINGULAR
)  # fmt: skip


def codes(*verdicts: Verdict) -> Any:
    return np.array(verdicts, np.int8)


def modes(count: Any, certified: Any, **more: Any) -> AssemblyModes:
    return AssemblyModes(np.zeros((0, 4, 4)), count, 40, certified, (), 0.0, **more)


def posed(verdict: Verdict, residual: float = 0.25, leg: int = 3, other: int = -1) -> ForwardPosition:
    return ForwardPosition(np.eye(4), np.array(verdict), np.array(residual), np.array(leg), np.array(other))


def near(rank: int, legs: tuple[int, ...], factors: dict[str, float] | None = None) -> ParallelSingularity:
    gained = np.array([[1.0, 0.0, -0.5, 1e-10, 0.0, 0.0]]).T[:, : 6 - rank]
    return ParallelSingularity(rank, 6, NOTHING, gained, 2.0 * gained, legs, NOTHING, 0.125, factors or {})


def count(planar: int | None, by_rank: int, finite: int | None, redundant: int = 0, gap: float = 0.0) -> MobilityCount:
    return MobilityCount("linkage", -2, planar, by_rank, finite, redundant, gap, 1e-6)


def found(verdict: Verdict, joint: int = -1, far: float = 0.25, angle: float = 0.5, **more: Any) -> Solution:
    numbers = (np.array(x) for x in (verdict, far, angle, joint, 3))
    return Solution(np.zeros(2), *numbers, ("shoulder", "elbow"), **more)


def rolling(slip: list[float], residual: float, speed: float = 2.0) -> PlatformVelocity:
    names = ("left: rim", "right: rim", "left: sideways")
    return PlatformVelocity(np.array(slip), np.array(residual), np.array(speed), names, np.zeros(3))


def pose_singularity(rank: int, gained: int, causes: tuple[str, ...] = ()) -> Singularity:
    column = np.array([[0.5], [0.0], [-0.25]])
    six = np.array([[0.0, 0.0, 1.0, 0.5, 0.0, 0.0]]).T
    return Singularity(
        "tip", ("vx", "vy"), rank, 2, np.array([2.0, 1e-20]), six[:, : 2 - rank], six[:, : 2 - rank], column,
        column[:, :gained],
        0, NOTHING, 0.0625, causes,
    )  # fmt: skip


WORDS: dict[str, tuple[Any, str]] = {
    "modes of a batch": (repr(modes(np.array([2, 4, 0]), np.array([True, False, True]))),
                         "<AssemblyModes of 3 samples, 2 certified>"),
    "certified modes": (repr(modes(8, True)), "<AssemblyModes: 8 poses, 40 complex solutions, certified>"),
    "uncertain modes": (repr(modes(8, False)), "<AssemblyModes: 8 poses, 40 complex solutions, possibly incomplete>"),
    "a self-motion": (
        repr(modes(0, False, self_motion=True)),
        "<AssemblyModes: a self-motion, poses are not isolated>"),
    "no length": (
        repr(modes(0, False, verdict=I, leg=2)),
        "<AssemblyModes: invalid: leg 2 has no positive finite length>"),
    "modes, none missing": (modes(6, True).explain(), "6 poses, none is missing"),
    "modes, one missing": (modes(6, False).explain(), "6 poses, possibly one is missing"),
    "no modes": (modes(0, True, verdict=U).explain(), "cannot close: there is no real pose"),
    "no modes found": (modes(0, False, verdict=U).explain(), "no pose was found, possibly one is missing"),
    "moving modes": (modes(0, False, self_motion=True).explain(),
                     "a self-motion: the platform moves with all legs locked, its poses are not isolated"),
    "unlike legs": (modes(0, True, verdict=U, leg=0, other=4).explain(),
                    "cannot close: legs 0 and 4 are too different in length for their pivots"),
    "second sample": (AssemblyModes(
        np.zeros((2, 0, 4, 4)), np.array([2, 4]), 40, np.array([True, False]), (), 0.0, np.array([False, False]), None,
        codes(S, S), np.array([-1, -1]), np.array([-1, -1])).explain(1), "4 poses, possibly one is missing"),
    "a pose": (repr(posed(S)), "<ForwardPosition solved>"),
    "no start": (posed(I, leg=-1).explain(), "invalid: X0 is not finite"),
    "no leg": (posed(I, leg=0).explain(), "invalid: leg 0 has no positive finite length"),
    "two legs": (
        posed(U, leg=1, other=0).explain(),
        "cannot close: legs 1 and 0 are too different in length for their pivots"),
    "eight legs": (posed(C).explain(),
                   "contradictory: no pose near X0 has all these positions; at the nearest leg 3 misses by 0.25 m"),
    "arms apart": (posed(U, np.inf).explain(),
                   "cannot close: no pose has these positions; leg 3 is furthest from the others"),
    "no pose": (posed(Verdict.NOT_CONVERGED).explain(),
                "not converged: no pose was found near X0; leg 3 misses by 0.25 m"),
    "poses": (
        repr(ForwardPosition(np.eye(4), codes(S, U, S), NOTHING, NOTHING, NOTHING)),
        "<ForwardPosition 2 of 3 solved>"),
    "regular": (str(near(6, ())), "regular; rank 6 of 6\n  nearest singularity about 0.125 away"),
    "a singular leg": (str(near(6, (2,))),
                       "singular, type I; rank 6 of 6\n  leg 2 is singular: its actuator cannot move the platform"),
    "a gained motion": (str(near(5, (), {"3": 0.0, "2": 0.5})),
                        'singular, type II; rank 5 of 6\n  factor "3" is 0\n  factor "2" is 0.5\n'
                        "  gained twist  (1, 0, -0.5, 0, 0, 0)\n  unheld wrench (2, 0, -1, 0, 0, 0)"),
    "both": (repr(near(5, (0,))), "<ParallelSingularity: singular, type III; rank 5 of 6>"),
    "a kept mode": (repr(ModeTrack(np.zeros((3, 3)), -1, 1.0, "+", NOTHING)), "<ModeTrack of 3 poses: mode + kept>"),
    "a lost mode": (repr(ModeTrack(np.zeros((3, 3)), 2, 0.5, "-", NOTHING)),
                    "<ModeTrack of 3 poses: mode - lost between positions 1 and 2>"),
    "quality": (repr(PoseQuality(np.array([0.125, 0.5]), NOTHING, NOTHING)),
                "<PoseQuality of 2 poses, dexterity 0.125 to 0.5>"),
    "reach": (repr(Reach(np.array([0, 3, 0]), NOTHING)), "<Reach: 2 of 3 poses>"),
    "a workspace": (repr(PlatformWorkspace(NOTHING, np.array([True, False, True]), 0.125, NOTHING, NOTHING, NOTHING)),
                    "<PlatformWorkspace: 2 of 3 points, 0.125 m³>"),
    "one freedom": (str(count(1, 1, 1)), "linkage: 1 freedom by rank, 1 by the planar count\n"
                    "  the spatial count, -2, ignores that all motion is in one plane"),
    "overconstrained": (str(count(None, 2, 2, 3)), "linkage: 2 freedoms by rank, -2 by the spatial count\n"
                        "  4 more than counted: special geometry (an overconstrained mechanism)\n"
                        "  3 constraints repeat others: their forces are undetermined"),
    "stuck": (str(count(3, 2, 2)), "linkage: 2 freedoms by rank, 3 by the planar count\n"
              "  the spatial count, -2, ignores that all motion is in one plane\n"
              "  1 fewer than counted: some joints cannot move within their loops"),
    "shaky": (str(count(-2, 1, 0)), "linkage: 1 freedom by rank, -2 by the planar count\n"
              "  0 of them lead anywhere, 1 only to first order: a singular position, where branches meet or the "
              "mechanism is shaky\n  2 more than counted: special geometry (an overconstrained mechanism)"),
    "open": (str(count(None, 1, None, gap=0.25)), "linkage: 1 freedom by rank, -2 by the spatial count\n"
        "  the loops are open by 0.25 at this position: the rank says nothing about the mechanism; close them first, "
             "as sixvec.constraints.assembled(robot, q) does"),
    "accuracy": (
        str(PoseAccuracy(NOTHING, 0.002, 0.0005, np.array([0.001, -0.002, 0.0]), np.array([3e-3, 0, 1e-4]), 30)),
                 "30 poses: accuracy 2 mm (1, -2, 0 mrad), repeatability 0.5 mm (±3, ±0, ±0.1 mrad)"),
    "a regular position": (str(pose_singularity(2, 0)), "tip: regular; rank 2 of 2; singular values 2, 0\n"
                           "  nearest singularity about 0.0625 away, in the joint norm\n"
                           "  internal motion      (0.5, 0, -0.25)"),
    "a singular position": (str(pose_singularity(1, 1, ("both are parallel",))),
                            "tip: loses and gains motion; rank 1 of 2; singular values 2, 0\n"
                            "  because              both are parallel\n"
                            "  lost twist           ang (0, 0, 1)  lin (0.5, 0, 0)\n"
                            "  wrench borne free    ang (0, 0, 1)  lin (0.5, 0, 0)\n"
                            "  internal motion      (0.5, 0, -0.25)\n  moves, motors locked (0.5, 0, -0.25)"),
    "kinds": (" ".join(pose_singularity(*x).kind for x in ((1, 0), (2, 1))), "loses motion gains motion"),
    "a solution": (repr(found(S)), "<Solution solved>"),
    "a limit": (
        str(found(L, 1)), "at limit: no start led to the target within the limits; with elbow beyond its limit it "
                "was reached; the closest position found is 0.25 m away and turned by 0.5 rad"),
    "a limit without a name": (str(found(L, 2, angle=0.0)),
        "at limit: no start led to the target within the limits; with coordinate 2 beyond its limit "
                               "it was reached; the closest position found is 0.25 m away"),
    "a limit of a swivel": (str(found(L, 0, far=0.0, swivel=np.array(1.5))),
        "at limit: with the swivel angle 1.5 the target is reached only beyond the limit of shoulder; "
                            "other angles may do; that position, taken back to the limits, is turned by 0.5 rad"),
    "a singular end": (
        str(found(SING)), "singular: the Jacobian has lost the missing motion here, but from elsewhere the "
                       "joints come closer; the closest position found is 0.25 m away and turned by 0.5 rad"),
    "assemblies": (repr(Assembly(np.zeros((3, 2)), np.zeros(3), codes(S, U, S))), "<Assembly: 2 of 3 closed>"),
    "a track": (repr(Tracking(np.zeros((5, 2)), np.array([[0.5, -2.0], [1.0, 0.0]]), (np.array([0.25, 0.125]), NOTHING),
                              np.array([1.0, 0.5]))),
                "Tracking: 2 samples, 1 slowed down; largest rate 2, largest errors 0.25, 0"),
    "a track without gaps": (repr(Tracking(np.zeros((1, 2)), np.zeros((0, 2)), (), NOTHING)),
                             "Tracking: 0 samples, 0 slowed down; largest rate 0, largest errors none"),
    "redundant": (str(Redundancy(7, 6, 6)), "redundant by 1: 7 joint freedoms for 6 task directions"),
    "not redundant": (str(Redundancy(6, 6, 5)),
                      "not redundant: 6 joint freedoms for 6 task directions, singular here: rank 5"),
    "wheels that roll": (repr(rolling([0.0, 0.0, 0.0], 0.0)), "<PlatformVelocity: all wheels roll>"),
    "wheels that slip": (repr(rolling([0.25, -0.5, 1e-15], 0.5)),
        "<PlatformVelocity: the wheels cannot roll together: right: rim -0.5 m/s, left: rim 0.25 m/s>"),
    "a kind": (str(Kind(1, 1, 2, 2)), "type (1, 1): 2 constraints, 2 of them nonholonomic"),
    "a kind with one": (str(Kind(2, 0, 1, 1)), "type (2, 0): 1 constraint, 1 of them nonholonomic"),
    "a support": (repr(Support(NOTHING, NOTHING, np.array(0.125), ())), "<Support: stable, margin 0.125 m>"),
    "no support": (repr(Support(NOTHING, NOTHING, np.array(-0.125), ())), "<Support: tips over, margin -0.125 m>"),
    "supports": (repr(Support(NOTHING, NOTHING, np.array([0.1, -0.1, 0.0]), ())), "<Support: 1 of 3 stable>"),
    "odometry": (repr(OdometryPath(np.zeros((2, 7, 3)))), "<OdometryPath: 7 steps>"),
    "uncertain odometry": (
        repr(OdometryPath(np.zeros((7, 3)), np.zeros((7, 3, 3)))),
        "<OdometryPath: 7 steps, with covariance>"),
    "driving forces": (repr(DrivingForces(NOTHING, NOTHING, np.array([0.25, 9.0, 0.5]), NOTHING, codes(S, U, S))),
                       "<DrivingForces: residual up to 0.5, 1 of 3 slip>"),
    "forces that drive": (repr(DrivingForces(NOTHING, NOTHING, np.array(0.25), NOTHING, codes(S)[0])),
                          "<DrivingForces: residual up to 0.25>"),
    "controllable": (str(Controllability(3, (2, 3), ("a", "b", "[a, b]"))),
                     "controllable: rank 3 of 3, growth (2, 3), by a, b, [a, b]"),
    "not controllable": (
        str(Controllability(4, (2, 3), ("a", "b"))),
        "not controllable: rank 3 of 4, growth (2, 3), by a, b"),
    "a mass matrix": (str(MassCondition(np.array([0.5, 2.0]), NOTHING, 100.0, 3)),
                      "eigenvalues 0.5 … 2, condition 4 (scaled 100, 2.0 digits), 3 structural zeros"),
    "no mass matrix": (str(MassCondition(NOTHING, NOTHING, 1.0, 0)), "no freedoms, condition 1"),
    "a path with switches": (str(Track(np.zeros((3, 2)), codes(S, S, S), np.zeros(3), np.zeros(3), np.zeros(3, int),
        np.ones(3, int), (), None, np.array([0.1, 0.25, np.inf]), np.array([True, False, True]))),
                             "3 solved, 2 branch switches, largest jump 0.25"),
    "a path with a switch": (str(Track(np.zeros((1, 2)), codes(S), np.zeros(1), np.zeros(1), np.zeros(1, int),
                                       np.ones(1, int), (), None, np.array([0.5]), np.array([True]))),
                             "1 solved, 1 branch switch, largest jump 0.5"),
    "a calibration": (
        str(Calibration(sv.load("planar_2r"), ("link1", "tool frame"), np.array([[1e-3] * 6, [-2e-3] * 6]),
                                      np.eye(12), np.zeros((12, 7)), np.array([[True] * 6, [False] * 6]),
        np.array([0.1, 0.004]), np.array([0.2, 0.0005]), 4, False, np.array([0.001, 0.002]))),
        "planar_2r: 7 of 12 parameters identifiable; not converged after 4 steps; position residual 4 mm -> "
                      "0.5 mm\n  expected at new positions: 1 mrad, 2 mm\n"
                      "  link1        +1.00e-03   +1.00e-03   +1.00e-03   +1.00e-03   +1.00e-03   +1.00e-03\n"
                      "  tool frame  -2.00e-03?  -2.00e-03?  -2.00e-03?  -2.00e-03?  -2.00e-03?  -2.00e-03?\n"
                      "  ? only in combination with others"),
}  # fmt: skip


@pytest.mark.parametrize("name", WORDS)
def test_results_in_words(name: str) -> None:
    said, expected = WORDS[name]
    assert said == expected
