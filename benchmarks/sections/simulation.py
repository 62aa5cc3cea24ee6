"""Environments with contacts, stops and actuators, of Gymnasium's files and a quadruped: a step against MuJoCo."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from contender import Unavailable
from ours import set_threads
from result import Row, timing_row
from selection import Selection
from state import Array
from targets import SIMULATION, SIMULATION_SINGLE
from timing import Effort, interleaved

SECTION = "simulation"
OURS, MUJOCO = "sixvec", "mujoco.rollout"
QUADRUPED, FEET, RADIUS, FRICTION = "solo12", ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"), 0.015, 0.8
STIFFNESS, DAMPING = 4.0, 0.15
"""Of the servos of its joints."""

STEPS, BEFORE = 50, 400
"""Steps that are timed, and steps with random actions before them: some robots lie then, others move or fly."""


def rows(effort: Effort, selection: Selection, left_out: dict[str, str]) -> Iterator[Row]:
    for robot in SIMULATION:
        for kernel, dtype in (("step, float64", "float64"), ("step, float32", "float32")):
            if selection.wants(SECTION, robot, kernel):
                yield _row(robot, kernel, dtype, effort, left_out)
    if selection.wants(SECTION, "ant", "one environment, a call per step"):
        yield _single_row(effort, left_out)


def _folder() -> Path:
    try:
        import gymnasium
    except ImportError as error:
        raise Unavailable(f"not installed ({error})") from None
    return Path(gymnasium.__file__).parent / "envs/mujoco/assets"


@lru_cache(maxsize=1)
def _quadruped() -> Path:
    """A file of Solo 12 with four feet on a floor, stops and position servos, and no other shapes."""
    try:
        import mujoco
    except ImportError as error:
        raise Unavailable(f"not installed ({error})") from None
    import sixvec as sv

    dog, file = sv.load(QUADRUPED), Path(tempfile.mkdtemp()) / f"{QUADRUPED}.xml"
    sv.save(dog, file)
    spec = mujoco.MjSpec.from_string(file.read_text())
    for geom in list(spec.geoms):
        spec.delete(geom)
    spec.option.timestep = 0.002
    friction = [FRICTION, 0.005, 0.0001]
    spec.worldbody.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5.0, 5.0, 0.1], friction=friction, contype=0
    )
    for body in spec.bodies:
        if body.name in FEET:
            body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0.0, 0.0], friction=friction, mass=0.0, conaffinity=0
            )
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_FREE:
            joint.parent.pos = [0.0, 0.0, 0.35]
    for name, target in zip(dog.joint_names[1:], [0.0, 0.7, -1.4] * 4, strict=True):
        joint = spec.joint(name)
        joint.limited, joint.range = mujoco.mjtLimited.mjLIMITED_TRUE, [target - 0.5, target + 0.5]
        servo = spec.add_actuator(target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.gaintype, servo.gainprm[0] = mujoco.mjtGain.mjGAIN_FIXED, STIFFNESS
        servo.biastype, servo.biasprm[1], servo.biasprm[2] = mujoco.mjtBias.mjBIAS_AFFINE, -STIFFNESS, -DAMPING
        servo.ctrllimited, servo.ctrlrange = mujoco.mjtLimited.mjLIMITED_TRUE, [target - 0.6, target + 0.6]
    spec.compile()
    file.write_text(spec.to_xml())
    return file


def _file(robot: str) -> Path:
    return _quadruped() if robot == QUADRUPED else _folder() / f"{robot}.xml"


def _environments(robot: str, count: int, **options: Any) -> Any:
    import sixvec as sv
    from sixvec import sim

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = sv.load(_file(robot))
        dt = loaded.model.simulation.timestep or 0.002
        return sim.Batch(loaded, count, dt=dt, contacts="file", actuators="file", noise=0.1, **options)


def _row(robot: str, kernel: str, dtype: str, effort: Effort, left_out: dict[str, str]) -> Row:
    set_threads(1)
    count, rng = min(effort.batch, 1024), np.random.default_rng(0)
    quality = _environments(robot, count, dtype=dtype)
    low, high = quality.action_limits

    def actions() -> Array:
        return rng.uniform(low, high, (count, quality.action_size)).astype(dtype)

    for _ in range(BEFORE // 10):
        action = actions()
        for _ in range(10):
            quality.step(action)
    start, residuals = (quality.q.copy(), quality.v.copy()), []
    for _ in range(STEPS):
        quality.step(actions())
        touching = (quality.impulses != 0.0).any(axis=1)
        residuals.append(quality.residual[touching])
    misfit = np.concatenate(residuals)
    most, worst = (float(np.quantile(misfit, x)) for x in (0.99, 0.9995)) if misfit.size else (0.0, 0.0)
    held = actions()
    timed = _environments(robot, count, dtype=dtype, substeps=STEPS, start=start)

    def ours() -> Array:
        timed.q[...], timed.v[...] = start
        timed.step(held)
        return np.asarray(timed.q)

    candidates: dict[str, Callable[[], Any]] = {OURS: ours}
    try:
        candidates[MUJOCO] = _mujoco(robot, timed.robot, start, held)
    except Unavailable as error:
        left_out[f"{MUJOCO}, {SECTION}"] = str(error)
    seconds = {name: each / (count * STEPS) for name, each in interleaved(candidates, effort.of_long_calls()).items()}
    note = f"misfit {most:.0e} m/s in 99 %, {worst:.0e} in 99.95 % of touching steps"
    target = SIMULATION[robot][dtype == "float32"]
    return timing_row(SECTION, robot, kernel, seconds, OURS, target=target, note=note)


def _single_row(effort: Effort, left_out: dict[str, str]) -> Row:
    set_threads(1)
    env, rng = _environments("ant", 1), np.random.default_rng(0)
    action = rng.uniform(-1.0, 1.0, (1, env.action_size))
    for _ in range(BEFORE):
        env.step(action)
    start = env.q.copy(), env.v.copy()

    def ours() -> None:
        env.q[...], env.v[...] = start
        for _ in range(STEPS):
            env.step(action)

    candidates: dict[str, Callable[[], Any]] = {OURS: ours}
    try:
        candidates["mujoco.mj_step"] = _mj_step(env.robot, start, action[0])
    except Unavailable as error:
        left_out[f"mujoco.mj_step, {SECTION}"] = str(error)
    seconds = {name: each / STEPS for name, each in interleaved(candidates, effort.of_long_calls()).items()}
    return timing_row(SECTION, "ant", "one environment, a call per step", seconds, OURS, target=SIMULATION_SINGLE)


def _model(robot: str) -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise Unavailable(f"not installed ({error})") from None
    with tempfile.TemporaryDirectory():
        model = mujoco.MjModel.from_xml_path(str(_file(robot)))
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    return model


def _mujoco(name: str, robot: Any, start: tuple[Array, Array], action: Array) -> Callable[[], Any]:
    """The same states and actions, one thread."""
    model = _model(name)
    import mujoco
    from mujoco.rollout import Rollout

    q, v = _in_its_order(robot, *start)
    state = np.concatenate([np.zeros((len(q), 1)), q, v], axis=1)
    control = np.repeat(np.asarray(action, float)[:, None], STEPS, axis=1)
    runner, data = Rollout(nthread=0), mujoco.MjData(model)
    return lambda: runner.rollout(model, data, state, control)


def _mj_step(robot: Any, start: tuple[Array, Array], action: Array) -> Callable[[], Any]:
    model = _model("ant")
    import mujoco

    data = mujoco.MjData(model)
    q, v = _in_its_order(robot, *start)

    def call() -> None:
        data.qpos[:], data.qvel[:], data.ctrl[:] = q[0], v[0], action
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    return call


def _in_its_order(robot: Any, q: Array, v: Array) -> tuple[Array, Array]:
    """Free joints as in MuJoCo: the scalar of the quaternion first, the linear velocity first and in world axes."""
    q, v = np.array(q, float), np.array(v, float)
    first = robot.model.moving[0]
    if first.joint.is_free:
        turn = robot.pose(q, first.name)[:, :3, :3]
        q[:, 3:7] = q[:, [6, 3, 4, 5]]
        v[:, :6] = np.concatenate([(turn @ v[:, 3:6, None])[..., 0], v[:, :3]], axis=1)
    return q, v
