"""Loops: states in which they are closed, and the equations of their dynamics."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sixvec.analysis.verify.check import Identity, MeasuredStatement, Sides, Subject, apply, rate, size
from sixvec.analysis.verify.equations import Equations
from sixvec.analysis.verify.identities import DIFFERENCE
from sixvec.analysis.verify.state import Array, State, random_states
from sixvec.mechanism.row_rank import exact_equations, exact_rows, gap_limits
from sixvec.model.edits import without_closures
from sixvec.robot import Robot
from sixvec.verdict import Verdict

SATISFIED = 1e-8
"""Forces of redundant rows are regularised: a residual of the rows is that of an iteration, not of rounding."""

STARTS = 40
"""Random positions from which a closed one is sought."""

DEPENDENT = 1e-8
"""Singular values of exact rows below this fraction of the largest one are rounding."""


def closed_states(robot: Robot, count: int) -> tuple[State, float]:
    """Up to `count` states with closed loops, and rates that keep them closed; and the least gap that was found.

    The first start is the neutral position, at which files draw a mechanism.  There are none if no start converges.
    """
    q, v, a = random_states(robot, STARTS)
    q[0] = robot.neutral()
    assembly = robot.assemble(q)
    gap = float(np.fmin.reduce(assembly.residual, initial=np.inf))
    closed = np.flatnonzero(assembly.verdict == Verdict.SOLVED)[:count]
    q, v, a = assembly.q[closed], v[closed], a[closed]
    A = exact_rows(robot.model, robot.constraint_jacobian(q))
    inverse = np.linalg.pinv(A, rcond=DEPENDENT)
    v = v - apply(inverse @ A, v)
    return State(q, v, a - apply(inverse, apply(A, a) + robot.constraint_bias(q, v))), gap


def rate_of_error(s: Subject) -> Sides:
    q, v, _ = s.state
    change = rate(lambda h: s.robot.closure_error(s.robot.integrate(q, h * v)), q)
    gap_rate = apply(s.robot.closure_jacobian(q), v)
    return Sides(gap_rate, change, size(gap_rate))


class Driven(NamedTuple):
    """The open tree, its accelerations, and the joint forces that cause them: loops change those accelerations."""

    tree: Any
    free: Array
    tau: Array


def driven(s: Subject) -> Driven:
    """Forces for accelerations of the open tree within ±1, so that neither dwarfs the velocity terms of the loops."""
    tree: Any = Equations(Robot(without_closures(s.robot.model)))
    free = random_states(s.robot, len(s.state.q)).a
    return Driven(tree, free, tree.inverse_dynamics(s.state.q, s.state.v, free))


def loops_stay_closed(s: Subject) -> Sides:
    """A a + γ, relative to the acceleration of the open tree too: loops may leave none, as in a truss."""
    q, v, _ = s.state
    _, free, tau = driven(s)
    a = s.robot.forward_dynamics(q, v, tau)
    A = s.robot.constraint_jacobian(q)
    residual = exact_equations(s.robot.model, A, apply(A, a) + s.robot.constraint_bias(q, v))[1]
    return Sides(residual, np.zeros_like(residual), size(a) + size(free))


def only_rows_push(s: Subject) -> Sides:
    """M a + bias - τ = Aᵀ λ for some λ: only τ and loop forces act on the closed robot."""
    q, v, _ = s.state
    tree, _, tau = driven(s)
    missing = tree.inverse_dynamics(q, v, s.robot.forward_dynamics(q, v, tau)) - tau
    rows = np.swapaxes(exact_rows(s.robot.model, s.robot.constraint_jacobian(q)), -1, -2)
    force = apply(np.linalg.pinv(rows, rcond=DEPENDENT), missing)
    return Sides(apply(rows, force), missing, size(missing) + size(tau))


CLOSURE = ("e(q) = 0", "some position closes all loops")
OPENED = Identity("de/dt = J v", "velocity of the loops' errors", DIFFERENCE, rate_of_error)
LOOPS = (
    Identity("A a + γ = 0", "forward dynamics keeps the loops closed", SATISFIED, loops_stay_closed),
    Identity("M a + bias - τ = Aᵀ λ", "nothing but the loops pushes", SATISFIED, only_rows_push),
)


def loop_findings(robot: Robot, frame: str, samples: int) -> list[MeasuredStatement]:
    """The rows of the loops at open states, whether they can be closed, and dynamics at closed states."""
    findings = [OPENED.evaluate(Subject(robot, frame, random_states(robot, samples)))]
    state, gap = closed_states(robot, samples)
    limit = float(gap_limits(robot.model).max(initial=0.0))
    if not len(state.q):
        tried = f"none of {STARTS} random starts leads to a position with closed loops"
        text = f"{tried}; the least gap found is {gap:.3g} m or rad"
        findings.append(MeasuredStatement(*CLOSURE, gap, limit, text))
        note = "no position with closed loops was found"
        return findings + [MeasuredStatement(each.equation, each.meaning, None, each.tolerance, note) for each in LOOPS]
    findings.append(MeasuredStatement(*CLOSURE, gap, limit))
    return findings + [each.evaluate(Subject(robot, frame, state)) for each in LOOPS]
