"""Which way to all assembly modes a design has."""

from __future__ import annotations

from sixvec.errors import DegenerateError
from sixvec.parallel.assembly_modes import AssemblyModes
from sixvec.parallel.closed_forms import assembly_321, assembly_delta, assembly_planar
from sixvec.parallel.families import Parallel321
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.space import Array, Planar, Translational


def assembly_modes(robot: ParallelRobot, q: Array) -> AssemblyModes:
    """All poses for actuator positions, in closed form where the design has one."""
    if robot.n != robot.space.freedoms:
        raise DegenerateError(
            f"assembly_modes needs exactly {robot.space.freedoms} legs, not {robot.n}: "
            + ("fewer leave curves of poses" if robot.n < robot.space.freedoms else "more close in no pose, as a rule")
        )
    if isinstance(robot.space, Translational):
        return assembly_delta(robot, q)
    if isinstance(robot.space, Planar):
        return assembly_planar(robot, q)
    if isinstance(robot, Parallel321):
        return assembly_321(robot, q)
    raise DegenerateError(f"no way to all assembly modes of a {robot.design} is known; use forward_position")
