"""The maps of parallel robots on a CUDA device: the same kernels as on the CPU, in double precision, on CuPy arrays.

Poses that are no rigid poses, and platforms that no pose near the start closes, are looked at on the CPU, which
determines what to say of them.  Singular samples are NaN, with a warning, as on the CPU.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import positive_number, real_array, whole_number
from sixvec.compiler.runtime.cuda import cupy, device_array, on_device
from sixvec.errors import ArgumentError
from sixvec.ik.position_solver import SOLVED
from sixvec.kernels import Port
from sixvec.parallel.forward_position import ForwardPosition, beginning, closing_error, descent, near, outcome
from sixvec.parallel.input_checks import without_singular
from sixvec.parallel.mechanism import GAINED, UNHELD, ParallelRobot
from sixvec.parallel.pivot_spheres import spheres
from sixvec.parallel.programs import program
from sixvec.parallel.space import SURELY_RIGID, Spatial, Translational, deviation, position
from sixvec.parallel.working_mode import WorkingMode, spread
from sixvec.solve.decomposition import RANK_TOLERANCE

WORLD_ALIGNED: Reference = "local_world_aligned"


def inverse_position(robot: ParallelRobot, X: Any, branch: Any = None) -> Any:
    q, _ = _run(robot, "inverse_position", _poses(robot, X, "inverse_position: X"), branch=branch)
    if not robot.legs.has_branches:
        return q
    return WorkingMode(q, cupy().asarray(spread(robot._branch(_host(branch)), q)))


def wrench_basis(robot: ParallelRobot, X: Any, branch: Any = None, reference: Reference = WORLD_ALIGNED) -> Any:
    X = _poses(robot, X, "wrench_basis: X")
    G, gain = _run(robot, "wrench_basis", X, branch=branch, reference=reference)
    flat = G.reshape(*G.shape[:-2], G.shape[-2] * G.shape[-1])
    return _without_dead(robot, flat, gain, "wrench_basis").reshape(G.shape)


def stiffness(robot: ParallelRobot, X: Any, k: Any, branch: Any = None, reference: Reference = WORLD_ALIGNED) -> Any:
    k = robot.stiffnesses(real_array("stiffness: k", _host(k)))
    G = wrench_basis(robot, X, branch, reference)
    return G * cupy().asarray(k)[..., None, :] @ G.swapaxes(-1, -2)


def inverse_velocity(
    robot: ParallelRobot, X: Any, twist: Any, branch: Any = None, reference: Reference = WORLD_ALIGNED
) -> Any:
    X, twist = _poses(robot, X, "inverse_velocity: X"), _vector(twist, robot.space.freedoms, "twist")
    qd, gain = _run(robot, "inverse_velocity", X, twist, branch=branch, reference=reference)
    return _without_dead(robot, qd, gain, "inverse_velocity")


def forward_force(
    robot: ParallelRobot, X: Any, tau: Any, branch: Any = None, reference: Reference = WORLD_ALIGNED
) -> Any:
    X, tau = _poses(robot, X, "forward_force: X"), _vector(tau, robot.n, "tau")
    w, gain = _run(robot, "forward_force", X, tau, branch=branch, reference=reference)
    return _without_dead(robot, w, gain, "forward_force")


def forward_velocity(
    robot: ParallelRobot, X: Any, qd: Any, branch: Any = None, reference: Reference = WORLD_ALIGNED
) -> Any:
    _require_square(robot, "forward_velocity")
    X, qd = _poses(robot, X, "forward_velocity: X"), _vector(qd, robot.n, "qd")
    t, conditioning = _run(robot, "forward_velocity", X, qd, branch=branch, reference=reference)
    return without_singular(t, _ill(robot, conditioning, X, branch), "forward_velocity", GAINED)


def inverse_force(
    robot: ParallelRobot,
    X: Any,
    w: Any,
    weight: Any = None,
    limits: Any = None,
    branch: Any = None,
    reference: Reference = WORLD_ALIGNED,
) -> Any:
    _require_square(robot, "inverse_force")
    if weight is not None or limits is not None:
        raise ArgumentError("inverse_force: weight= and limits= compute on the CPU; give NumPy arrays: cupy.asnumpy")
    X, w = _poses(robot, X, "inverse_force: X"), _vector(w, robot.space.freedoms, "w")
    tau, conditioning = _run(robot, "inverse_force", X, w, branch=branch, reference=reference)
    return without_singular(tau, _ill(robot, conditioning, X, branch), "inverse_force", UNHELD)


def forward_position(
    robot: ParallelRobot, q: Any, X0: Any = None, *, tolerance: float = 1e-12, iterations: int = 100
) -> ForwardPosition:
    """As on the CPU; samples that are not solved are searched again there."""
    if X0 is None:
        raise ArgumentError("forward_position: the closed form computes on the CPU; give X0=, a pose nearby")
    xp, space = cupy(), robot.space
    tolerance = positive_number("forward_position: tolerance", tolerance)
    iterations = whole_number("forward_position: iterations", iterations, 1)
    robot._require_legs("forward_position")
    q, start = _vector(q, robot.n, "q"), _shaped(robot, X0, "forward_position: X0")
    form = robot.normal
    here, positions = form.robot, q * xp.asarray(form.units)
    first, begun = on_device(beginning(space, form.shift))(start)
    loop = descent(here.legs, space, here.size, iterations)
    ball = on_device(spheres(here.legs))(positions) if any(leg.angular for leg in here.legs) else [positions]
    zero, least = xp.zeros(()), xp.asarray(closing_error(here, tolerance))
    X, _, _, state = on_device(loop)(first, zero + np.inf, zero, zero, *ball, least)
    X, residual, valid = on_device(outcome(here.legs, space, form.back))(X, positions)
    none = xp.full(state.shape, -1)
    found = ForwardPosition(_as_user_pose(robot, X), xp.zeros(state.shape, "int8"), residual, none, none.copy())
    rest = _host((valid <= 0.5) | (begun <= 0.5) | (state != SOLVED))
    if not rest.any():
        return found
    batch = state.shape
    given = np.broadcast_to(_host(q), (*batch, robot.n))[rest]
    begun = np.broadcast_to(space.checked(_host(X0), "forward_position: X0"), (*batch, *space.port.shape))[rest]
    again = near(robot, given, begun, tolerance, iterations)
    for f in fields(found):
        getattr(found, f.name)[xp.asarray(rest)] = xp.asarray(getattr(again, f.name))
    return found


def _host(x: Any) -> Any:
    return cupy().asnumpy(x) if isinstance(x, cupy().ndarray) else x


def _as_user_pose(robot: ParallelRobot, X: Any) -> Any:
    """Poses of the kernels in the user's form."""
    if not isinstance(robot.space, Translational):
        return X
    xp = cupy()
    poses = xp.zeros((*X.shape[:-1], 4, 4))
    poses[...] = xp.eye(4)
    poses[..., :3, 3] = X
    return poses


def _vector(x: Any, size: int, name: str) -> Any:
    return device_array(x, Port(name, (size,)), name).astype("float64", copy=False)


def _shaped(robot: ParallelRobot, X: Any, what: str) -> Any:
    """Poses in double precision and in the form of the kernels, of which only the shape was checked."""
    space = robot.space
    is_matrix = isinstance(space, Translational) and X.shape[-2:] == (4, 4)
    X = device_array(X, Port("X", (4, 4) if is_matrix else space.port.shape), what).astype("float64", copy=False)
    if not is_matrix:
        return X
    p, off = on_device(position)(X)
    return p if bool((off <= SURELY_RIGID).all()) else cupy().asarray(space.shaped(_host(X), what))


def _poses(robot: ParallelRobot, X: Any, what: str) -> Any:
    """The same, checked: the CPU looks at those that are not surely rigid."""
    X = _shaped(robot, X, what)
    if isinstance(robot.space, Spatial) and not bool((on_device(deviation)(X)[0] <= SURELY_RIGID).all()):
        return cupy().asarray(robot.space.checked(_host(X), what))
    return X


def _run(
    robot: ParallelRobot, name: str, X: Any, *given: Any, branch: Any = None, reference: Reference = WORLD_ALIGNED
) -> Any:
    if branch is None:
        return on_device(program(name, robot.legs, robot.space, reference, robot.size, robot._usual))(X, *given)
    chosen = cupy().asarray(robot._branch(_host(branch)))
    map_ = program(name, robot.legs, robot.space, reference, robot.size)
    return on_device(map_)(X, *given, *[chosen] * robot.legs.has_branches)


def _without_dead(robot: ParallelRobot, result: Any, gain: Any, what: str) -> Any:
    """The results, NaN with a warning where a leg is singular."""
    xp = cupy()
    dead = (xp.abs(gain) < xp.asarray(RANK_TOLERANCE * robot._gain_sizes())).any(axis=-1)
    return without_singular(result, dead, what, robot._dead_leg(_host(gain))) if bool(dead.any()) else result


def _ill(robot: ParallelRobot, conditioning: Any, X: Any, branch: Any) -> Any:
    """Where a pose is singular, as on the CPU."""
    xp = cupy()
    small, lost = conditioning < RANK_TOLERANCE**2, xp.isnan(conditioning)
    if bool(lost.any()):
        A = _run(robot, "lines", X, branch=branch)[0]
        small = small | (lost & xp.isfinite(A).all(axis=(-1, -2)))
    return small


def _require_square(robot: ParallelRobot, what: str) -> None:
    robot._require_legs(what)
    if robot.n > robot.space.freedoms:
        raise ArgumentError(f"{what} of more legs than freedoms computes on the CPU; give NumPy arrays: cupy.asnumpy")
