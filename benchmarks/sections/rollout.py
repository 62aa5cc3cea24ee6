"""Rollouts of the Panda at 1 kHz: ours against `mujoco.rollout`, the same file, integrator, torques and thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bench import Bench
from contender import Contender, Unavailable
from convention import scaled_error
from ours import set_threads
from result import Row, timing_row
from selection import Selection
from state import Array
from targets import ROLLOUT_SPEED_UP
from timing import Effort, interleaved

SECTION = "rollout"
OURS, MUJOCO = "sixvec", "mujoco.rollout"
ROBOT = "panda"
TIME_STEP = 1e-3
STEPS = 200
ROLLOUTS = 128

INTEGRATORS = {"semi_implicit_euler": "mjINT_EULER", "rk4": "mjINT_RK4"}
"""Ours, and MuJoCo's name of the same method; without damping MuJoCo's Euler is the semi-implicit one."""

AGREEMENT = 1e-8
"""Of whole trajectories, scaled: rounding grows with time, another integrator differs by 3e-3."""


def rows(bench: Bench, effort: Effort, selection: Selection) -> Iterator[Row]:
    """A row per integrator, timed only where both trajectories agree."""
    if bench.robot.name != ROBOT or bench.ours is None:
        return
    for integrator in INTEGRATORS:
        if selection.wants(SECTION, ROBOT, integrator):
            yield _row(bench, effort, integrator)


def _row(bench: Bench, effort: Effort, integrator: str) -> Row:
    set_threads(1)
    count = min(ROLLOUTS, effort.batch)
    states = bench.states.first(count)
    tau = np.random.default_rng(2).uniform(-1, 1, (count, STEPS, bench.reference.nv))
    ours = _ours(bench, integrator, states.q, states.v, tau)
    candidates, told = {OURS: ours}, {}
    try:
        theirs = _mujoco(bench, integrator, states.q, states.v, tau)
    except Unavailable as error:
        bench.left_out[f"{MUJOCO}, {SECTION}"] = str(error)
    else:
        difference = scaled_error(_in_order(ours(), bench.ours), _in_order(theirs(), bench.peers["MuJoCo"]))
        told["errors"] = {MUJOCO: difference}
        if difference > AGREEMENT:
            note = f"trajectories differ by {difference:.1e}: not timed"
            return Row(SECTION, ROBOT, integrator, "x", None, ROLLOUT_SPEED_UP, note=note, failed=True)
        candidates[MUJOCO] = theirs
    timed = interleaved(candidates, effort.of_long_calls())
    seconds = {name: each / (count * STEPS) for name, each in timed.items()}
    return timing_row(SECTION, ROBOT, integrator, seconds, OURS, target=ROLLOUT_SPEED_UP, **told)


def _ours(bench: Bench, integrator: str, q: Array, v: Array, tau: Array) -> Callable[[], list[Array]]:
    from sixvec.sim import rollout

    arguments = (_ordered(x, bench.ours.convention.joints) for x in (q, v, tau))
    q, v, tau = (np.ascontiguousarray(x) for x in arguments)

    def call() -> list[Array]:
        path = rollout(bench.ours.robot, q, v, tau, TIME_STEP, integrator=integrator)
        return [path.q, path.v]

    return call


def _ordered(x: Array, joints: Sequence[int]) -> Array:
    """Coordinates on a fixed base in another library's order: the same array where it is the same order."""
    return x if list(joints) == list(range(len(joints))) else x[..., list(joints)]


def _in_order(path: Sequence[Array], contender: Contender) -> list[Array]:
    """A trajectory with the joints in Pinocchio's order."""
    return [_ordered(x, np.argsort(contender.convention.joints).tolist()) for x in path]


def _mujoco(bench: Bench, integrator: str, q: Array, v: Array, tau: Array) -> Callable[[], list[Array]]:
    """Forces are applied to the joints directly, which is cheaper than by actuators; outputs are allocated before."""
    try:
        import mujoco
        from mujoco.rollout import Rollout

        from peers.mujoco_peer import MuJoCo
    except ImportError as error:
        raise Unavailable(f"not installed ({error})") from None
    peer = MuJoCo(bench.robot, bench.urdf, bench.reference)
    model = peer.model
    model.opt.timestep = TIME_STEP
    model.opt.integrator = getattr(mujoco.mjtIntegrator, INTEGRATORS[integrator])
    order, n = peer.convention.joints, model.nv
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.zeros((len(q), mujoco.mj_stateSize(model, spec)))
    start[:, 1 : 1 + n], start[:, 1 + n : 1 + 2 * n] = _ordered(q, order), _ordered(v, order)  # after the time
    control = np.ascontiguousarray(_ordered(tau, order))
    state = np.zeros((len(q), tau.shape[1], start.shape[1]))
    sensors = np.zeros((len(q), tau.shape[1], model.nsensordata))
    runner, data = Rollout(nthread=0), mujoco.MjData(model)  # 0: on this thread

    def call() -> list[Array]:
        runner.rollout(
            model,
            data,
            start,
            control,
            control_spec=mujoco.mjtState.mjSTATE_QFRC_APPLIED,
            state=state,
            sensordata=sensors,
        )
        return [state[..., 1 : 1 + n], state[..., 1 + n : 1 + 2 * n]]

    return call
