"""No solution is missing: whatever a search from random starts finds is among those of the closed form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from arms_321_313 import ARMS, SEVEN, apart, robot_of, solver_313, solver_321
from multi_start import joint_gap, solutions
from sample_arms import iiwa, random_arm

import sixvec
from sixvec import Robot
from sixvec.ik.closed_form import closed_form
from sixvec.ik.closed_form.arm_313 import swivel
from sixvec.ik.closed_form.newton_raphson import newton_raphson
from sixvec.model.edits import lock
from sixvec.verdict import Verdict

POSES, STARTS = 1000, 4

ACCURACY = 1e-9
"""Metres and radians: what is asked of every solution."""

SAME_SOLUTION = 1e-5
"""Radians and metres between a solution and its counterpart from the search, whose Jacobians reach down to 1e-3."""


@dataclass(frozen=True)
class Case:
    """A robot whose frame is solved, and how many solutions a pose has at most."""

    name: str
    kinds: str
    make: Callable[[], Robot]
    most: int
    frame: str = "tool"
    task: str = "pose"

    def check(self) -> None:
        robot = self.make()
        solver = closed_form(robot, self.frame)
        assert (solver.solutions, solver.family.task) == (self.most, self.task)
        q = np.random.default_rng(1).uniform(-2.0, 2.0, (POSES, robot.nq))
        X = robot.pose(q, self.frame)
        found = solver(X)
        part = np.s_[..., :3, :] if self.task == "pose" else np.s_[..., :3, 3:]
        error = np.abs(robot.pose(found.q, self.frame) - X[:, None])[part].max((-1, -2))
        assert error[found.valid].max() < ACCURACY
        searched, good = solutions(robot, self.frame, X, STARTS, seed=2, task=self.task)
        assert good.mean() > 0.3  # otherwise the search would prove nothing
        searched, good = np.concatenate([searched, q[:, None]], 1), np.concatenate([good, np.ones((POSES, 1), bool)], 1)
        gap = joint_gap(self.kinds, searched[:, :, None], found.q[:, None])
        missed = good & ~(np.where(found.valid[:, None], gap, np.inf).min(-1) < SAME_SOLUTION)
        assert not missed.any(), f"{missed.sum()} of {good.sum()} solutions are missing"
        twins = joint_gap(self.kinds, found.q[:, :, None], found.q[:, None])
        both = found.valid[:, :, None] & found.valid[:, None] & ~np.eye(self.most, dtype=bool)
        assert not (both & (twins < 1e-7)).any()
        assert (found.count % 2 == 0).all() or self.most == 1
        assert found.count.max() == self.most or solver.family.series is not None  # a quartic may have two roots only


def wristed(order: str, seed: int) -> list[Case]:
    """Three joints of any kind before a spherical wrist, and after one."""
    slides = order.count("P")
    most = {1: 8, 2: 4, 3: 2}[slides]
    front = Case(f"{order}-wrist", order + "RRR", lambda: random_arm(seed, order + "RRR", meet=(3, 4, 5)), most)
    back = Case(f"wrist-{order}", "RRR" + order, lambda: random_arm(seed, "RRR" + order, meet=(0, 1, 2)), most)
    return [front, back]


ORDERS = ["".join(order) for order in product("RP", repeat=3)]
WRISTED = [case for i, order in enumerate(ORDERS) if "P" in order for case in wristed(order, i)]
TIPS = [
    Case(order, order, lambda o=order, s=i: random_arm(s + 10, o), (4, 4, 2, 1)[order.count("P")], task="position")
    for i, order in enumerate(ORDERS)
]


@pytest.mark.covers("FORM-05")
def test_stanford_arm() -> None:
    Case("stanford", "RRPRRR", lambda: sixvec.load("stanford_arm"), 8).check()


@pytest.mark.every(8)
@pytest.mark.covers("FORM-05")
@pytest.mark.parametrize("case", WRISTED, ids=lambda case: case.name)
def test_three_joints_of_any_kind_and_a_spherical_wrist(case: Case) -> None:
    case.check()


@pytest.mark.every(3)
@pytest.mark.parametrize("case", TIPS, ids=lambda case: case.name)
def test_three_joints_that_place_a_tip(case: Case) -> None:
    case.check()


GANTRIES = [
    Case(kinds, kinds, lambda k=kinds, s=i: random_arm(s, k), 2 if kinds.count("R") == 3 else 1)
    for i, kinds in enumerate(("PPPRRR", "PPPR", "PPPRR", "RPPP", "PRPRPR", "RRPPPR", "RPRPP", "PRPP"))
]


@pytest.mark.every(3)
@pytest.mark.covers("FORM-02")
@pytest.mark.parametrize("case", GANTRIES, ids=lambda case: case.name)
def test_gantries(case: Case) -> None:
    case.check()


def flat_arm(seed: int, kinds: str, along: tuple[int, ...] = ()) -> Robot:
    """Turns about one direction and slides at right angles to it, but for those `along` it."""
    parallel = tuple(i for i, kind in enumerate(kinds) if kind == "R" or i in along)
    sliding = tuple(i for i in range(len(kinds)) if i not in parallel)
    return random_arm(seed, kinds, parallel=parallel, across=sliding if parallel else ())


PLANAR = [
    *(Case(kinds, kinds, lambda k=kinds: flat_arm(3, k), 2, task="position") for kinds in ("RR", "RP", "PR")),
    Case("PP", "PP", lambda: flat_arm(3, "PP"), 1, task="position"),
    *(Case(kinds, kinds, lambda k=kinds: flat_arm(4, k), 2) for kinds in ("RRR", "RRP", "RPR", "PRR")),
    *(Case(kinds, kinds, lambda k=kinds: flat_arm(4, k), 1) for kinds in ("RPP", "PRP", "PPR")),
]
SCARA = [
    *(Case(kinds, kinds, lambda k=kinds: flat_arm(5, k, (k.index("P"),)), 2) for kinds in ("RRRP", "RRPR", "PRRR")),
    Case("RRPP", "RRPP", lambda: flat_arm(6, "RRPP", (3,)), 2),
    Case("RPPR", "RPPR", lambda: flat_arm(7, "RPPR", (1,)), 2),
    Case("cylindrical", "RPP", lambda: flat_arm(8, "RPP", (1,)), 2, task="position"),
    Case("cobra600", "RRPR", lambda: sixvec.load("cobra600"), 2, frame="flange"),
]


@pytest.mark.every(6)
@pytest.mark.covers("FORM-02")
@pytest.mark.parametrize("case", [*PLANAR, *SCARA], ids=lambda case: case.name)
def test_planar_arms_and_scara(case: Case) -> None:
    case.check()


@pytest.mark.every(3)
@pytest.mark.covers("FORM-03", "FORM-04", "FORM-05")
@pytest.mark.parametrize("name", ARMS)
def test_arm_321_by_its_equations_and_by_closed_form(name: str) -> None:
    robot, rng = robot_of(ARMS[name]), np.random.default_rng(3)
    X = robot.pose(rng.uniform(-np.pi, np.pi, (POSES, 6)), "tool")
    searched, good = solutions(robot, "tool", X, STARTS, seed=4)
    assert good.mean() > 0.3
    q, verdict = solver_321(ARMS[name])(X, np.zeros(6))
    front = closed_form(robot, "tool")(X)
    for some, valid in ((q, verdict == Verdict.SOLVED), (front.q, front.valid)):
        gap = np.where(valid[:, None], apart(searched[:, :, None], some[:, None]), np.inf).min(-1)
        assert gap[good].max() < SAME_SOLUTION
    assert (front.count == (verdict == Verdict.SOLVED).sum(-1)).all()


@pytest.mark.covers("FORM-07")
def test_arm_313_at_the_swivel_of_each_solution_found() -> None:
    """Newton-Raphson ends at some swivel angle; the closed form for that angle knows the place."""
    robot, rng = robot_of(SEVEN), np.random.default_rng(5)
    X = robot.pose(rng.uniform(-np.pi, np.pi, (POSES, 7)), "tool")[:, None]
    tried = newton_raphson(robot, X, "tool", rng.uniform(-np.pi, np.pi, (POSES, 2, 7)), iterations=30)
    assert tried.solved.mean() > 0.6
    X, q = np.broadcast_to(X, (POSES, 2, 4, 4))[tried.solved], tried.q[tried.solved]
    J = robot.jacobian(q, "tool")
    regular = (np.linalg.svd(J, compute_uv=False)[:, -1] > 1e-3) & (np.abs(np.sin(q[:, [1, 3, 5]])).min(1) > 1e-3)
    assert regular.mean() > 0.9
    psi = np.array([swivel(SEVEN, row) for row in q.tolist()])
    found, verdict = solver_313(SEVEN)(X, psi, np.zeros(7))
    assert (verdict[regular] == Verdict.SOLVED).all()
    assert apart(found, q[:, None]).min(1)[regular].max() < SAME_SOLUTION


@pytest.mark.every(3)
@pytest.mark.covers("FORM-07")
@pytest.mark.parametrize("place", [1, 2, 3, 5, 6, 7])
def test_arm_313_with_one_joint_fixed(place: int) -> None:
    robot = iiwa()
    held = {f"joint{place}": 0.4}
    fixed = Robot(lock(robot.model, held))
    X = fixed.pose(np.random.default_rng(6).uniform(-np.pi, np.pi, (POSES, 6)), "tool")
    found = closed_form(robot, "tool", locked=held)(X)
    searched, good = solutions(fixed, "tool", X, STARTS, seed=7)
    assert good.mean() > 0.3
    mine = np.delete(found.q, place - 1, -1)
    gap = np.where(found.valid[:, None], apart(searched[:, :, None], mine[:, None]), np.inf).min(-1)
    assert gap[good].max() < SAME_SOLUTION
    assert np.abs(robot.pose(found.q, "tool") - X[:, None]).max((-1, -2))[found.valid].max() < ACCURACY
