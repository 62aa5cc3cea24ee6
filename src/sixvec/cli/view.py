"""`sixvec view ROBOT`: the robot in the browser."""

from __future__ import annotations

import click

from sixvec.cli import options
from sixvec.cli.command import command
from sixvec.cli.status import Status
from sixvec.cli.terminal import say


@command(
    name="view",
    examples=[
        "sixvec view panda",
        "sixvec view arm.urdf ur5e          # side by side",
        "sixvec view panda --no-browser     # on another machine: ssh -L 8080:localhost:8080",
    ],
)
@click.argument("robots", nargs=-1, required=True, metavar="ROBOT...", shell_complete=options.complete_robots)
@click.option("--floating", is_flag=True, help="Put a free joint under the root link.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on; the default: this machine.")
@click.option("--port", type=int, default=8080, show_default=True, help="Port, or the next free one.")
@click.option("--no-browser", is_flag=True, help="Print the address and open nothing.")
@options.trusted
def run(robots: tuple[str, ...], floating: bool, host: str, port: int, no_browser: bool, trusted: bool) -> int:
    """Show robots in the browser.

    Sliders move the joints; frames, inertias and Jacobians can be shown; a target can be dragged that inverse
    kinematics follows.  Needs the extra `view`.
    """
    import numpy as np

    from sixvec.robot import load
    from sixvec.viz.origin import is_loopback
    from sixvec.viz.viewer import Viewer

    loaded = [load(source, floating=floating, trusted=trusted) for source in robots]
    viewer = Viewer(host=host, port=port, browser=False)
    along = 0.0
    for robot in loaded:
        base = np.eye(4)
        base[1, 3] = along
        along += 1.5 * viewer.add(robot, base=base).size
    if port and viewer.port != port:
        say(f"port {port} is taken; using {viewer.port}")
    say(f"{', '.join(robot.name for robot in loaded)} at {viewer.url}, until Ctrl-C")
    if not is_loopback(host):
        say(
            "every machine that reaches this address sees the robot, its shapes and names, and can move it: "
            "there is no password; without --host only this machine can"
        )
    if not no_browser and not viewer.open():
        say("no browser was found; open that address in one")
    viewer.wait()
    return Status.FINE
