"""Held frames and loops: ours against the faster of Pinocchio's `constraintDynamics` and `lcaba`, and derivatives."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from constrained_robots import LEGGED, MECHANISMS, Constrained, build
from ours import set_threads
from result import Row, timing_row
from selection import Selection
from targets import constraint_derivatives_target, constraints_target
from timing import Effort, interleaved, storing_loop, sweep

SECTION = "constraints"
OURS = "sixvec"
AGREEMENT = 1e-6
"""Scaled: their proximal iterations stop at 1e-10, and rows of a humanoid have condition numbers of 1e4."""

LOOPED = 256
"""States of a loop of Pinocchio's calls: a call costs the same whatever their number."""


def rows(effort: Effort, selection: Selection, left_out: dict[str, str]) -> Iterator[Row]:
    """For each robot a row for the batch, one for the single call, and one for derivatives."""
    for name in (*LEGGED, *MECHANISMS):
        labels = [(name, label) for label in ("batch", "single", "derivatives")]
        wanted = [label for label in labels if selection.wants(SECTION, *label)]
        if not wanted:
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                robot = build(name, Path(folder))
        except (ImportError, FileNotFoundError, SystemExit) as error:
            left_out[f"{SECTION}, {name}"] = repr(error)
            continue
        set_threads(1)
        for _, label in wanted:
            yield {"batch": _batch, "single": _single, "derivatives": _derivatives}[label](robot, effort)


def _peers(robot: Constrained, states: Any, run: Callable[..., Any]) -> dict[str, Callable[[], object]]:
    import pinocchio as pin

    calls = robot.theirs(*states)
    out = [np.zeros((len(calls), robot.robot.nv))]
    return {name: run(getattr(pin, name), calls, out) for name in ("constraintDynamics", "lcaba")}


def _difference(robot: Constrained, states: Any) -> float:
    """Of accelerations, scaled."""
    import pinocchio as pin

    q, v, tau = (x[:4] for x in states)
    found = robot.robot.constrained_dynamics(q, v, tau, hold=robot.hold).a[:, robot.order]
    expected = np.array([pin.constraintDynamics(*call) for call in robot.theirs(q, v, tau)])
    return float((np.abs(found - expected).max(axis=1) / (1.0 + np.abs(expected).max(axis=1))).max())


def _batch(robot: Constrained, effort: Effort) -> Row:
    states = robot.states(effort.batch)
    told: dict[str, Any] = {"errors": {OURS: (error := _difference(robot, states))}}
    target = constraints_target(robot.name, single=False)
    if error > AGREEMENT:
        return Row(SECTION, robot.name, "batch", "x", None, target, note=f"differs by {error:.1e}", failed=True)
    kernel = robot.robot.kernel("constrained_dynamics", hold=robot.hold)
    some = [x[:LOOPED] for x in states]
    timed = interleaved({OURS: lambda: kernel(*states), **_peers(robot, some, storing_loop)}, effort)
    seconds = {name: each / (effort.batch if name == OURS else LOOPED) for name, each in timed.items()}
    return timing_row(SECTION, robot.name, "batch", seconds, OURS, target=target, **told)


def _single(robot: Constrained, effort: Effort) -> Row:
    states = robot.states(effort.pool)
    kernel = robot.robot.kernel("constrained_dynamics", hold=robot.hold)
    ours = sweep(kernel, list(zip(*states, strict=True)))
    peers = _peers(robot, states, lambda function, calls, _: sweep(function, calls))
    timed = interleaved({OURS: ours, **peers}, effort)
    seconds = {name: each / effort.pool for name, each in timed.items()}
    return timing_row(SECTION, robot.name, "single", seconds, OURS, target=constraints_target(robot.name, single=True))


def _derivatives(robot: Constrained, effort: Effort) -> Row:
    import pinocchio as pin

    count = min(effort.batch, 1024)
    states = robot.states(count)
    q, v, tau = states
    kernel = robot.robot.kernel("constrained_dynamics_derivatives", hold=robot.hold).in_place(count)
    found, calls = kernel(q, v, tau), robot.theirs(*(x[:LOOPED] for x in states))

    def derivatives(model: Any, data: Any, *given: Any) -> Any:
        pin.constraintDynamics(model, data, *given)
        pin.computeConstraintDynamicsDerivatives(model, data, *given[3:])
        return data.ddq_dq, data.ddq_dv, data.ddq_dtau, data.dlambda_dq, data.dlambda_dv, data.dlambda_dtau

    expected = derivatives(*calls[0])
    target = constraint_derivatives_target(robot.robot.nv)
    mine = found.da_dtau[0][np.ix_(robot.order, robot.order)]
    error = float(np.abs(mine - expected[2]).max() / (1.0 + np.abs(expected[2]).max()))
    if error > AGREEMENT:
        return Row(SECTION, robot.name, "derivatives", "x", None, target, note=f"differs by {error:.1e}", failed=True)
    outs = [np.zeros((LOOPED, *x.shape)) for x in expected]
    theirs = {"computeConstraintDynamicsDerivatives": storing_loop(derivatives, calls, outs)}
    timed = interleaved({OURS: lambda: kernel(q, v, tau), **theirs}, effort)
    seconds = {name: each / (count if name == OURS else LOOPED) for name, each in timed.items()}
    return timing_row(
        SECTION, robot.name, "derivatives", seconds, OURS, target=target, errors={OURS: error}, note=f"batch of {count}"
    )
