"""The kernels of the suite: their inputs, and how their answers transform between conventions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "force",  # (nv,), dual to a velocity
    "acceleration",  # (nv,), derivative of a velocity
    "matrix",  # (nv, nv) in velocity coordinates; several of them for derivatives
    "coriolis",  # (nv, nv), compared by what defines it: C v and C + C^T
    "jacobian",  # (6, nv)
    "spatial",  # (6,)
    "regressor",  # (nv, 10 bodies): forces by inertial parameter; ours may be its entries that are not always zero
    "plain",  # the same numbers in every convention: poses, points, energies
]


@dataclass(frozen=True)
class Kernel:
    """A function of the library: `inputs` name fields of a state, `framed` ones take a frame's name last."""

    name: str
    inputs: tuple[str, ...]
    kind: Kind
    framed: bool = False
    dropped: bool = False
    """Whether a loop of Pinocchio's calls need not store its answers: ours is another form of them."""


KERNELS = {
    kernel.name: kernel
    for kernel in (
        Kernel("inverse_dynamics", ("q", "v", "a"), "force"),
        Kernel("forward_dynamics", ("q", "v", "tau"), "acceleration"),
        Kernel("mass_matrix", ("q",), "matrix"),
        Kernel("jacobian", ("q",), "jacobian", framed=True),
        Kernel("pose", ("q",), "plain", framed=True),
        Kernel("poses", ("q",), "plain"),
        Kernel("jacobian_derivative", ("q", "v"), "jacobian", framed=True),
        Kernel("mass_matrix_inverse", ("q",), "matrix"),
        Kernel("bias_forces", ("q", "v"), "force"),
        Kernel("gravity_forces", ("q",), "force"),
        Kernel("coriolis_matrix", ("q", "v"), "coriolis"),
        Kernel("kinetic_energy", ("q", "v"), "plain"),
        Kernel("potential_energy", ("q",), "plain"),
        Kernel("center_of_mass", ("q",), "plain"),
        Kernel("momentum", ("q", "v"), "spatial"),
        Kernel("centroidal_momentum_matrix", ("q",), "jacobian"),
        Kernel("inverse_dynamics_regressor", ("q", "v", "a"), "regressor"),
        Kernel("inverse_dynamics_regressor_entries", ("q", "v", "a"), "regressor", dropped=True),
        Kernel("inverse_dynamics_derivatives", ("q", "v", "a"), "matrix"),
        Kernel("forward_dynamics_derivatives", ("q", "v", "tau"), "matrix"),
    )
}

NATIVE_BATCH = ("inverse_dynamics", "forward_dynamics")
"""Kernels for which Pinocchio has a batch of its own."""

SINGLE = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobian", "pose")
"""Kernels that are also timed as single calls."""
