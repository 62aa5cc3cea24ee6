"""Lagrange's equations with conditions on positions and velocities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import Array, positive_number, real_array
from sixvec.arguments.result import Result
from sixvec.constraints.pfaffian import PfaffianConstraint
from sixvec.errors import ArgumentError, DegenerateError, unknown
from sixvec.kernels.as_robot import as_robot
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.robot import Robot
from sixvec.sim.integrators import DEFAULT, INTEGRATORS
from sixvec.sim.step_options import Trajectory
from sixvec.solve.gauss_newton import Rows, gauss_newton
from sixvec.theory.lagrange.conditions import Conditions, Forms, Positions
from sixvec.theory.lagrange.inputs import vectors
from sixvec.tolerances import CLOSED, ROUNDING


@dataclass(frozen=True, eq=False, repr=False)
class LagrangeMotion(Result):
    """Accelerations (..., nv), multipliers φ (..., m) and the forces of constraint A φ (..., nv)."""

    a: Array
    multipliers: Array
    force: Array


@dataclass(frozen=True, eq=False)
class Projected(Result):
    """The nearest state that satisfies the conditions: positions (..., nq), velocities (..., nv)."""

    q: Array
    v: Array
    residual: Array
    """The largest remaining error of a condition on positions, (...)."""

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Where the conditions are satisfied."""
        return np.asarray(self.residual <= CLOSED)

    def __repr__(self) -> str:
        return f"<Projected: {int(self.solved.sum())} of {self.residual.size} on the conditions>"


class ConstrainedLagrange:
    """A robot that satisfies m conditions: h(q) = 0 on positions, Aᵀ(q) v = 0 on velocities alone (Bruyninckx §6.9.3).

        M a + c + g = τ + A φ        Aᵀ a = -Ȧᵀ v

    Bruyninckx (6.60) prints Aᵀ φ for A φ.  `forms(q)` returns rows of Aᵀ, each with nv entries, and `positions(q)` the
    entries of h, whose rows Aᵀ = ∂h/∂q follow; both are written on scalars, like an algorithm, so that all derivatives
    come from automatic differentiation.  Conditions on positions come first in φ.

    A simulation satisfies Aᵀ v = 0 only to the integrator's order, and h drifts with time: `rollout` enforces both by
    `projection`, and `stabilisation` makes errors decay (Bruyninckx §6.10).

    >>> import sixvec
    >>> from sixvec.theory.lagrange import ConstrainedLagrange
    >>> arm = sixvec.load("planar_2r").with_gravity([0.0, 0.0, 0.0])
    >>> geared = ConstrainedLagrange(arm, lambda q: [[2.0, 1.0]])  # the elbow turns back twice as fast
    >>> geared.forward_dynamics([0.3, 0.4], [0.0, 0.0], [1.0, 0.0]).a @ [2.0, 1.0] < 1e-12
    np.True_
    >>> held = ConstrainedLagrange(arm, positions=lambda q: [2.0 * q[0] + q[1] - 1.0])
    >>> held.projected([0.3, 0.3], [0.0, 0.0]).solved
    array(True)
    """

    def __init__(self, robot: Robot | Model, forms: Forms | None = None, *, positions: Positions | None = None) -> None:
        self.robot = robot = as_robot(robot, "ConstrainedLagrange")
        require_unconstrained(robot.model, "ConstrainedLagrange")
        self._conditions = Conditions(robot, forms, positions)
        self.conditions = self._conditions.count

    def forms(self, q: ArrayLike) -> Array:
        """Aᵀ(q): (..., m, nv)."""
        return self._conditions.forms(q)

    def error(self, q: ArrayLike) -> Array:
        """h(q), (..., m); zero for conditions on velocities alone."""
        (q,) = vectors("error", q=(q, self.robot.nq))
        return self._conditions.error(q)

    def constraint(self, q: ArrayLike) -> PfaffianConstraint:
        """The conditions at one position, in the form of `sixvec.constraints`."""
        return PfaffianConstraint(tuple(map(tuple, self.forms(q).tolist())))

    def drift(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Ȧᵀ v: the bias of the conditions at this velocity, (..., m)."""
        return self._conditions.drift(q, v)

    def violation(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Aᵀ v, zero for velocities that the conditions allow."""
        q, v = vectors("violation", q=(q, self.robot.nq), v=(v, self.robot.nv))
        return np.asarray(np.einsum("...mn,...n->...m", self.forms(q), v))

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, stabilisation: float = 0.0
    ) -> LagrangeMotion:
        """Accelerations and forces of constraint; with `stabilisation` α (1/s) errors decay as exp(-α t).

        φ solves (Aᵀ M⁻¹ A) φ = -(Ȧᵀ v + s + Aᵀ a_free), and a = a_free + M⁻¹ A φ.  Baumgarte's s is α Aᵀ v for
        conditions on velocities, which makes their violations satisfy ḣ = -α h, and 2 α Aᵀ v + α² h for those on
        positions, which makes errors critically damped: ḧ + 2 α ḣ + α² h = 0.
        """
        forms = self.forms(q)
        free = np.asarray(self.robot.forward_dynamics(q, v, tau))
        eased, mobility = self._mobility(q, forms)
        excess = self.drift(q, v) + self._baumgarte(q, v, stabilisation) + np.einsum("...mn,...n->...m", forms, free)
        phi = -np.linalg.solve(mobility, excess[..., None])
        force = np.swapaxes(forms, -1, -2) @ phi
        return LagrangeMotion(free + (eased @ phi)[..., 0], phi[..., 0], force[..., 0])

    def projected(self, q: ArrayLike, v: ArrayLike) -> Projected:
        """The state nearest to (q, v), in the metric of the kinetic energy, that satisfies the conditions.

        Newton's steps  q ← q ⊖ M⁻¹ A (Aᵀ M⁻¹ A)⁻¹ h  until |h| is at rounding, then v less M⁻¹ A (Aᵀ M⁻¹ A)⁻¹ Aᵀ v.
        """
        q, v = vectors("projected", q=(q, self.robot.nq), v=(v, self.robot.nv))
        if self._conditions.held:
            q = self._closed(q)
        v = v - self._least(q, self.violation(q, v))
        return Projected(q, v, np.abs(self._conditions.error(q)).max(axis=-1, initial=0.0))

    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: float,
        *,
        integrator: str = "rk4",
        stabilisation: float = 0.0,
        projection: bool = True,
    ) -> Trajectory:
        """Simulate from (q, v) under joint forces tau (..., steps, nv): the states after each step, as `robot.rollout`.

        With `projection` every state is projected onto the conditions, so errors do not grow with time; without it they
        drift, or decay with `stabilisation`.  Runs in Python, step by step.

        >>> import numpy, sixvec
        >>> from sixvec.theory.lagrange import ConstrainedLagrange
        >>> cart = sixvec.load("cart_pole")
        >>> stopped = ConstrainedLagrange(cart, positions=lambda q: [q[0]])
        >>> path = stopped.rollout([0.0, 0.3], [0.0, 0.0], numpy.zeros((100, 2)), 0.01)
        >>> bool(abs(path.q[:, 0]).max() < 1e-12)
        True
        """
        methods = sorted(set(INTEGRATORS) - {DEFAULT})  # that one needs the forces by their kinds
        if integrator not in methods:
            raise ArgumentError("rollout: " + unknown("integrator", integrator, methods))
        forces, dt = real_array("rollout: tau", tau, "steps", self.robot.nv), positive_number("rollout: dt", dt)
        model, step = canonical(self.robot.model), INTEGRATORS[integrator]
        q, v = vectors("rollout", q=(q, self.robot.nq), v=(v, self.robot.nv))
        states: list[tuple[Array, Array]] = []
        for k in range(forces.shape[-2]):

            def acceleration(q: Any, v: Any, tau: Array = forces[..., k, :]) -> Any:
                motion = self.forward_dynamics(_stacked(q), _stacked(v), tau, stabilisation=stabilisation)
                return list(np.moveaxis(motion.a, -1, 0))

            moved = step(model, list(np.moveaxis(q, -1, 0)), list(np.moveaxis(v, -1, 0)), dt, acceleration)
            q, v = (_stacked(x) for x in moved)
            if projection:
                closed = self.projected(q, v)
                q, v = closed.q, closed.v
            states.append((q, v))
        batch = np.broadcast_shapes(q.shape[:-1], forces.shape[:-2])
        columns = ([np.broadcast_to(x, (*batch, x.shape[-1])) for x in part] for part in zip(*states, strict=True))
        return Trajectory(*(np.stack(part, axis=-2) for part in columns), dt=np.asarray(dt))

    def _closed(self, q: Array) -> Array:
        """Positions that satisfy the conditions, by steps that are the shortest in the metric of M."""

        def equations(q: Array, rows: Rows) -> tuple[Array, None]:
            return self._conditions.error(q), None

        def step(h: Array, _: Array | None, q: Array, rows: Rows) -> Array:
            return -self._least(q, h)

        def move(q: Array, step: Array, rows: Rows) -> Array:
            return np.asarray(self.robot.integrate(q, step))

        starts = q.reshape(-1, q.shape[-1])
        fit = gauss_newton(starts, equations, step=step, move=move, tolerance=CLOSED, iterations=20)
        return np.asarray(fit.x.reshape(q.shape))

    def _baumgarte(self, q: ArrayLike, v: ArrayLike, alpha: float) -> Array:
        enforced = self._conditions.held
        gain = np.where(np.arange(self.conditions) < enforced, 2.0 * alpha, alpha)
        return np.asarray(gain * self.violation(q, v) + alpha**2 * self.error(q))

    def _mobility(self, q: ArrayLike, forms: Array) -> tuple[Array, Array]:
        """M⁻¹ A and Aᵀ M⁻¹ A."""
        eased = np.asarray(self.robot.mass_matrix_inverse(q)) @ np.swapaxes(forms, -1, -2)
        mobility = forms @ eased
        if not (np.linalg.cond(mobility) < 1.0 / ROUNDING).all():
            raise DegenerateError(
                f"the {self.conditions} conditions are not independent at some position; drop those that follow "
                "from the others"
            )
        return eased, mobility

    def _least(self, q: Array, excess: Array) -> Array:
        """The smallest velocity, in the metric of the kinetic energy, with Aᵀ u = excess."""
        eased, mobility = self._mobility(q, self.forms(q))
        return np.asarray((eased @ np.linalg.solve(mobility, excess[..., None]))[..., 0])


def _stacked(scalars: Any) -> Array:
    """The entries of a vector, each an array over the batch, as one array."""
    return np.stack(np.broadcast_arrays(*scalars), axis=-1)
