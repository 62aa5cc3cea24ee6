"""The sweeps as compiled functions of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sixvec.algorithms.declaration import Algorithm, Output
from sixvec.algorithms.parts.reference import Reference, check_reference
from sixvec.errors import KernelNotFound, unknown
from sixvec.kernels.kernel import Kernel
from sixvec.model import Model
from sixvec.model.require import require_model
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.robot import Robot
from sixvec.theory.operators.forward_sweeps import FORWARD_SWEEPS
from sixvec.theory.operators.link_blocks import require_free_joints

_JOINTS = Output("a", ("nv",))
_FRAMES = Output("accelerations", ("nframes", 6))

ALGORITHMS = {
    name: Algorithm(
        function, ("q", "v", "tau", "external"), (_JOINTS,) if name == "fd1" else (_JOINTS, _FRAMES), (), "unsupported"
    )
    for name, function in FORWARD_SWEEPS.items()
}
"""The sweeps as declared algorithms; not methods of Robot, since `forward_dynamics` serves that purpose."""


def sweep_kernel(
    robot: Robot | Model, name: str, *, external: Sequence[str] = (), external_reference: Reference = "local"
) -> Kernel:
    """One of the sweeps "fd1" … "fd4" compiled for a robot: a function of (q, v, tau, a wrench per `external` frame).

    FD1 gives the joint accelerations; the others a named tuple (a, accelerations) with the spatial accelerations
    (nframes, 6) of all frames, in the order of `robot.frame_names` and each in its own coordinates.  Loops are errors,
    as by `robot.forward_dynamics`.

    >>> import numpy, sixvec
    >>> from sixvec.theory.operators import sweep_kernel
    >>> robot = sixvec.load("planar_2r")
    >>> q, v, tau = [0.3, 0.4], [1.0, -1.0], [0.0, 2.0]
    >>> result = sweep_kernel(robot, "fd4")(q, v, tau)
    >>> numpy.allclose(result.a, robot.forward_dynamics(q, v, tau)), result.accelerations.shape
    (True, (4, 6))
    """
    if name not in ALGORITHMS:
        raise KernelNotFound(unknown("sweep", name, ALGORITHMS))
    check_reference(external_reference)
    model = require_model(robot, "sweep_kernel")
    require_unconstrained(model, "sweep_kernel")
    require_free_joints(model)
    for frame in external:
        model.frame(frame)
    return _kernel(model, name, tuple(external), external_reference)


@lru_cache(maxsize=32)
def _kernel(model: Model, name: str, external: tuple[str, ...], external_reference: str) -> Kernel:
    return Kernel(model, ALGORITHMS[name], {"external_reference": external_reference}, external)
