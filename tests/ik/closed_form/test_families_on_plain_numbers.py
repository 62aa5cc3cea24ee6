"""The equations of every family on plain numbers, without the compiler: all families, every day."""

from __future__ import annotations

import numpy as np
import pytest
from multi_start import joint_gap
from sample_arms import Z, arm, random_arm
from test_families_complete import GANTRIES, PLANAR, SCARA, TIPS, WRISTED, Case

import sixvec
from sixvec.errors import DegenerateError
from sixvec.ik.closed_form import closed_form
from sixvec.ik.closed_form.closed_form import _pose, _program
from sixvec.ik.closed_form.quartic import angles
from sixvec.spatial import Pose, Vec3

SIX = [
    Case(f"{kind}-{first + 1}", 6 * "R", lambda b=(first, first + 1, first + 2), k=kind: random_arm(31, **{k: b}), 8)
    for kind in ("meet", "parallel")
    for first in range(4)
]
PAIRS = [
    Case(f"parallel-{p[0] + 1}-meet-{m[0] + 1}", 6 * "R", lambda p=p, m=m: random_arm(31, parallel=p, meet=m), 8)
    for p, pairs in (((0, 1, 2), ((3, 4), (4, 5))), ((1, 2, 3), ((4, 5),)), ((2, 3, 4), ((0, 1),)),
                     ((3, 4, 5), ((0, 1), (1, 2))))
    for m in pairs
]  # fmt: skip
"""Three parallel axes, and two others that meet."""

LEVEL = Case(
    "PRP-level", "PRP",
    lambda: arm("PRP", [(0.6, 0.0, 0.8), Z, (0.36, 0.48, 0.8)], [(0.1, 0.2, 0.0), (0.3, 0.1, 0.2), (0.4, 0.5, 0.1)],
                Pose.translation(Vec3(0.7, 0.2, 0.5))), 1, "tool", "position",
)  # fmt: skip
"""Both slides are equally steep: their equation is linear."""

BUILT_IN = [
    Case("puma560", 6 * "R", lambda: sixvec.load("puma560"), 8, "link6"),
    Case("ur5e", 6 * "R", lambda: sixvec.load("ur5e"), 8, "tool0"),
]


@pytest.mark.covers("FORM-02", "FORM-05")
@pytest.mark.parametrize(
    "case", [*SIX, *PAIRS, LEVEL, *BUILT_IN, *WRISTED, *TIPS, *GANTRIES, *PLANAR, *SCARA], ids=lambda case: case.name
)
def test_solutions_reach_the_pose_and_one_is_the_position_that_made_it(case: Case) -> None:
    robot = case.make()
    solver = closed_form(robot, case.frame)
    part = np.s_[:3, :] if case.task == "pose" else np.s_[:3, 3:]
    assert (solver.solutions, solver.family.task) == (case.most, case.task)
    for q in np.random.default_rng(5).uniform(-2.0, 2.0, (2, robot.nq)):
        X = np.array(robot.evaluate("pose", q.tolist(), frame=case.frame), float)
        flat = X.ravel().tolist()
        series = solver.family.series
        roots = [] if series is None else angles(np.array(series(_pose(flat)), float)).tolist()
        found, errors, reached = _program(solver)(flat, roots)
        valid = [x for x, yes in zip(found, reached, strict=True) if yes == 1.0]
        assert len(valid) == case.most or series is not None or len(valid) % 2 == 0
        for x in valid:
            Y = np.array(robot.evaluate("pose", list(map(float, x)), frame=case.frame), float)
            assert np.abs(X - Y)[part].max() < 1e-9
        assert joint_gap(case.kinds, np.array(valid), q).min() < 1e-6
        assert all(e < 1e-9 or np.isnan(e) for e, yes in zip(errors, reached, strict=True) if yes)


def test_solutions_that_need_roots_first_are_no_straight_program() -> None:
    quartic, numeric = (closed_form(random_arm(31, **options), "tool") for options in ({"meet": (0, 1, 2)}, {}))
    assert quartic.family.series is not None and numeric.family.numeric is not None
    for solver in (quartic, numeric):
        with pytest.raises(DegenerateError, match="polynomials"):
            solver.straight_line(single=False)


def test_slides_that_are_parallel_have_no_plane() -> None:
    for axes, said in (([Z, Z], "tool"), ([Z, (0.0, 0.6, 0.8)], "")):
        robot = arm("PP", axes, [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)], Pose.translation(Vec3(0.3, 0.2, 0.1)))
        if said:
            with pytest.raises(DegenerateError, match=said):
                closed_form(robot, "tool")
        else:
            solver = closed_form(robot, "tool")
            assert solver.solutions == 1 and np.allclose(solver(robot.pose([0.3, -0.4], "tool")).q, [[0.3, -0.4]])
