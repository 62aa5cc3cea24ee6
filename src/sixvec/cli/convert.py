"""`sixvec convert a.urdf b.xml`: write a robot in another format, and prove that it is the same robot."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from sixvec.cli import options
from sixvec.cli.command import command


@command(
    name="convert",
    examples=[
        "sixvec convert arm.urdf arm.xml",
        "sixvec convert cassie.xml cassie.sdf --meshes copy",
        "sixvec convert arm.xml arm.urdf --drop armature,spring --force",
    ],
)
@options.robot
@click.argument("output", type=click.Path(path_type=Path))
@click.option(
    "--drop",
    default="",
    metavar="WHAT,…",
    help="Leave out what URDF cannot represent: armature, spring; damping, friction, limits (of joints with several "
    "freedoms).  The result is another robot, and the exit status 1.",
)
@click.option(
    "--meshes",
    type=click.Choice(["keep", "copy"]),
    default="keep",
    show_default=True,
    help="Refer to the mesh files where they are, or copy them into a folder next to the output.",
)
@options.force
def run(
    robot: str, output: Path, floating: bool, trusted: bool, drop: str, meshes: Literal["keep", "copy"], force: bool
) -> int:
    """Write a robot as another file.

    The suffix of OUTPUT chooses the format: .urdf, .xml (MJCF) or .sdf.  The new file is read again and compared with
    the robot at random states before it gets its name.
    """
    from sixvec.cli.conversion import Conversion, run_conversion
    from sixvec.formats import load_model

    return run_conversion(
        Conversion(robot, output, drop, meshes, force), lambda: load_model(robot, floating=floating, trusted=trusted)
    )
