"""What a model file says about its simulation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """Options of a file for a simulator, in its own words; None or empty where the file says nothing.

    >>> from sixvec.model import SimulationOptions
    >>> SimulationOptions(timestep=0.01, integrator="RK4").disabled
    ()
    """

    timestep: float | None = None
    """Seconds."""
    integrator: str = ""
    cone: str = ""
    """"pyramidal" or "elliptic": the shape of the friction cone."""
    impratio: float = 1.0
    """How much stiffer friction is than the normal direction, in soft contacts."""
    solver: str = ""
    iterations: int | None = None
    tolerance: float | None = None
    disabled: tuple[str, ...] = ()
    """What the file switches off: "contact", "limit", "actuation", …"""
