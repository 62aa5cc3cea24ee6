"""Many environments of one robot, stepped together: states stay in arrays from call to call."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, Literal

import numpy as np

from sixvec.arguments import Array, real_array
from sixvec.arguments.answering import OF_BATCHES, Answering
from sixvec.arguments.binding import named_arguments
from sixvec.arguments.checks import positive_number, whole_number
from sixvec.constraints.closed_state import require_closed
from sixvec.constraints.contacts.contact import Obstacle
from sixvec.constraints.contacts.file_contacts import obstacles_of
from sixvec.errors import ArgumentError, ShapeError, unknown
from sixvec.kernels import Port
from sixvec.kernels.function import CompiledFunction
from sixvec.kernels.varied import VariedRobot
from sixvec.lazy import lazy
from sixvec.robot import Robot
from sixvec.sim.actuators import file_actuators
from sixvec.sim.adjoint import Loop
from sixvec.sim.environment_arrays import LIBRARIES, Library, library_for
from sixvec.sim.followed_batch import FollowedBatch
from sixvec.sim.hold_schedule import require_rolling
from sixvec.sim.impulse_problem import ImpulseProblem, Parameters
from sixvec.sim.impulse_step import FAILED, ImpulseStep
from sixvec.sim.start_states import nearest_allowed, noisy_states, position_of_file
from sixvec.verdict import Verdict, tally

MOST_SWEEPS = 50

MOST_ROWS = 2000
"""Rows of contacts, beyond which compiling would take very long."""

Numbers = Any
"""A number, or an array with one for each environment."""


class Batch(Answering):
    """`count` environments of a robot with contacts; `step` advances all of them by `substeps` time steps of `dt`.

    `contacts` and `limits` are as for `robot.rollout`: "file" and "floor" take them from the file, and with either of
    them joints have stops unless `limits` is False.  With `actuators="file"` an action holds a control for each
    actuator of the file, else a force for each joint velocity; it stays the same during the substeps.

    The arrays `q` (count, nq) and `v` (count, nv) are those that steps update: what is written into them counts.
    `force` are the forces of all contacts in the last time step, `residual` (m/s) the largest misfit of their laws in
    the last `step`, `verdict` its outcome for each environment: NOT_CONVERGED if the residual exceeds `tolerance`,
    INVALID for an action that is not finite and DIVERGED for a state that would not be; these two keep their state.

    Environments differ if `friction` (a factor of all coefficients), `gain` (of actuators: (count,) or (count, nu)),
    `gravity` (3 numbers each), `latency` (steps by which actions come late) or the parameters of the robot
    (`robot.with_parameters("inertia").at(values)`) have one entry for each.  `start` is (q, v), for each environment
    or for all; the position of the file at rest by default.  `noise` is the size of random changes of it at a reset,
    which depend on `seed`, the number of the environment and how often it was reset.  Starts have closed loops and
    wheels that roll; those with noise are the nearest such states.

    Results of an environment do not depend, to the last bit, on the others or on their number.

    >>> import numpy, sixvec
    >>> from sixvec import sim
    >>> env = sim.Batch(sixvec.load("double_pendulum"), 3, dt=0.01, substeps=5)
    >>> state = env.step(numpy.zeros((3, 2)))
    >>> state.shape, env.time.tolist()
    ((3, 4), [0.05, 0.05, 0.05])
    """

    _instead = OF_BATCHES

    @named_arguments
    def __init__(
        self,
        robot: Robot,
        count: int,
        *,
        dt: Numbers,
        substeps: int = 1,
        contacts: Literal["file", "floor"] | Sequence[Obstacle] | None = None,
        actuators: Literal["file"] | None = None,
        limits: bool | None = None,
        passive: bool = True,
        start: tuple[Any, Any] | None = None,
        noise: float = 0.0,
        seed: int | Sequence[int] = 0,
        friction: Numbers = None,
        gain: Numbers = None,
        gravity: Any = None,
        latency: Any = 0,
        tolerance: float = 1e-3,
        most_sweeps: int = MOST_SWEEPS,
        dtype: Literal["float64", "float32"] = "float64",
        library: Literal["numpy", "torch", "jax"] = "numpy",
        device: str = "cpu",
    ) -> None:
        if not isinstance(robot, Robot):
            raise ArgumentError(f"Batch takes a robot, not a {type(robot).__name__}")
        if not isinstance(passive, bool):
            raise ArgumentError(f"Batch: passive must be True or False, not {passive!r}")
        if isinstance(noise, bool) or not isinstance(noise, int | float) or not 0.0 <= noise < np.inf:
            raise ArgumentError(f"Batch: noise is {noise!r}; it is a number from zero")
        self._busy = Lock()
        self.count = whole_number("Batch: count", count, least=1)
        self.substeps = whole_number("Batch: substeps", substeps, least=1)
        if dtype not in ("float64", "float32"):
            raise ArgumentError("Batch: " + unknown("dtype", dtype, ("float64", "float32")))
        if library not in LIBRARIES:
            raise ArgumentError("Batch: " + unknown("library", library, LIBRARIES))
        if actuators not in (None, "file"):
            raise ArgumentError("Batch: " + unknown("kind of actuators", actuators, ("file",)))
        self.robot, self.tolerance = robot, positive_number("Batch: tolerance", tolerance, "m/s")
        self._library: Library = library_for(library, device, dtype)
        fixed = robot.fixed if isinstance(robot, VariedRobot) else robot
        stops = contacts is not None if limits is None else limits
        obstacles = obstacles_of(fixed, contacts, stops, "Batch")
        acts = file_actuators(fixed) if actuators == "file" else ()
        parameters = Parameters(robot._kernels.kind, robot._kernels.bodies) if isinstance(robot, VariedRobot) else None
        problem = ImpulseProblem(fixed, obstacles, acts, passive, parameters)
        varying = [name for name, x in (("friction", friction), ("gravity", gravity), ("gain", gain)) if x is not None]
        self._step = ImpulseStep(problem, whole_number("Batch: most_sweeps", most_sweeps, least=1), varying)
        if self._step.size > MOST_ROWS:
            raise ArgumentError(
                f"Batch: {fixed.name} has {self._step.size} rows of contacts, more than {MOST_ROWS}; "
                "give fewer, with contacts=[...]"
            )
        self._loop = Loop(self._step.staged(path=False), self.substeps, len(self._step.state), name="simulation")
        self.action_size = self._step.controls
        # a range would turn infinite controls into its ends
        self._ranged = any(a.control_range for a in problem.actuators)
        self._dt = self._numbers("dt", dt)
        self._known_dt = np.array(dt, float)
        self._duration = np.broadcast_to(self._known_dt * self.substeps, (self.count,)).copy()
        self._inputs = [self._dt, self._library.array(np.array(self.tolerance)), *self._varied(friction, gravity, gain)]
        self._start = self._starts(start)
        self._noise, self._seeds = float(noise), self._seeds_of(seed)
        self._latency = self._delays(latency)
        self._resets = np.zeros(self.count, np.int64)
        of = self._library.zeros
        self._q, self._v = self._library.pair(self.count, fixed.nq, fixed.nv)
        self.action = self._applied = of(self.count, self.action_size)
        self._impulses, self._worst = of(self.count, self._step.size), of(self.count)
        self._activation = [of(self.count, self.action_size)] * self._step.dynamic
        self.time = np.zeros(self.count)
        self.reset()

    def _numbers(self, name: str, x: Numbers, *shape: int) -> Any:
        """A number for all environments, or one for each."""
        if name == "dt":
            try:
                known = np.asarray(x, float)
            except (TypeError, ValueError):
                raise ArgumentError(
                    f"Batch: dt is {x!r}; it is a time step in seconds, or one for each environment"
                ) from None
            if not (np.isfinite(known) & (known > 0.0)).all():
                raise ArgumentError(f"Batch: dt is {x}; a time step must be positive and finite, in seconds")
        known = real_array(f"Batch: {name}", x, *shape)
        if (known.ndim > len(shape) and known.shape[0] != self.count) or known.ndim > len(shape) + 1:
            raise ShapeError(f"Batch: {name} has shape {known.shape}; it is {shape} or {(self.count, *shape)}")
        if not np.isfinite(known).all():
            raise ArgumentError(f"Batch: {name} is not finite")
        return self._library.array(known)

    def _varied(self, friction: Any, gravity: Any, gain: Any) -> list[Any]:
        values_of_each = []
        if friction is not None:
            if (real_array("Batch: friction", friction) < 0.0).any():
                raise ArgumentError(f"Batch: friction is {friction}; a factor of friction is zero or more")
            values_of_each.append(self._numbers("friction", friction))
        if gravity is not None:
            values_of_each.append(self._numbers("gravity", gravity, 3))
        if gain is not None:
            factors = real_array("Batch: gain", gain)
            if factors.ndim < 2:
                factors = np.broadcast_to(factors[..., None], (*factors.shape, self.action_size))
            values_of_each.append(self._numbers("gain", factors, self.action_size))
        if self._step.problem.parameters is not None:
            assert isinstance(self.robot, VariedRobot)
            values = np.array(self.robot.parameter_values, float)
            values_of_each.append(self._numbers("parameters of the robot", values, self._step.problem.parameters.count))
        return values_of_each

    def _starts(self, start: Any) -> tuple[Any, Any]:
        model = self._step.problem.model
        if start is None:
            q, v = position_of_file(model), np.zeros(model.nv)
            q = self._fixed.assemble(q).q if model.closures else q
        else:
            if not isinstance(start, tuple | list) or len(start) != 2:
                raise ArgumentError("Batch: start is a pair (q, v)")
            q = real_array("Batch: start q", start[0], model.nq)
            v = real_array("Batch: start v", start[1], model.nv)
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise ArgumentError("Batch: start is not finite")
        require_closed(self._fixed, q, v, "Batch: at the start")
        require_rolling(self._fixed, self._fixed.model.rolling, q, v, "Batch")
        try:
            return np.broadcast_to(q, (self.count, model.nq)), np.broadcast_to(v, (self.count, model.nv))
        except ValueError:
            raise ShapeError(f"Batch: start has states for another number of environments than {self.count}") from None

    def _seeds_of(self, seed: Any) -> Any:
        seeds = np.asarray(seed)
        if seeds.dtype.kind not in "iu" or seeds.shape not in ((), (self.count,)):
            raise ArgumentError(f"Batch: seed is {seed!r}; it is a whole number, or one for each environment")
        each = np.arange(self.count) if not seeds.shape else np.zeros(self.count, int)
        return np.stack([np.broadcast_to(seeds, (self.count,)), each], axis=1)

    def _delays(self, latency: Any) -> Any:
        """The last actions, and how many steps late each environment gets them; None without latency."""
        steps = np.asarray(latency)
        if steps.dtype.kind not in "iu" or steps.shape not in ((), (self.count,)) or (steps < 0).any():
            raise ArgumentError(
                f"Batch: latency is {latency!r}; it is a number of steps, 0, 1, …, or one for each environment"
            )
        if not steps.any():
            return None
        return np.broadcast_to(steps, (self.count,)), []

    def reset(self, mask: Any = None, *, seed: int | Sequence[int] | None = None) -> Any:
        """Put all environments, or those of a mask (count,), back to the start; the state (count, nq + nv)."""
        if seed is not None:
            self._seeds, self._resets = self._seeds_of(seed), np.zeros(self.count, np.int64)
        chosen = np.ones(self.count, bool) if mask is None else self._library.numpy(mask)
        if chosen.dtype != bool or chosen.shape != (self.count,):
            raise ShapeError(
                f"Batch: mask has shape {chosen.shape} and type {chosen.dtype}; it is ({self.count},) booleans"
            )
        rows = np.flatnonzero(chosen)
        if rows.size:
            q, v = (x[rows] for x in self._start)
            if self._noise:
                start = q, v
                q, v = noisy_states(self._fixed, q, v, self._noise, self._seeds[rows], self._resets[rows])
                if self._step.problem.closed:
                    q, v = self._nearest_allowed(q, v, *start)
            self._resets[rows] += 1
            put = self._library.put
            self._q, self._v = put(self._q, rows, q), put(self._v, rows, v)
            self._impulses, self._worst = put(self._impulses, rows, 0.0), put(self._worst, rows, 0.0)
            self._activation = [put(x, rows, 0.0) for x in self._activation]
            self.time[rows] = 0.0
            if self._latency:
                self._latency[1][:] = [put(x, rows, 0.0) for x in self._latency[1]]
        return self.state

    def step(self, action: Any, state: Any = None, **numbers: Any) -> Any:
        """Advance all environments with an action (count, nu), or one for all; the state (count, nq + nv).

        With a `state` (..., nq + nv), in torch and JAX, it is a function, with derivatives with respect to all that is
        given: nothing is read from the arrays of the batch nor written to them, and actions come without latency.
        `numbers` then replace those of the batch: dt, friction, gravity (..., 3), gain (..., nu), and the parameters of
        bodies (..., n).  Activations of actuators are the last entries of such a state.  Where a step is not solved to
        `tolerance` the result is NaN.  docs/contact_gradients.md says what such derivatives mean.

        >>> import jax, numpy, sixvec
        >>> from sixvec import sim
        >>> with jax.enable_x64(True):
        ...     env = sim.Batch(sixvec.load("double_pendulum"), 1, dt=0.01, substeps=5, library="jax")
        ...     jax.jacrev(env.step)(numpy.zeros(2), env.state[0]).shape
        (4, 2)
        """
        if state is not None or numbers:
            if self._latency:
                raise ArgumentError("Batch: a step from a given state has no last actions, which latency needs")
            return self._followed.state_after(self._worst, state, action, numbers)
        if not self._busy.acquire(False):
            raise ArgumentError(
                "Batch: another thread is in a step of these environments; make a batch for each thread"
            )
        try:
            return self._stepped(action)
        finally:
            self._busy.release()

    def _stepped(self, action: Any) -> Any:
        self.action = self._library.copied(self._library.action(action, self.count, self.action_size))
        applied = self._delayed(self.action) if self._latency else self.action
        self._applied = self._library.finite(applied) if self._ranged else applied
        state = [self._q, self._v, self._impulses, self._library.zero_like(self._worst), *self._activation]
        new = self._library.run(self._loop, state, [*self._inputs, self._applied])
        self._q, self._v, self._impulses, self._worst, *self._activation = new
        np.add(self.time, self._duration, self.time)
        return self.state

    @lazy
    def _followed(self) -> FollowedBatch:
        names = ("dt", *(p.name for p in self._step.kept))
        values = (self._inputs[0], *self._inputs[2:])
        options = self._step.problem, self._step.most, self.substeps, self.tolerance
        return FollowedBatch(*options, dict(zip(names, values, strict=True)))

    def _delayed(self, action: Any) -> Any:
        steps, last = self._latency
        last.insert(0, self._library.copied(action))
        del last[int(steps.max()) + 1 :]
        none = self._library.zeros(self.count, self.action_size)
        result = none
        for k in np.unique(steps):
            rows = np.flatnonzero(steps == k)
            source = last[k] if k < len(last) else none
            result = self._library.put(result, rows, source[rows])
        return result

    @property
    def dt(self) -> Array:
        """The time step in seconds, or one for each environment (count,): a copy."""
        return self._known_dt.copy()

    @property
    def q(self) -> Any:
        """Positions (count, nq): the array itself, to read and to write into."""
        return self._q

    @property
    def v(self) -> Any:
        """Velocities (count, nv): the array itself."""
        return self._v

    @property
    def impulses(self) -> Any:
        """The impulses of all rows in the last time step: the array itself."""
        return self._impulses

    @property
    def _fixed(self) -> Robot:
        return self.robot.fixed if isinstance(self.robot, VariedRobot) else self.robot

    @property
    def state(self) -> Any:
        """q and v of all environments side by side (count, nq + nv): a copy."""
        return self._library.joined(self._q, self._v)

    @property
    def residual(self) -> Any:
        """The largest misfit of the laws in the last step, in m/s or rad/s; infinite where the state was kept."""
        return self._library.where_large(self._worst, FAILED)

    @property
    def force(self) -> Any:
        """The forces in the last time step: normal and two tangents of each contact point, then those of joints."""
        return self._library.run_plain(self._placing, [self._impulses, self._dt])

    @lazy
    def _nearest_allowed(self) -> CompiledFunction:
        return nearest_allowed(self._step.problem.rows)

    @lazy
    def _placing(self) -> CompiledFunction:
        step = self._step

        def contact_forces(p: Any, dt: Any) -> Any:
            return [x / dt for x in step.problem.layout.placed(p, [], 0.0)[0]]

        ports = (Port("p", (step.size,)), Port("dt", ()))
        return CompiledFunction(contact_forces, ports, (step.force,), f"{step.identity} forces")

    @property
    def verdict(self) -> Any:
        """The outcome of the last step for each environment (count,)."""
        worst = self._library.numpy(self._worst)
        verdict = np.where(worst > self.tolerance, Verdict.NOT_CONVERGED, Verdict.SOLVED).astype(np.int8)
        failed = worst >= FAILED
        if failed.any():
            fine = np.isfinite(self._library.numpy(self._applied)).all(axis=-1)
            verdict[failed] = np.where(fine[failed], Verdict.DIVERGED, Verdict.INVALID)
        return verdict

    @property
    def action_limits(self) -> tuple[Any, Any]:
        """The lowest and the highest actions (nu,): the ranges of controls, or the largest joint forces."""
        problem = self._step.problem
        if problem.actuators:
            ranges = [a.control_range or (-np.inf, np.inf) for a in problem.actuators]
            low, high = np.array(ranges, float).T
            return low, high
        limits = np.asarray(self._fixed.effort_limits, float)
        return -limits, limits

    def __reduce__(self) -> Any:
        raise TypeError("a Batch cannot be copied or pickled; make one where it is needed, and write q and v into it")

    def __repr__(self) -> str:
        return f"<Batch of {self.count} {self._fixed.name}: {tally(self.verdict)}>"
