"""Planar arms of uniform unit rods in the x-y plane, whose equations fit on a line."""

from __future__ import annotations

from functools import cache

import numpy as np

from sixvec import Robot
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

ROD = RigidInertia(1.0, Vec3(0.5, 0.0, 0.0), Sym3.diagonal(0.0, 1.0 / 3.0, 1.0 / 3.0))
"""A thin rod of 1 kg and 1 m along x: mass, first moment and inertia about its end."""

FREE = Vec3(0.0, 0.0, 0.0)


def along_x(length: float) -> Pose:
    return Pose.translation(Vec3(length, 0.0, 0.0))


def chain(name: str, links: int, base: Pose, prefix: str = "") -> tuple[list[Body], list[Frame]]:
    bodies = []
    for i in range(links):
        parent = f"{prefix}link{i}" if i else "base"
        body = f"{prefix}link{i + 1}"
        bodies.append(Body(body, parent, Revolute(), along_x(1.0) if i else base, ROD, f"{prefix}joint{i + 1}"))
    return bodies, [Frame(f"{prefix}tip", f"{prefix}link{links}", along_x(1.0))]


@cache
def planar(links: int) -> Robot:
    """A chain of unit rods; its tip is the frame "tip"."""
    bodies, frames = chain(f"planar_{links}r", links, Pose.identity())
    return Robot(Model(f"planar_{links}r", (Body("base"), *bodies), tuple(frames), gravity=FREE))


@cache
def five_bar() -> Robot:
    """Two arms with two links each, 1 m apart: the tips of a closed five-bar linkage are one point."""
    left, left_frames = chain("five_bar", 2, Pose.identity(), "left_")
    right, right_frames = chain("five_bar", 2, along_x(1.0), "right_")
    return Robot(Model("five_bar", (Body("base"), *left, *right), (*left_frames, *right_frames), gravity=FREE))


def tip(q: np.ndarray) -> np.ndarray:
    """The tip of a chain, written down independently of the library."""
    angles = np.cumsum(q, axis=-1)
    return np.stack([np.cos(angles).sum(axis=-1), np.sin(angles).sum(axis=-1)], axis=-1)
