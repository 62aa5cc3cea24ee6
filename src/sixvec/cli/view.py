"""`sixvec view ROBOT`: the robot in the browser."""

from __future__ import annotations

import argparse
from typing import Any

from sixvec.cli.model_options import add_trusted
from sixvec.cli.terminal import say


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("view", help="show a robot in the browser: sliders, frames, an ik target to drag")
    parser.add_argument("robots", nargs="+", metavar="ROBOT", help="model files, or names of built-in robots")
    parser.add_argument("--floating", action="store_true", help="put a free joint under the root link")
    parser.add_argument("--host", default="127.0.0.1", help="address to serve on; default 127.0.0.1, this machine only")
    parser.add_argument("--port", type=int, default=8080, help="port to serve on, the next free one if taken")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    add_trusted(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    import numpy as np

    from sixvec.robot import load
    from sixvec.viz.origin import is_loopback
    from sixvec.viz.viewer import Viewer

    robots = [load(source, floating=arguments.floating, trusted=arguments.trusted) for source in arguments.robots]
    viewer = Viewer(host=arguments.host, port=arguments.port, browser=False)
    along = 0.0
    for robot in robots:
        base = np.eye(4)
        base[1, 3] = along
        along += 1.5 * viewer.add(robot, base=base).size
    if arguments.port and viewer.port != arguments.port:
        say(f"port {arguments.port} is taken; using {viewer.port}")
    say(f"{', '.join(robot.name for robot in robots)} at {viewer.url}, until Ctrl-C")
    if not is_loopback(arguments.host):
        say(
            "every machine that reaches this address sees the robot, its shapes and names, and can move it: "
            "there is no password; without --host only this machine can"
        )
    if not arguments.no_browser and not viewer.open():
        say("no browser was found; open that address in one")
    viewer.wait()
    return 0
