"""Contacts of a quadruped: the friction problem against daqp, a step of a rollout against `mujoco.rollout`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from contender import Unavailable
from ours import set_threads
from result import Row, timing_row
from selection import Selection
from state import Array
from targets import CONTACT_ROLLOUT, CONTACT_SOLVE
from timing import Effort, interleaved, sweep

SECTION = "contacts"
OURS, DAQP, MUJOCO = "sixvec", "daqp", "mujoco.rollout"
ROBOT = "solo12"
FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
RADIUS, FRICTION = 0.015, 0.8
STIFFNESS, DAMPING = 4.0, 0.15
"""Of the joint controllers, the same in both simulations."""

TIME_STEP, STEPS, ROLLOUTS = 1e-3, 200, 256
SETTLED = 50
"""The last steps, in which penetration and slip are measured."""


def rows(effort: Effort, selection: Selection, left_out: dict[str, str]) -> Iterator[Row]:
    for kernel, row in (("four contacts, given G", _solve_row), ("step on four feet", _step_row)):
        if selection.wants(SECTION, ROBOT, kernel):
            yield row(effort, left_out, kernel)


def _problems(count: int) -> tuple[Array, Array]:
    """Delassus matrices and velocities of four feet that hit the ground."""
    import sixvec as sv

    dog, rng = sv.load(ROBOT), np.random.default_rng(0)
    q = np.tile(dog.neutral(), (count, 1))
    q[:, 7:] = np.array([0.0, 0.7, -1.4] * 4) + rng.normal(size=(count, 12)) * 0.1
    v = rng.normal(size=(count, dog.nv)) * 0.3
    v[:, 5] -= 0.5
    J = np.concatenate([dog.jacobian(q, f)[:, [5, 3, 4]] for f in FEET], axis=1)
    G = J @ np.linalg.solve(dog.mass_matrix(q), np.swapaxes(J, 1, 2))
    return np.ascontiguousarray(G), (J @ v[..., None])[..., 0]


def _solve_row(effort: Effort, left_out: dict[str, str], kernel: str) -> Row:
    from sixvec.constraints.contacts import contact_impulses

    set_threads(1)
    G, b = _problems(effort.batch)
    friction = np.full(4, FRICTION)
    found = contact_impulses(G, b, friction)
    if not found:
        return Row(SECTION, ROBOT, kernel, "x", None, CONTACT_SOLVE, note=f"{found}", failed=True)
    candidates: dict[str, Callable[[], Any]] = {OURS: lambda: contact_impulses(G, b, friction)}
    counts = {OURS: len(G), DAQP: min(len(G), 512)}
    try:
        candidates[DAQP] = sweep(_daqp(), list(zip(G[: counts[DAQP]], b[: counts[DAQP]], strict=True)))
    except Unavailable as error:
        left_out[f"{DAQP}, {SECTION}"] = str(error)
    seconds = {name: each / counts[name] for name, each in interleaved(candidates, effort).items()}
    note = f"true cones, residual {found.residual.max():.0e} m/s; daqp: pyramids of four sides, a convex relative"
    return timing_row(SECTION, ROBOT, kernel, seconds, OURS, target=CONTACT_SOLVE, note=note)


def _daqp() -> Callable[[Array, Array], Any]:
    """½ pᵀ G p + b p  with  p_n ≥ 0,  |p_t| ≤ μ p_n  in both tangents."""
    try:
        import daqp
    except ImportError as error:
        raise Unavailable(f"not installed ({error})") from None
    A = np.zeros((16, 12))
    for c in range(4):
        for k, (tangent, sign) in enumerate(((1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0))):
            A[4 * c + k, 3 * c + tangent], A[4 * c + k, 3 * c] = sign, -FRICTION
    free = 1e30
    upper = np.concatenate([np.full(12, free), np.zeros(16)])
    lower = np.concatenate([np.array([0.0, -free, -free] * 4), np.full(16, -free)])
    sense, small = np.zeros(28, np.int32), 1e-9 * np.eye(12)
    return lambda G, b: daqp.solve(G + small, b, A, upper, lower, sense)


def _step_row(effort: Effort, left_out: dict[str, str], kernel: str) -> Row:
    set_threads(1)
    import sixvec as sv

    dog = sv.load(ROBOT)
    q, posture = _standing(dog)
    candidates: dict[str, Callable[[], Array]] = {OURS: _ours(dog, q, posture)}
    try:
        candidates[MUJOCO] = _mujoco(dog, q, posture)
    except Unavailable as error:
        left_out[f"{MUJOCO}, {SECTION}"] = str(error)
    notes = []
    for name, run in candidates.items():
        depth, slip = _quality(dog, run()[:32, -SETTLED:])
        notes.append(f"{name}: penetration {1e3 * depth:.2g} mm, slip {1e3 * slip:.2g} mm in {SETTLED} steps")
    timed = interleaved(candidates, effort.of_long_calls())
    seconds = {name: each / (ROLLOUTS * STEPS) for name, each in timed.items()}
    return timing_row(SECTION, ROBOT, kernel, seconds, OURS, target=CONTACT_ROLLOUT, note="; ".join(notes))


def _standing(dog: Any) -> tuple[Array, Array]:
    """Positions a centimetre above the ground, and the posture that controllers hold."""
    q = dog.neutral()
    q[7:] = [0.0, 0.7, -1.4] * 4
    q[2] += RADIUS + 0.01 - min(dog.pose(q, f)[2, 3] for f in FEET)
    start = np.tile(q, (ROLLOUTS, 1))
    start[:, 7:] += np.random.default_rng(1).normal(size=(ROLLOUTS, 12)) * 0.05
    return start, q[7:].copy()


def _quality(dog: Any, q: Array) -> tuple[float, float]:
    """How deep a foot is in the ground, and how far one slides, at most."""
    feet = np.stack([dog.pose(np.ascontiguousarray(q), f)[..., :3, 3] for f in FEET], axis=2)
    slid = np.linalg.norm(np.diff(feet[..., :2], axis=1), axis=-1).sum(axis=1)
    return float(max(0.0, RADIUS - feet[..., 2].min())), float(slid.max())


def _ours(dog: Any, q: Array, posture: Array) -> Callable[[], Array]:
    from sixvec.constraints.contacts import floor
    from sixvec.geometry.rigid_body.solids import Sphere

    held = posture.tolist()

    def control(q: Any, v: Any, u: Any) -> Any:
        return [0.0] * 6 + [STIFFNESS * (p - x) - DAMPING * w for p, x, w in zip(held, q[7:], v[6:], strict=True)]

    contacts, zeros = floor(FEET, Sphere(RADIUS), friction=FRICTION), np.zeros(dog.nv)

    def call() -> Array:
        path = dog.rollout(q, zeros, np.zeros(1), TIME_STEP, steps=STEPS, control=control, contacts=contacts)
        assert (path.verdict == 0).all()
        return np.asarray(path.q)

    return call


def _mujoco(dog: Any, q: Array, posture: Array) -> Callable[[], Array]:
    """The same robot without shapes but its feet, position servos in place of the control law."""
    try:
        import mujoco
        from mujoco.rollout import Rollout
    except ImportError as error:
        raise Unavailable(f"not installed ({error})") from None
    import sixvec as sv

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dog.xml"
        sv.save(dog, path)
        spec = mujoco.MjSpec.from_string(path.read_text())
    for geom in list(spec.geoms):
        spec.delete(geom)
    spec.option.timestep = TIME_STEP
    friction = [FRICTION, 0.005, 0.0001]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5.0, 5.0, 0.1], friction=friction)
    for body in spec.bodies:
        if body.name in FEET:
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0.0, 0.0], friction=friction, mass=0.0)
    for name in dog.joint_names[1:]:
        servo = spec.add_actuator(target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.gaintype, servo.gainprm[0] = mujoco.mjtGain.mjGAIN_FIXED, STIFFNESS
        servo.biastype, servo.biasprm[1], servo.biasprm[2] = mujoco.mjtBias.mjBIAS_AFFINE, -STIFFNESS, -DAMPING
    model = spec.compile()
    start = np.zeros((len(q), mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    start[:, 1 : 1 + model.nq] = q[:, [0, 1, 2, 6, 3, 4, 5, *range(7, model.nq)]]  # the scalar of a quaternion first
    control = np.tile(posture, (len(q), STEPS, 1))
    state = np.zeros((len(q), STEPS, start.shape[1]))
    sensors = np.zeros((len(q), STEPS, model.nsensordata))
    runner, data = Rollout(nthread=0), mujoco.MjData(model)

    def call() -> Array:
        runner.rollout(model, data, start, control, state=state, sensordata=sensors)
        found = state[..., 1 : 1 + model.nq]
        return found[..., [0, 1, 2, 4, 5, 6, 3, *range(7, model.nq)]]

    return call
