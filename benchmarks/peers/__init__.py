"""Adapters: one file per library that is compared with."""

from __future__ import annotations

import importlib

from contender import Contender, Unavailable
from robots import Robot

PEERS = {"Pinocchio": "pinocchio_peer", "MuJoCo": "mujoco_peer", "dynibo": "dynibo_peer", "frax": "frax_peer"}
"""Peers by name, each with the module whose `build(robot, urdf, reference)` makes its contender."""


def build(name: str, robot: Robot, urdf: object, reference: object) -> Contender:
    """The contender `name` for `robot`; raises `Unavailable` with the reason where there is none."""
    try:
        module = importlib.import_module(f"peers.{PEERS[name]}")
    except ImportError as error:
        raise Unavailable(f"not installed ({error})") from None
    contender: Contender = module.build(robot, urdf, reference)
    return contender
