"""Constraints that cannot be met, bodies without mass, starts that are open: residuals and refusals, never NaN."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.errors import ArgumentError, DtypeError, ModelError
from sixvec.model import Body, Closure, Differential, Gear, Model
from sixvec.model.joints import Free
from sixvec.spatial import RigidInertia, Sym3, Vec3

NOTHING = RigidInertia.from_center_of_mass(0.0, Vec3.zero(), Sym3.zero())


def closed(robot: sv.Robot) -> np.ndarray:
    return robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q


@pytest.mark.covers("CON-05")
@pytest.mark.parametrize("method", ["kkt", "recursion"])
@pytest.mark.parametrize(
    ("name", "hold"),
    [
        ("planar_2r", {"tip": ("x", "z", "turn y")}),  # three rows, two joints
        ("planar_2r", {"base": "point"}),  # what no joint moves
        ("four_bar", {"rocker_end": "weld"}),  # a linkage that is locked
        ("solo12", {"base_link": "weld", "FL_FOOT": "weld", "FR_FOOT": "weld"}),  # legs of three joints, six rows each
    ],
    ids=str,
)
def test_rows_out_of_reach_leave_a_residual_that_is_theirs(name: str, hold: dict, method: str) -> None:
    robot = sv.load(name)
    q = closed(robot) if robot.model.closures else robot.neutral()
    q = q + 0.3 if name == "planar_2r" else q
    options = {"hold": held_frames(robot.model, hold), "method": method}
    rows = len(robot.constraint_names(hold=hold))
    target, rest = np.arange(1.0, rows + 1.0), [0.0] * robot.nv
    loops = sum(c.constraints for c in robot.model.closures)
    target[:loops] = 0.0
    a, force, residual = robot.evaluate(
        "constrained_dynamics", q.tolist(), rest, rest, target=target.tolist(), **options
    )
    assert np.isfinite([*a, *force, residual]).all()
    A = np.array(robot.evaluate("constraint_jacobian", q.tolist(), hold=options["hold"]), float)
    assert residual == pytest.approx(np.abs(A @ np.array(a, float) - target).max(), rel=1e-9)
    assert residual > 0.1


@pytest.mark.parametrize("name", ["coupler", "rocker"])
def test_a_link_of_a_loop_without_mass_is_named(name: str) -> None:
    robot = sv.load("four_bar")
    light = tuple(replace(b, inertia=NOTHING) if b.name == name else b for b in robot.model.bodies)
    empty = sv.Robot(replace(robot.model, bodies=light))
    rest, q = [0.0] * 3, closed(robot).tolist()
    for call in ("forward_dynamics", "constrained_dynamics", "forward_dynamics_derivatives"):
        with pytest.raises(ModelError, match=name):
            empty.evaluate(call, q, rest, rest)
    with pytest.raises(ModelError, match=name):
        empty.rollout(q, rest, rest, 1e-3, steps=1)
    with pytest.raises(ModelError, match=name):
        empty.evaluate("wrench_response", q, frame="coupler_end")
    assert np.isfinite(empty.evaluate("inverse_dynamics", q, rest, rest)).all()  # needs none
    assert sv.constraints.report(empty, q).freedoms == 1


def test_a_floating_body_without_mass_or_extent_is_named() -> None:
    point = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.zero())
    for inertia in (NOTHING, point):
        robot = sv.Robot(Model("speck", (Body("speck", None, Free(), inertia=inertia),)))
        hold = held_frames(robot.model, {"speck": "point"})
        with pytest.raises(ModelError, match="speck"):
            robot.evaluate("constrained_dynamics", robot.neutral().tolist(), [0.0] * 6, [0.0] * 6, hold=hold)


def test_a_sample_that_is_no_number_spoils_no_other() -> None:
    robot = sv.load("planar_2r")
    q = np.array([[np.nan, 0.7], [0.3, 0.7]])
    r = robot.constrained_dynamics(q, np.zeros(2), np.zeros(2), hold={"tip": ("x",)})
    assert np.isnan(r.residual[0]) and np.isfinite(r.a[1]).all() and r.residual[1] < 1e-9


def test_open_starts_raise_with_what_is_open() -> None:
    robot = sv.load("four_bar")
    q, rest = robot.neutral(), np.zeros(3)
    batch = np.stack([closed(robot), q])
    for call in (
        lambda: robot.rollout(q, rest, rest, 1e-3, steps=1),
        lambda: robot.rollout(batch, rest, rest, 1e-3, steps=1, integrator="symplectic_euler"),
        lambda: sv.constraints.independent_dynamics(robot, q, rest),
    ):
        with pytest.raises(ArgumentError, match=named("coupler_pin", "x")):
            call()
    with pytest.raises(ArgumentError, match=named("rollout", "coupler_pin")):
        robot.rollout(batch[0], np.ones(3), rest, 1e-3, steps=1)


def test_a_report_needs_one_finite_position() -> None:
    bars = sv.load("four_bar")
    with pytest.raises(ArgumentError, match=named("report", "q")):
        sv.constraints.report(bars, [np.nan, 0.0, 1.0])
    with pytest.raises(DtypeError, match=named("report", "q", "a")):
        sv.constraints.report(bars, "a")
    with pytest.raises(ArgumentError, match=named("report", "tolerance")):
        sv.constraints.report(bars, [0.7, 0.0, 1.0], tolerance=-1)


def test_guesses_that_are_not_numbers_are_named() -> None:
    bars = sv.load("four_bar")
    for call in (bars.assemble, lambda q: sv.constraints.assembled(bars, q)):
        with pytest.raises(DtypeError, match=named("q", "a")):
            call("a")
    with pytest.raises(DtypeError, match=named("assemble", "tolerance", "a")):
        bars.assemble([0.7, 0.0, 1.0], tolerance="a")


@pytest.mark.parametrize(
    ("closure", "message"),
    [
        (Gear("g", "rocker", "rocker", 2.0), named("g", "rocker")),
        (Differential("d", (("rocker", 1.0), ("rocker", -1.0))), named("d", "rocker")),
        (Closure("c", "rocker_end", "rocker_end"), named("c", "rocker_end")),
    ],
)
def test_closures_between_a_thing_and_itself_raise(closure: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        replace(sv.load("four_bar").model, closures=(closure,))


def test_reports_name_the_rows_that_follow_from_others() -> None:
    """Of a planar arm with two joints: x and y at the tip fix it, and so the angle; nothing moves it along z."""
    arm = sv.load("planar_2r")
    found = sv.constraints.report(arm, [0.3, 0.8], {"tip": ("x", "y", "turn z", "z")})
    x, y, turn, z = found.names
    assert found.names == ("tip: x", "tip: y", "tip: turn about z", "tip: z")
    assert (found.rank, found.freedoms, found.redundant) == (2, 0, {turn: (x, y), z: ()})
    assert str(found).splitlines() == [
        "4 rows of rank 2, 0 freedoms left",
        "  tip: turn about z follows from tip: x, tip: y",
        "  tip: z: no joint moves it",
    ]
    assert repr(found) == "<ConstraintReport: 4 rows of rank 2, 0 freedoms left>"
    stretched = sv.constraints.report(
        arm, [0.3, 0.0], {"tip": ("x", "y", "turn z")}
    )  # x is along the arm, which cannot get longer
    assert stretched.redundant == {"tip: x": ()} and stretched.freedoms == 0
    assert str(sv.constraints.report(arm, [0.3, 0.8], {"tip": ("y",)})) == "1 rows of rank 1, 1 freedom left"
    assert sv.constraints.report(arm, [0.3, 0.8]).freedoms == 2
