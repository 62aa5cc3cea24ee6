"""The equations of every family on plain numbers, without the compiler: all families, every day."""

from __future__ import annotations

import numpy as np
import pytest
from multi_start import joint_gap
from sample_arms import random_arm
from test_families_complete import GANTRIES, PLANAR, SCARA, TIPS, WRISTED, Case

import sixvec
from sixvec.errors import DegenerateError
from sixvec.ik.closed_form import closed_form
from sixvec.ik.closed_form.closed_form import _pose, _program
from sixvec.ik.closed_form.quartic import angles

SIX = [
    Case(f"{kind}-{first + 1}", 6 * "R", lambda b=(first, first + 1, first + 2), k=kind: random_arm(31, **{k: b}), 8)
    for kind in ("meet", "parallel")
    for first in range(4)
]
BUILT_IN = [
    Case("puma560", 6 * "R", lambda: sixvec.load("puma560"), 8, "link6"),
    Case("ur5e", 6 * "R", lambda: sixvec.load("ur5e"), 8, "tool0"),
]


@pytest.mark.covers("FORM-02", "FORM-05")
@pytest.mark.parametrize(
    "case", [*SIX, *BUILT_IN, *WRISTED, *TIPS, *GANTRIES, *PLANAR, *SCARA], ids=lambda case: case.name
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
        with pytest.raises(DegenerateError, match="needs the roots of polynomials first"):
            solver.straight_line(single=False)
