"""The outcome of rollouts: whether loops stay closed, states finite, and energies within what the work done allows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms.constraint_terms import row_names
from sixvec.arguments import Array
from sixvec.errors import level_of_user
from sixvec.kernels.closed_loops import largest_gap
from sixvec.mechanism.constraint_samples import OPEN as SUM_OF_GAPS
from sixvec.mechanism.row_rank import gap_limits
from sixvec.spatial import Vec3
from sixvec.verdict import Verdict, Verdicts

if TYPE_CHECKING:
    from sixvec.robot import Robot

LARGEST = 1e9
"""Positions and velocities beyond this, in rad, m, and per second, are no motion of a robot: at 1e9 rad an angle has
lost half its digits."""

STRIDE = 16
"""Energies are compared every so many steps, and at the last one."""

FAST = 0.02
"""Rad or m in a step.  Robots that move less are resolved by the step, and their energies are not compared."""

BEYOND = 10.0
"""Kinetic energies above this multiple of what the start, gravity and joint forces can give are those of a failure:
explicit methods gain energy, but not tenfold in a useful simulation."""

TURN = 2.0 * np.pi
"""Rad.  Steps in which the angle of a joint changes by this much less or more than its mean velocity says do not
resolve the motion: methods whose energy is bounded would go on, with positions that mean nothing."""

NEVER = np.iinfo(np.int64).max

NOTHING = 1e-12
"""Joules: smaller energies are rounding."""


@dataclass(frozen=True)
class Outcome:
    """States (..., steps, n), held from the step at which a rollout stopped, verdicts and these steps (...,)."""

    q: Array
    v: Array
    verdict: Verdicts
    stopped: NDArray[np.int64]
    """The first step whose state is not valid, or -1."""


@dataclass(frozen=True)
class Run:
    """A rollout to be judged; `tau` are the joint forces if nothing else does work, else None."""

    robot: Robot
    q0: Array
    v0: Array
    q: Array
    v: Array
    dt: Array
    tau: Array | None
    gap: Array | None = None
    """(..., steps): how far held frames are from their places, as a fraction of the size of the robot."""
    lost: NDArray[np.bool_] | None = None
    """(..., steps): after which steps the branch of the motion is not known."""
    weightless: tuple[NDArray[np.bool_], str] | None = None
    """Starts at which accelerations do not exist, and why."""

    def outcome(self) -> Outcome:
        batch = self.q.shape[:-2]
        verdict, stopped = np.zeros(batch, np.int8), np.full(batch, -1, np.int64)
        q, v, reasons = self.q, self.v, []
        finite = np.isfinite(self.q0).all(axis=-1) & np.isfinite(self.v0).all(axis=-1)
        finite = np.broadcast_to(finite, batch)
        verdict[~finite] = Verdict.INVALID
        checks = [self._weightless(), self._diverged(), self._open(), self._drifted(), self._gained()]
        checks += [self._lost_branch(), self._unresolved()]
        steps = [np.where((bad & finite[..., None]).any(axis=-1), bad.argmax(axis=-1), NEVER) for _, bad, _ in checks]
        for (kind, bad, why), at in zip(checks, steps, strict=True):
            failed = (at < NEVER) & (at == np.minimum.reduce(steps)) & (verdict == Verdict.SOLVED)
            if failed.any():
                verdict[failed], stopped[failed] = kind, at[failed]
                reasons.append(why(failed, bad))
        if reasons:
            q, v = (_held(x, x0, stopped) for x, x0 in ((q, self.q0), (v, self.v0)))
            count = int((stopped >= 0).sum())
            which = "stopped" if not batch else f"{count} of {stopped.size} rollouts stopped"
            warnings.warn(
                f"rollout of {self.robot.name}: {which}: {'; '.join(reasons)}.  States are held from there on; see "
                "verdict and stopped of the result",
                RuntimeWarning,
                stacklevel=level_of_user(),
            )
        return Outcome(q, v, verdict, stopped)

    def _diverged(self) -> tuple[Verdict, NDArray[np.bool_], Any]:
        """A state that is not finite stays so: the last one decides."""
        valid = np.ones(self.q.shape[:-1], bool)
        ends = [np.abs(x[..., -1, :]) < LARGEST for x in (self.q, self.v)]
        if not all(x.all() for x in ends):
            for x in (self.q, self.v):
                valid &= (np.abs(x) < LARGEST).all(axis=-1)

        def why(failed: NDArray[np.bool_], bad: NDArray[np.bool_]) -> str:
            step = _first(failed, bad)
            return (
                f"a position or velocity is not finite, or beyond {LARGEST:.0e}, from step {step} on; try a smaller dt"
            )

        return Verdict.DIVERGED, ~valid, why

    def _open(self) -> tuple[Verdict, NDArray[np.bool_], Any]:
        model = self.robot.model
        if not model.closures:
            return Verdict.OPEN, np.zeros(self.q.shape[:-1], bool), None
        gaps = np.asarray(largest_gap(model).call(self.q))

        def why(failed: NDArray[np.bool_], bad: NDArray[np.bool_]) -> str:
            k = _first(failed, bad)
            errors = np.abs(np.asarray(self.robot.closure_error(np.asarray(self.q[..., k, :][failed], float))))
            row = int(np.nanmax(errors / gap_limits(model), axis=0).argmax())
            return f"{row_names(model)[row]} is open by {np.nanmax(errors[:, row]):.3g} m or rad at step {k}"

        with np.errstate(invalid="ignore"):
            return Verdict.OPEN, np.asarray(gaps > 1.0), why

    def _drifted(self) -> tuple[Verdict, NDArray[np.bool_], Any]:
        gap, limit = self.gap, SUM_OF_GAPS * self.robot.model.loop_tolerance

        def why(failed: NDArray[np.bool_], bad: NDArray[np.bool_]) -> str:
            assert gap is not None
            k = _first(failed, bad)
            return (
                f"a held frame is off its place by {np.nanmax(gap[..., k][failed]):.3g} of the robot's size at step {k}"
            )

        if gap is None:
            return Verdict.OPEN, np.zeros(self.q.shape[:-1], bool), why
        with np.errstate(invalid="ignore"):
            return Verdict.OPEN, np.asarray(gap > limit), why

    def _gained(self) -> tuple[Verdict, NDArray[np.bool_], Any]:
        """Steps from which on there is more kinetic energy than its sources can have given."""
        bad = np.zeros(self.q.shape[:-1], bool)

        def why(failed: NDArray[np.bool_], bad: NDArray[np.bool_]) -> str:
            return f"from step {_first(failed, bad)} on the kinetic energy is beyond what the work done allows"

        if self.tau is None or not self._is_fast():
            return Verdict.DIVERGED, bad, why
        some = [*range(0, self.q.shape[-2] - 1, STRIDE), self.q.shape[-2] - 1]
        if self._gains(self.q[..., some, :], self.v[..., some, :], some).any():
            bad = self._gains(self.q, self.v, [*range(self.q.shape[-2])])
        return Verdict.DIVERGED, bad, why

    def _unresolved(self) -> tuple[Verdict, NDArray[np.bool_], Any]:
        """Steps in which joints turn by more than a turn less or more than their mean velocity says."""
        bad = np.zeros(self.q.shape[:-1], bool)
        at_q, at_v = self._angles()
        dt = np.asarray(self.dt, float)[..., None, None]

        def why(failed: NDArray[np.bool_], bad: NDArray[np.bool_]) -> str:
            step = _first(failed, bad)
            return f"velocities of joints change by more than a turn per step in step {step}; try a smaller dt"

        with np.errstate(invalid="ignore", over="ignore"):
            v1, v0, q1, q0 = self.v[..., at_v], self.v0[..., at_v], self.q[..., at_q], self.q0[..., at_q]
            far = np.max(np.abs(q1[..., -1, :] - q0), initial=0.0) > TURN
            if not far and np.max(np.abs(v1[..., -1, :]) * dt[..., 0], initial=0.0) <= TURN:
                return Verdict.DIVERGED, bad, why  # nearly always
            before_q, before_v = (
                np.concatenate([np.broadcast_to(x0[..., None, :], (*x.shape[:-2], 1, x.shape[-1])), x[..., :-1, :]], -2)
                for x0, x in ((q0, q1), (v0, v1))
            )
            bad = (np.abs(q1 - before_q - 0.5 * dt * (before_v + v1)) > TURN).any(axis=-1)
        return Verdict.DIVERGED, bad, why

    def _angles(self) -> tuple[list[int], list[int]]:
        """The coordinates of q that are angles, and those of v that are their rates."""
        model = self.robot.model
        at = [
            (model.q_slices[b.name].start + k, model.v_slices[b.name].start + k)
            for b in model.moving
            if b.joint.nq == b.joint.nv
            for k, s in enumerate(b.joint.screws)
            if s.ang != Vec3.zero()
        ]
        return [i for i, _ in at], [k for _, k in at]

    def _lost_branch(self) -> tuple[Verdict, NDArray[np.bool_], Any]:
        def why(failed: NDArray[np.bool_], bad: NDArray[np.bool_]) -> str:
            return f"at step {_first(failed, bad)} branches of the motion meet, and the velocity selects none of them"

        return Verdict.SINGULAR, np.zeros(self.q.shape[:-1], bool) if self.lost is None else self.lost, why

    def _weightless(self) -> tuple[Verdict, NDArray[np.bool_], Any]:
        bad = np.zeros(self.q.shape[:-1], bool)
        if self.weightless is not None:
            bad |= self.weightless[0][..., None]
        return Verdict.SINGULAR, bad, lambda failed, bad: self.weightless and self.weightless[1]

    def _is_fast(self) -> bool:
        with np.errstate(invalid="ignore", over="ignore"):
            step = np.abs(self.v[..., ::STRIDE, :]).max(initial=0.0), np.abs(self.v[..., -1, :]).max(initial=0.0)
            return not np.max(step) * np.max(self.dt, initial=0.0) <= FAST

    def _gains(self, q: Array, v: Array, at: list[int]) -> NDArray[np.bool_]:
        robot, tau = self.robot, np.asarray(self.tau, float)
        with np.errstate(invalid="ignore", over="ignore"):
            kinetic, first = (np.asarray(robot.kinetic_energy(*x), float) for x in ((q, v), (self.q0, self.v0)))
            # Explicit methods gain speed one step before they fall.
            ahead = robot.integrate(q, v * np.asarray(self.dt)[..., None, None])
            start = np.asarray(robot.potential_energy(self.q0), float)[..., None]
            fallen = np.maximum(*(np.abs(np.asarray(robot.potential_energy(x), float) - start) for x in (q, ahead)))
            source = first[..., None] + np.fmax.accumulate(fallen, axis=-1) + NOTHING
            gains = np.asarray(kinetic > BEYOND * source)
            if not gains.any():
                return gains
            power = np.abs(tau * np.asarray(self.v, float)).sum(axis=-1) * np.asarray(self.dt, float)[..., None]
            return np.asarray(kinetic > BEYOND * (source + np.cumsum(power, axis=-1)[..., at]))


def _first(failed: NDArray[np.bool_], bad: NDArray[np.bool_]) -> int:
    """The earliest step at which one of these rollouts fails."""
    return int(bad[failed].argmax(axis=-1).min())


def _held(x: Array, x0: Array, stopped: NDArray[np.int64]) -> Array:
    """A path whose states from the step at which it stopped are those before it."""
    steps = np.arange(x.shape[-2])
    start = np.broadcast_to(x0, (*x.shape[:-2], x.shape[-1]))[..., None, :]
    last = np.where(stopped < 0, steps[-1], stopped - 1)[..., None]
    at = np.minimum(steps, last)
    reached = np.take_along_axis(x, np.maximum(at, 0)[..., None], axis=-2)
    return np.asarray(np.where((at < 0)[..., None], start, reached), x.dtype)
