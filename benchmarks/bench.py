"""One robot with its contenders, each checked against Pinocchio before it is timed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import peers
from contender import Contender, Unavailable, answer
from convention import scaled_error, worst
from kernels import Kernel
from robots import Robot, write_clean_urdf
from state import State, random_states
from timing import Effort

CHECK_TOLERANCE = 1e-8
"""Scaled: a Talos has condition numbers of 1e7, so honest implementations differ by 1e-9; wrong ones by 1e-3."""

CHECKED_STATES = 4


@dataclass
class Bench:
    """A robot, its file, Pinocchio as the reference, the contenders, and why others are left out."""

    robot: Robot
    urdf: Path
    reference: Any
    ours: Any
    peers: dict[str, Contender]
    states: State
    left_out: dict[str, str] = field(default_factory=dict)
    """Why a contender, or one of its kernels, did not take part."""

    def offers(self, kernel: Kernel) -> bool:
        """Whether our version has this kernel; noted where it has not."""
        if self.ours is None or hasattr(self.ours.robot, kernel.name):
            return True
        self.left_out[f"{self.ours.name}, {kernel.name}"] = "not in this version"
        return False

    def check(self, contender: Contender, kernel: Kernel) -> float:
        """The largest scaled difference from Pinocchio's answers, at the contender's gravity."""
        self.reference.set_gravity(contender.gravity)
        try:
            return worst(
                scaled_error(answer(contender, kernel, state), answer(self.reference, kernel, state))
                for state in (self.states[i] for i in range(CHECKED_STATES))
            )
        except Exception as error:  # a contender's bug must not end everybody's run
            self.left_out[f"{contender.name}, {kernel.name}"] = repr(error)
            return math.inf
        finally:
            self.reference.set_gravity(self.reference.gravity)

    def check_batch(self, kernel: Kernel, in_place: bool = False) -> float:
        """The same for our batch call, at the first of its states."""
        some = self.states.first(CHECKED_STATES)
        try:
            answers = self.ours.batch_answers(kernel, some, in_place=in_place)
        except Exception as error:
            self.left_out[f"{self.ours.name}, batch of {kernel.name}"] = repr(error)
            return math.inf
        return worst(scaled_error(mine, answer(self.reference, kernel, some[i])) for i, mine in enumerate(answers))


def build(robot: Robot, folder: Path, effort: Effort) -> Bench:
    """Write the robot's file and load it into every library that is there; Pinocchio must be."""
    from ours import Ours

    urdf = write_clean_urdf(robot, folder)
    reference: Any = peers.build("Pinocchio", robot, urdf, None)
    states = random_states(reference.nq, reference.nv, effort.batch, robot.floating)
    bench = Bench(robot, urdf, reference, None, {}, states)
    for name in peers.PEERS:
        try:
            bench.peers[name] = peers.build(name, robot, urdf, reference)
        except Unavailable as error:
            bench.left_out[name] = str(error)
    try:
        bench.ours = Ours(robot, urdf, reference)
    except Unavailable as error:
        bench.left_out["sixvec"] = str(error)
    return bench
