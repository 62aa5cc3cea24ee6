"""Other libraries on the same device, on the same arm: frax (JAX) and pytorch_kinematics, those that are installed.

Each gets the arm as `panda.urdf` beside the answers, runs in single precision on arrays that are on the device, and is
compiled or vectorised as its documentation shows, on as many samples as it handles fastest.  Our kernels answer the
same question for the same states, called in the same way.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sixvec as sv
from gpu_calls import seconds

SAMPLES = (2**14, 2**16, 2**18)
"""Samples of a call; the best of them counts for each library."""

FRAME = "panda_link8"
GRAVITY = 9.81


def peers(panda: sv.Robot, folder: Path) -> Iterator[dict[str, Any]]:
    urdf = folder / "panda.urdf"
    for library in (frax, pytorch_kinematics):
        try:
            yield from library(panda, urdf)
        except (ImportError, FileNotFoundError) as missing:
            print(missing, flush=True)


def row(library: str, kernel: str, theirs: tuple[float, int], ours: tuple[float, int], error: float) -> dict[str, Any]:
    """Rates, each with the number of samples for which it is the best."""
    return {
        "kernel": f"panda {kernel}", "library": library, "dtype": "float32", "samples": theirs[1],
        "samples_per_second": theirs[0], "ours_samples": ours[1], "ours_samples_per_second": ours[0],
        "times_faster": ours[0] / theirs[0], "error": error,
    }  # fmt: skip


def best(call: Callable[[int], Any], wait: Callable[[Any], Any]) -> tuple[float, int]:
    """The highest rate and its number of samples."""
    return max((n / seconds(lambda n=n: call(n), wait, 10), n) for n in SAMPLES)


def differs(x: Any, y: Any) -> float:
    x, y = np.asarray(x), np.asarray(y)
    return float(np.abs(x - y).max() / np.abs(y).max())


def frax(panda: sv.Robot, urdf: Path) -> Iterator[dict[str, Any]]:
    import jax

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import frax as library
    jax.config.update("jax_enable_x64", False)  # otherwise its constants would be of double precision
    names = [f"panda_joint{k}" for k in range(1, 8)]
    model = library.Robot(str(urdf), joint_ordering=names)
    up = jax.numpy.array([0.0, 0.0, GRAVITY, 0.0, 0.0, 0.0], "float32")
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    state = {n: [jax.random.normal(k, (n, 7), dtype="float32") for k in keys] for n in SAMPLES}
    cases = {
        "mass_matrix": (model.mass_matrix, 1),
        "inverse_dynamics": (lambda q, v, a: model.rnea(q, v, a, up, None), 3),
        "forward_dynamics": (lambda q, v, tau: model.forward_dynamics(q, v, tau, None), 3),
    }
    for name, (function, count) in cases.items():
        calls = [jax.jit(jax.vmap(function)), jax.jit(getattr(panda, name))]
        few = [np.asarray(f(*state[SAMPLES[0]][:count])[:512]) for f in calls]
        rates = [best(lambda n, f=f, k=count: f(*state[n][:k]), jax.block_until_ready) for f in calls]
        yield row("frax", name, *rates, differs(*few))


def pytorch_kinematics(panda: sv.Robot, urdf: Path) -> Iterator[dict[str, Any]]:
    import pytorch_kinematics as library
    import torch

    logging.disable(logging.WARNING)
    chain = library.build_serial_chain_from_urdf(urdf.read_bytes(), FRAME).to(dtype=torch.float32, device="cuda")
    logging.disable(logging.NOTSET)
    state = {n: torch.randn(n, 7, device="cuda") for n in SAMPLES}
    cases: dict[str, Any] = {
        "pose": (lambda q: chain.forward_kinematics(q).get_matrix(), lambda q: panda.pose(q, FRAME)),
        "jacobian": (chain.jacobian, lambda q: panda.jacobian(q, FRAME)),
    }
    with torch.no_grad():
        for name, calls in cases.items():
            theirs, ours = (f(state[SAMPLES[0]])[:512].cpu().numpy() for f in calls)
            if name == "jacobian":  # its linear part is first
                theirs = np.concatenate([theirs[:, 3:], theirs[:, :3]], axis=1)
            rates = [best(lambda n, f=f: f(state[n]), lambda _: torch.cuda.synchronize()) for f in calls]
            yield row("pytorch_kinematics", name, *rates, differs(theirs, ours))
