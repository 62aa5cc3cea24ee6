"""Half a cheetah learns to run: proximal policy optimization (PPO) on 256 simulated robots.

The robot is that of Gymnasium's benchmark HalfCheetah (Wawrzyński 2009), with its contacts, stops and motors, and so
are the reward and the length of a control.  Every robot is one environment of `sim.Batch`, whose contacts are rigid.  A
policy maps what a robot measures to the mean of a normal distribution of controls; a second network predicts the
reward still to come.  One iteration

* drives all robots for 64 steps with controls from that distribution,
* computes how much better each control was than predicted (generalized advantage estimation, Schulman et al. 2016),
* changes both networks by a few passes of gradient steps; ratios of probabilities outside 1 ± 0.2 gain nothing
  (Schulman et al. 2017).

    python examples/learn_to_run.py                    # about a minute on one core: 3 to 4 m/s
    python examples/learn_to_run.py 5                  # five iterations
    python examples/learn_to_run.py run.gif            # writes a film of the result, too

It needs torch and gymnasium: pip install torch gymnasium
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import sixvec as sv
from sixvec import sim
from sixvec.formats.unsupported import UnsupportedPhysics

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]

ITERATIONS, STEPS, EPISODE = 180, 64, 250
PASSES, BATCHES, RATE = 5, 8, 1e-3
DISCOUNT, TRACE, CLIP, EFFORT = 0.99, 0.95, 0.2, 0.1
FILMED = 2.0
"""Seconds."""


def observed(batch: sim.Batch) -> Any:
    """Height, pitch and joint angles, and all velocities: everything but how far it has come."""
    return np.concatenate([batch.q[:, 1:], 0.1 * batch.v], axis=1)


def reward(batch: sim.Batch) -> Any:
    """Speed in m/s, less the effort."""
    return batch.v[:, 0] - EFFORT * (batch.action**2).sum(axis=1)


def batch_of(count: int, seed: int, noise: float = 0.05) -> sim.Batch:
    """Robots that start near their upright posture; a control lasts 50 ms, five steps of the simulation."""
    gymnasium = find_spec("gymnasium")
    if gymnasium is None or gymnasium.origin is None:
        raise SystemExit("learn_to_run needs torch and gymnasium: pip install torch gymnasium")
    robot = sv.load(Path(gymnasium.origin).parent / "envs/mujoco/assets/half_cheetah.xml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsupportedPhysics)  # the file has soft contacts
        options: dict[str, Any] = {"contacts": "file", "actuators": "file", "noise": noise, "dtype": "float32"}
        return sim.Batch(robot, count, dt=0.01, substeps=5, seed=seed, **options)


def environments(count: int, seed: int) -> Any:
    batch = batch_of(count, seed)
    return sim.vector_env(batch, observation=observed, reward=reward, max_steps=EPISODE, autoreset="same_step")


def network(inputs: int, outputs: int, last: float) -> Any:
    """Two hidden layers of 64; the last layer starts small by the factor `last`."""
    layers = [torch.nn.Linear(a, b) for a, b in ((inputs, 64), (64, 64), (64, outputs))]
    with torch.no_grad():
        layers[-1].weight.mul_(last)
        layers[-1].bias.zero_()
    return torch.nn.Sequential(layers[0], torch.nn.Tanh(), layers[1], torch.nn.Tanh(), layers[2])


def advantages(rewards: Any, values: Any, ended: Any, following: Any) -> Any:
    """How much better each step was than predicted, (steps, count).

    Sum of  δ + γ λ δ' + (γ λ)² δ'' + …  to the end of the episode, with  δ = r + γ V' - V;  `following` are the
    values V' of the states that were reached, zero where the robot toppled.
    """
    result, later = torch.zeros_like(rewards), torch.zeros_like(rewards[0])
    for k in reversed(range(len(rewards))):
        surprise = rewards[k] + DISCOUNT * following[k] - values[k]
        later = surprise + DISCOUNT * TRACE * (1.0 - ended[k]) * later
        result[k] = later
    return result


def learn(iterations: int = ITERATIONS, count: int = 256, seed: int = 0) -> dict[str, Any]:
    """Mean speed and reward of all robots in every iteration, the seconds that passed, and the policy."""
    if torch is None:
        raise SystemExit("learn_to_run needs torch and gymnasium: pip install torch gymnasium")
    torch.manual_seed(seed)
    envs = environments(count, seed)
    size, controls = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    policy, value = network(size, controls, 0.01), network(size, 1, 1.0)
    spread = torch.nn.Parameter(torch.full((controls,), -0.5))  # logarithm of the standard deviations
    weights = [*policy.parameters(), *value.parameters(), spread]
    optimizer = torch.optim.Adam(weights, lr=RATE)
    history: dict[str, Any] = {"speed": [], "reward": [], "seconds": [], "policy": policy}
    seen = torch.as_tensor(envs.reset(seed=seed)[0], dtype=torch.float32)
    start = time.perf_counter()
    for iteration in range(iterations):
        optimizer.param_groups[0]["lr"] = RATE * (1.0 - iteration / iterations)
        rows: list[Any] = []
        speeds = []
        for _ in range(STEPS):
            with torch.no_grad():
                normal = torch.distributions.Normal(policy(seen), spread.exp())
                action = normal.sample()
                chance, predicted = normal.log_prob(action).sum(dim=1), value(seen)[:, 0]
            speeds.append(envs.batch.v[:, 0].mean())
            after, gained, fell, late, infos = envs.step(action.clamp(-1.0, 1.0).numpy())
            reached = np.array(after)  # before those that ended were put back
            for k in np.flatnonzero(fell | late):
                reached[k] = infos["final_obs"][k]
            with torch.no_grad():
                following = value(torch.as_tensor(reached, dtype=torch.float32))[:, 0]
            flags = [torch.as_tensor(x, dtype=torch.float32) for x in (gained, fell | late, fell)]
            rows.append([seen, action, chance, predicted, flags[0], flags[1], following * (1.0 - flags[2])])
            seen = torch.as_tensor(after, dtype=torch.float32)
        states, actions, chances, values, rewards, ended, following = (torch.stack(x) for x in zip(*rows, strict=True))
        better = advantages(rewards, values, ended, following)
        data = [x.flatten(0, 1) for x in (states, actions, chances, better, better + values)]
        improve(optimizer, weights, policy, value, spread, data)
        history["speed"].append(float(np.mean(speeds)))
        history["reward"].append(float(rewards.mean()))
        history["seconds"].append(time.perf_counter() - start)
    return history


def improve(optimizer: Any, weights: Any, policy: Any, value: Any, spread: Any, data: list[Any]) -> None:
    """Gradient steps on random parts of the data."""
    for _ in range(PASSES):
        for part in torch.randperm(len(data[0])).chunk(BATCHES):
            state, action, chance, better, goal = (x[part] for x in data)
            better = (better - better.mean()) / (better.std() + 1e-6)
            ratio = (torch.distributions.Normal(policy(state), spread.exp()).log_prob(action).sum(1) - chance).exp()
            gain = torch.minimum(ratio * better, ratio.clamp(1.0 - CLIP, 1.0 + CLIP) * better).mean()
            loss = 0.5 * (value(state)[:, 0] - goal).square().mean() - gain
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 0.5)
            optimizer.step()


def run(policy: Any, seconds: float) -> Any:
    """Positions (steps, nq) of one robot with the most probable controls, from rest."""
    batch, path = batch_of(1, 0, noise=0.0), []
    for _ in range(round(seconds / 0.05)):
        with torch.no_grad():
            action = policy(torch.as_tensor(observed(batch), dtype=torch.float32)).clamp(-1.0, 1.0).numpy()
        batch.step(action)
        path.append(batch.q[0].copy())
    return np.array(path, float)


def film(policy: Any, to: str) -> float:
    """Write a film, from a camera that follows the robot, and return its mean speed in m/s after the first second."""
    model, path = batch_of(1, 0).robot.model, run(policy, 1.0 + FILMED)[round(1.0 / 0.05) :]
    robot = sv.Robot(
        replace(model, geoms=tuple(g for g in model.geoms if g.frame != "world"))
    )  # the floor is 80 m wide
    speed = float((path[-1, 0] - path[0, 0]) / (FILMED - 0.05))
    path[:, 0] -= path[0, 0] + speed * 0.05 * np.arange(len(path))
    robot.animate(path, to, dt=0.05, overwrite=True)
    return speed


def main() -> None:
    if torch is not None:
        torch.set_num_threads(1)  # the networks are small
    films = [x for x in sys.argv[1:] if x.endswith((".gif", ".mp4", ".html"))]
    numbers = [int(x) for x in sys.argv[1:] if x not in films]
    history = learn(*numbers)
    for k in range(0, len(history["speed"]), 10):
        print(f"iteration {k:3}: {history['speed'][k]:5.2f} m/s, reward {history['reward'][k]:5.2f} per step")
    print(f"at the end: {history['speed'][-1]:.2f} m/s after {history['seconds'][-1]:.0f} s")
    for to in films:
        print(f"{to}: {film(history['policy'], to):.2f} m/s without random controls")


if __name__ == "__main__":
    main()
