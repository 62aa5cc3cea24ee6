"""pytorch_kinematics on the CPU: poses and Jacobians of batches in float64, on one thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytorch_kinematics as pk
import torch

from state import State


class PytorchKinematics:
    """A serial chain to one frame of a URDF."""

    name = "pytorch_kinematics"

    def __init__(self, urdf: Path, frame: str) -> None:
        torch.set_num_threads(1)
        logging.disable(logging.WARNING)  # it comments on every element of a URDF that it skips
        self._chain = pk.build_serial_chain_from_urdf(urdf.read_bytes(), frame).to(dtype=torch.float64)
        logging.disable(logging.NOTSET)

    def batch(self, kernel: str, states: State) -> Callable[[], Any]:
        """The call on tensors that exist."""
        q, chain = torch.from_numpy(states.q), self._chain

        def pose() -> Any:
            with torch.no_grad():
                return chain.forward_kinematics(q).get_matrix()

        def jacobian() -> Any:
            with torch.no_grad():
                return chain.jacobian(q)

        return {"pose": pose, "jacobian": jacobian}[kernel]
