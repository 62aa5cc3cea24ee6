"""A batch of environments as one of Gymnasium, for reinforcement learning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np

from sixvec.arguments.checks import whole_number
from sixvec.errors import ArgumentError, DtypeError, MissingExtra, ShapeError, unknown
from sixvec.sim.batch import Batch
from sixvec.verdict import Verdict

Law = Callable[[Batch], Any]

MODES = ("next_step", "same_step")


def vector_env(
    env: Batch,
    *,
    observation: Law | None = None,
    reward: Law | None = None,
    done: Law | None = None,
    max_steps: int = 1000,
    autoreset: Literal["next_step", "same_step"] = "next_step",
) -> Any:
    """A `gymnasium.vector.VectorEnv` of a batch, which resets environments that have ended.

    `observation`, `reward` and `done` are functions of the batch after a step: they return arrays (count, n), (count,)
    and (count,) booleans.  Without them the observation is the state, the reward zero, and nothing is done.  Episodes
    end as truncated after `max_steps` steps, and where the simulation kept a state because the next would not be
    finite.  As in Gymnasium, an environment that has ended is reset in the next step, whose action it ignores; with
    `autoreset="same_step"` at once, and the last observations are in `infos["final_obs"]`.

    >>> import sixvec
    >>> from sixvec import sim
    >>> batch = sim.Batch(sixvec.load("double_pendulum"), 2, dt=0.01)
    >>> envs = sim.vector_env(batch, reward=lambda env: -abs(env.v).sum(axis=1))
    >>> observation, _ = envs.reset(seed=0)
    >>> observation.shape, envs.action_space.shape
    ((2, 4), (2, 2))
    """
    if not isinstance(env, Batch):
        raise ArgumentError(f"vector_env takes a sixvec.sim.Batch, not a {type(env).__name__}")
    if autoreset not in MODES:
        raise ArgumentError("vector_env: " + unknown("kind of autoreset", autoreset, MODES))
    for name, law in (("observation", observation), ("reward", reward), ("done", done)):
        if law is not None and not callable(law):
            raise ArgumentError(f"vector_env: {name} is a function of the batch, not a {type(law).__name__}")
    try:
        import gymnasium
    except ImportError as problem:
        raise MissingExtra("vector_env needs gymnasium", extra="gym") from problem
    return _made(
        gymnasium,
        env,
        (observation, reward, done),
        whole_number("vector_env: max_steps", max_steps, least=1),
        autoreset,
    )


def _made(gymnasium: Any, env: Batch, laws: tuple[Law | None, ...], most: int, autoreset: str) -> Any:
    observe, reward, done = laws
    mode = getattr(gymnasium.vector.AutoresetMode, autoreset.upper())

    class BatchVectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[misc]
        """Environments of a `Batch`; `batch` is the batch itself."""

        metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": mode, "render_modes": []}

        def __init__(self) -> None:
            self.batch, self.num_envs = env, env.count
            example = self._observed()
            box = gymnasium.spaces.Box
            self.single_observation_space = box(-np.inf, np.inf, example.shape[1:], example.dtype)
            low, high = env.action_limits
            self.single_action_space = box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)
            batched = gymnasium.vector.utils.batch_space
            self.observation_space = batched(self.single_observation_space, env.count)
            self.action_space = batched(self.single_action_space, env.count)
            self.steps = np.zeros(env.count, np.int64)
            self._ended = np.zeros(env.count, bool)

        def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
            """Reset all environments, or those of `options["reset_mask"]`."""
            mask = (options or {}).get("reset_mask")
            if mask is not None and seed is not None:
                raise ArgumentError("vector_env: a seed resets all environments; leave out reset_mask")
            env.reset(mask, seed=seed)
            chosen = slice(None) if mask is None else np.asarray(mask)
            self.steps[chosen], self._ended[chosen] = 0, False
            return self._observed(), {}

        def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
            """One step of all environments."""
            again = self._ended
            env.step(actions)
            self.steps += 1
            if again.any():
                env.reset(again)
                self.steps[again] = 0
            rewards = self._each("reward", reward, float)
            terminated = self._each("done", done, bool)
            failed = np.isin(np.asarray(env.verdict), (Verdict.INVALID, Verdict.DIVERGED))
            truncated = ((self.steps >= most) | failed) & ~terminated
            if again.any():
                rewards[again], terminated[again], truncated[again] = 0.0, False, False
            ended = terminated | truncated
            observations, infos = self._observed(), {}
            if autoreset == "same_step":
                if ended.any():
                    last = np.full(env.count, None, object)
                    for k in np.flatnonzero(ended):
                        last[k] = np.array(observations[k])
                    infos = {"final_obs": last, "_final_obs": ended, "final_info": {}, "_final_info": ended}
                    env.reset(ended)
                    self.steps[ended] = 0
                    observations = self._observed()
            else:
                self._ended = ended
            return observations, rewards, terminated, truncated, infos

        def _observed(self) -> Any:
            seen = env.state if observe is None else observe(env)
            shape = tuple(getattr(seen, "shape", ()))
            if len(shape) < 2 or shape[0] != env.count:
                raise ShapeError(
                    f"vector_env: observation returned {shape}; it is ({env.count}, numbers of an observation)"
                )
            return env._library.numpy(seen)

        def _each(self, name: str, law: Law | None, kind: type) -> Any:
            if law is None:
                return np.zeros(env.count, kind)
            values: Any = env._library.numpy(law(env))
            if kind is bool and values.dtype != bool:
                raise DtypeError(f"vector_env: {name} returned {values.dtype}; it is an array of booleans")
            values = np.array(values, kind)
            if values.shape != (env.count,):
                raise ShapeError(f"vector_env: {name} returned the shape {values.shape}; it is ({env.count},)")
            return values

    return BatchVectorEnv()
