"""`sixvec demo [ROBOT]`: the robot, whether its numbers are right, how fast they are, and a film."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from timeit import Timer
from typing import TYPE_CHECKING, Any

import click

from sixvec.cli import options
from sixvec.cli.command import command
from sixvec.cli.status import Status
from sixvec.cli.terminal import as_printed, say
from sixvec.errors import ArgumentError, MissingExtra

if TYPE_CHECKING:
    from sixvec.robot import Robot

TIMED = {"inverse_dynamics": "qva", "forward_dynamics": "qva", "mass_matrix": "q"}
"""Methods that are timed, with their arguments."""

BATCH = 4096
REPEATS = 7
SECONDS = 0.01
"""Of one repeat, about."""

DURATION, STEP = 2.0, 0.001
"""Of the film, in seconds: long enough for energy to change its form several times."""


@command(name="demo", examples=["sixvec demo", "sixvec demo ur5e --output fall.gif --force"])
@click.argument("robot", default="panda", required=False, shell_complete=options.complete_robots)
@options.output("The film to write: *.gif, *.mp4, *.html or *.png.", default=Path("demo.gif"), show_default=True)
@options.force
@options.trusted
def run(robot: str, output: Path, force: bool, trusted: bool) -> int:
    """Show what the library does, on one robot.

    Prints the tree of the robot, checks its numbers, measures the speed on this machine, and writes a film of the robot
    when it is let go.
    """
    from sixvec.cli.outputs import require_output
    from sixvec.model.text_tree import text_tree
    from sixvec.robot import load

    loaded = load(robot, trusted=trusted)
    if not loaded.nv:
        raise ArgumentError(f"{loaded.name} has no joint that moves; the demo needs one")
    require_output(output, force, robot)
    _title("The robot", f"sixvec show {robot}")
    say(text_tree(loaded.model))
    _title("Are its numbers right?", f"sixvec verify {robot}")
    verification = loaded.verify()
    say(verification.table(as_printed))
    _title("How fast are they?", f"best of {REPEATS}, on this machine")
    for line in speeds(loaded):
        say(line)
    _title("Let go", "robot.rollout, robot.animate")
    say(film(loaded, output, force))
    return Status.FINE if verification else Status.FINDINGS


def _title(text: str, origin: str) -> None:
    say(f"\n{text}  ({origin})\n")


def speeds(robot: Robot) -> Iterator[str]:
    """A line per method: the time of a call from Python, and of a state in a batch on one core."""
    from sixvec.compiler.threads import set_threads

    before = set_threads(1)
    try:
        yield f"{'':17} {'one call':>12} {f'in a batch of {BATCH}, one core':>31}"
        for method in TIMED:
            one, many = seconds(robot, method, 1), seconds(robot, method, BATCH) / BATCH
            yield f"{method:17} {1e9 * one:9.0f} ns {1e9 * many:25.1f} ns each"
    finally:
        set_threads(before)


def seconds(robot: Robot, method: str, count: int) -> float:
    """Seconds per call.  The call is written out in the timed loop, so that only the loop adds to it."""
    import numpy as np

    from sixvec.analysis.verify.state import random_states

    state = random_states(robot, *([count] if count > 1 else []))
    if robot.model.closures:
        state = state._replace(q=np.broadcast_to(start(robot), state.q.shape))
    names: dict[str, Any] = {"f": getattr(robot, method), **state._asdict()}
    timer = Timer(f"f({', '.join(TIMED[method])})", globals=names)
    loops = max(1, math.ceil(SECONDS / min(timer.repeat(2, number=3)) * 3))
    return min(timer.repeat(REPEATS, loops)) / loops


def start(robot: Robot) -> Any:
    """Joints in the middle of their ranges, with closed loops."""
    from sixvec.analysis.verify.state import middle

    q = middle(robot).q
    return robot.assemble(q).q if robot.model.closures else q


def film(robot: Robot, output: Path, force: bool) -> str:
    """Let the robot go, write the film, and say what happened."""
    import numpy as np

    q, zeros = start(robot), np.zeros(robot.nv)
    fall = robot.rollout(q, zeros, zeros, STEP, steps=round(DURATION / STEP), integrator="rk4")
    energy = robot.energy(fall.q, fall.v)
    summary = (
        f"Without motors, friction or joint stops for {DURATION:g} s, {len(fall.q)} Runge-Kutta steps.\n"
        f"The total energy, {energy[0]:.1f} J, changes by at most {np.ptp(energy):.0e} J."
    )
    try:
        return f"{summary}\nFilm: {robot.animate(fall, output, overwrite=force)}"
    except MissingExtra as problem:
        return f"{summary}\nNo film: {problem}"
