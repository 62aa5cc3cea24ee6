"""Second derivatives of inverse and forward dynamics, for robots of every size.

A fully expanded second derivative is a program with nv³ results, too long to compile for a humanoid.  Here the program
is one directional derivative of the analytic first derivatives, and the columns are samples of a batch: lanes of vector
registers instead of lines of code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, common_batch, wrenches_by_frame
from sixvec.arguments.result import Result
from sixvec.compiler.call import as_array
from sixvec.compiler.program import Port
from sixvec.compiler.runtime.cuda import device_array
from sixvec.kernels.closed_loops import require_closed_loops
from sixvec.kernels.devices import namespace
from sixvec.kernels.loop_second_derivatives import loop_second_derivatives
from sixvec.model.spanning_tree import require_sliding
from sixvec.robot import Robot

_WRENCH = 6


@dataclass(frozen=True, eq=False, repr=False)
class InverseDynamicsSecondDerivatives(Result):
    """Each (..., nv, nv, nv): entry i, j, k of `dqdv` is ∂²tau_i/∂q_j ∂v_k.  All other second derivatives are zero."""

    dqdq: Array
    dqdv: Array
    dqda: Array
    """∂M_ik/∂q_j."""
    dvdv: Array


@dataclass(frozen=True, eq=False, repr=False)
class ForwardDynamicsSecondDerivatives(Result):
    """Each (..., nv, nv, nv): entry i, j, k of `dqdv` is ∂²a_i/∂q_j ∂v_k.  All other second derivatives are zero."""

    dqdq: Array
    dqdv: Array
    dqdtau: Array
    """∂(M⁻¹)_ik/∂q_j."""
    dvdv: Array


def inverse_dynamics_second_derivatives(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    external: Mapping[str, Any] | None = None,
    external_reference: Reference = "local",
    passive: bool = False,
) -> InverseDynamicsSecondDerivatives:
    """All second derivatives of  tau = ID(q, v, a), in tangent coordinates; arguments as for `inverse_dynamics`.

    Rotations about different axes do not commute: for a joint with a quaternion, the *last* axis of `dqdq` belongs to
    the first step from q, as in `robot.kernel("inverse_dynamics").derivative("q").derivative("q")`.

    2 nv evaluations of a program with about three times the operations of `inverse_dynamics_derivatives`.  With loops
    automatic differentiation is used, and results are NaN where no second derivative exists
    (`loop_second_derivatives.py`).

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> q, v, a = robot.random(0), numpy.ones(7), numpy.zeros(7)
    >>> second = inverse_dynamics_second_derivatives(robot, q, v, a)
    >>> numpy.allclose(0.5 * second.dvdv @ v @ v, robot.bias_forces(q, v) - robot.gravity_forces(q))
    True
    """
    (q, v, a), wrenches = _checked(robot, "inverse_dynamics_second_derivatives", {"q": q, "v": v, "a": a}, external)
    options: dict[str, Any] = {"external_reference": external_reference, "passive": passive}
    if robot.model.closures:
        slopes = loop_second_derivatives(robot, "inverse_dynamics", (q, v, a), wrenches, options)
        return InverseDynamicsSecondDerivatives(*slopes)
    along = _Directions(robot, wrenches, options)
    unit, none = _units(q, robot.nv)
    dq, dv, M = along(q, v, a, unit, none, none)
    _, dv_by_v, _ = along(q, v, a, none, unit, none)
    return InverseDynamicsSecondDerivatives(_last(dq), _second(dv), _second(M), _last(dv_by_v))


def forward_dynamics_second_derivatives(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    external: Mapping[str, Any] | None = None,
    external_reference: Reference = "local",
    passive: bool = False,
) -> ForwardDynamicsSecondDerivatives:
    """All second derivatives of  a = FD(q, v, tau), in tangent coordinates; arguments as for `forward_dynamics`.

    Differentiating  M ∂a/∂x + ∂ID/∂x = 0  once more along the coordinate k of q, at a = FD(q, v, tau), gives

        ∂²a/∂x ∂q_k = -M⁻¹ (D_k ∂ID/∂x + D_k M ∂a/∂x)

    where D_k moves q along the coordinate and a by ∂a/∂q_k with it; likewise for v (Singh, Russell and Wensing, "On
    second-order derivatives of rigid-body dynamics", arXiv 2302.06001, 2023).  The last axis of `dqdq` is the first
    step, as for inverse dynamics.  With loops automatic differentiation in float64 is used, and results are NaN where
    no second derivative exists (`loop_second_derivatives.py`).

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> q, v, tau = robot.random(0), numpy.ones(7), numpy.zeros(7)
    >>> second = forward_dynamics_second_derivatives(robot, q, v, tau)
    >>> H = second.dqdq
    >>> H.shape, numpy.allclose(H, numpy.swapaxes(H, -1, -2))
    ((7, 7, 7), True)
    """
    state = {"q": q, "v": v, "tau": tau}
    (q, v, tau), wrenches = _checked(robot, "forward_dynamics_second_derivatives", state, external)
    options: dict[str, Any] = {"external_reference": external_reference, "passive": passive}
    if robot.model.closures:
        require_closed_loops(robot._kernels, "forward_dynamics_second_derivatives", q, options)
        slopes = loop_second_derivatives(robot, "forward_dynamics", (q, v, tau), wrenches, options)
        return ForwardDynamicsSecondDerivatives(*slopes)
    along = _Directions(robot, wrenches, options)
    a = robot.forward_dynamics(q, v, tau, external=wrenches, **options)
    first = robot.inverse_dynamics_derivatives(q, v, a, external=wrenches, **options)
    M_inverse = namespace(q).linalg.inv(first.da)
    a_q, a_v = -M_inverse @ first.dq, -M_inverse @ first.dv
    unit, none = _units(q, robot.nv)
    dq, dv, M = along(q, v, a, unit, none, a_q.swapaxes(-1, -2))
    _, dv_by_v, _ = along(q, v, a, none, unit, none)  # ∂ID/∂v does not depend on a
    minus = -M_inverse[..., None, :, :]  # the columns k are on the axis before the matrices
    return ForwardDynamicsSecondDerivatives(
        _last(minus @ (dq + M @ a_q[..., None, :, :])),
        _second(minus @ (dv + M @ a_v[..., None, :, :])),
        _second(minus @ M @ M_inverse[..., None, :, :]),
        _last(minus @ dv_by_v),
    )


class _Directions:
    """The change of ∂ID/∂q, ∂ID/∂v and M along nv directions of (q, v, a) at once."""

    def __init__(self, robot: Robot, wrenches: dict[str, Array], options: dict[str, Any]) -> None:
        kernel = robot.kernel("inverse_dynamics_derivatives", external=tuple(wrenches), **options)
        make = partial(kernel.directional, "q", "v", "a")
        self._compiled = robot._kernels.stored((kernel.identity, "q v a"), make)
        self._wrenches, self._kernels = [w[..., None, :] for w in wrenches.values()], robot._kernels

    def __call__(self, q: Array, v: Array, a: Array, *directions: Array) -> tuple[Array, Array, Array]:
        """Each (..., nv, nv, nv); the directions are the rows of (..., nv, nv), the first of the last three axes."""
        state = [x[..., None, :] for x in (q, v, a)]
        others = (*self._wrenches, *self._kernels.parameters_for(state))
        dq, dv, M = self._compiled(*state, *others, *directions)
        return dq, dv, M


def _checked(
    robot: Robot, name: str, state: dict[str, Any], external: Mapping[str, Any] | None
) -> tuple[list[Array], dict[str, Array]]:
    """The inputs and the wrenches as arrays of one precision, float64 unless all are float32.

    Later functions work on a batch with one more axis, so shape errors are raised here, under
    the name of the called function and with the given shapes.
    """
    require_sliding(robot.model, name)
    wrenches = wrenches_by_frame(name, external)
    for frame in wrenches:
        robot.model.frame(frame)
    ports = [Port(key, (robot.nq if key == "q" else robot.nv,)) for key in state]
    ports += [Port(f"external[{frame}]", (_WRENCH,)) for frame in wrenches]
    inputs = [*state.values(), *wrenches.values()]
    as_input = as_array if namespace(*inputs) is np else device_array
    arrays = [as_input(x, p, name) for x, p in zip(inputs, ports, strict=True)]
    common_batch(name, [x.shape[:-1] for x in arrays], [p.name for p in ports], [x.shape for x in arrays])
    if not all(x.dtype == np.float32 for x in arrays):
        arrays = [x.astype(np.float64, copy=False) for x in arrays]
    return arrays[: len(state)], dict(zip(wrenches, arrays[len(state) :], strict=True))


def _units(q: Array, n: int) -> tuple[Array, Array]:
    """The directions along one coordinate each, and no directions, of the library and precision of q."""
    xp = namespace(q)
    return xp.eye(n, dtype=q.dtype), xp.zeros((n, n), q.dtype)


def _last(by_column: Array) -> Array:
    """k, i, j -> i, j, k."""
    return by_column.swapaxes(-3, -2).swapaxes(-2, -1)


def _second(by_column: Array) -> Array:
    """k, i, j -> i, k, j: derivatives with respect to q commute with those by v, a and tau."""
    return by_column.swapaxes(-3, -2)
