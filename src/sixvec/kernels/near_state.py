"""The dynamics near a state: linear models and second derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from numpy.typing import ArrayLike

from sixvec.kernels.any_arrays import any_arrays
from sixvec.kernels.devices import on_devices

if TYPE_CHECKING:
    from sixvec.algorithms.parts.reference import Reference
    from sixvec.analysis.linearization import Linearization
    from sixvec.kernels.second_derivatives import ForwardDynamicsSecondDerivatives, InverseDynamicsSecondDerivatives
    from sixvec.robot import Robot


class NearState:
    """The methods of `Robot` about its dynamics near a state."""

    @any_arrays
    def linearize(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: float | None = None,
        *,
        external: Mapping[str, Any] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
    ) -> Linearization:
        """A and B of  ẋ = A x + B δτ  near a state, x = (δq, δv), or with `dt` after a step: `sixvec.analysis`.

        >>> import sixvec
        >>> near = sixvec.load("cart_pole").linearize([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
        >>> near.A.shape, near.B.shape
        ((4, 4), (4, 2))
        """
        from sixvec.analysis.linearization import linearize

        robot = cast("Robot", self)
        return linearize(
            robot, q, v, tau, dt, external=external, external_reference=external_reference, passive=passive
        )

    @any_arrays
    @on_devices("sixvec.kernels.second_derivatives:inverse_dynamics_second_derivatives")
    def inverse_dynamics_second_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        external: Mapping[str, Any] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
    ) -> InverseDynamicsSecondDerivatives:
        """All second derivatives of  tau = ID(q, v, a), each (..., nv, nv, nv): `sixvec.kernels.second_derivatives`.

        >>> import numpy, sixvec
        >>> robot = sixvec.load("panda")
        >>> second = robot.inverse_dynamics_second_derivatives(robot.random(0), numpy.ones(7), numpy.zeros(7))
        >>> second.dqdv.shape
        (7, 7, 7)
        """
        from sixvec.kernels.second_derivatives import inverse_dynamics_second_derivatives

        return inverse_dynamics_second_derivatives(
            cast("Robot", self), q, v, a, external=external, external_reference=external_reference, passive=passive
        )

    @any_arrays
    @on_devices("sixvec.kernels.second_derivatives:forward_dynamics_second_derivatives")
    def forward_dynamics_second_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        external: Mapping[str, Any] | None = None,
        external_reference: Reference = "local",
        passive: bool = False,
    ) -> ForwardDynamicsSecondDerivatives:
        """All second derivatives of  a = FD(q, v, tau), each (..., nv, nv, nv): `sixvec.kernels.second_derivatives`.

        >>> import numpy, sixvec
        >>> robot = sixvec.load("panda")
        >>> second = robot.forward_dynamics_second_derivatives(robot.random(0), numpy.ones(7), numpy.zeros(7))
        >>> second.dqdtau.shape
        (7, 7, 7)
        """
        from sixvec.kernels.second_derivatives import forward_dynamics_second_derivatives

        return forward_dynamics_second_derivatives(
            cast("Robot", self), q, v, tau, external=external, external_reference=external_reference, passive=passive
        )
