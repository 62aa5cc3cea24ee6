"""`sixvec convert a.urdf b.xml`: write a robot in another format, and prove that it is the same robot."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sixvec.errors import ArgumentError, unknown
from sixvec.model import STANDARD_GRAVITY, Gear, Model


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("convert", help="write a robot as another file, and prove that it is the same robot")
    parser.add_argument("robot", help="a model file, or the name of a built-in robot")
    parser.add_argument("output", type=Path, help=f"the file to write; its suffix chooses the format: {_formats()}")
    parser.add_argument("--floating", action="store_true", help="put a free joint under the root link")
    parser.add_argument(
        "--drop",
        default="",
        metavar="WHAT,…",
        help="leave out what URDF cannot say of a joint: armature, spring; damping, friction, limits (of several "
        "freedoms); the result is not the same robot, and the exit status 1",
    )
    parser.set_defaults(run=run)


def _urdf(model: Model) -> str:
    from sixvec.loaders.urdf_writer import write_urdf

    return write_urdf(model)


def _mjcf(model: Model) -> str:
    from sixvec.loaders.mjcf_writer import write_mjcf

    return write_mjcf(model)


URDF, MJCF = ".urdf", ".xml"
WRITERS: dict[str, Callable[[Model], str]] = {URDF: _urdf, MJCF: _mjcf}
"""For each suffix, who writes it."""

MOST_NAMES_SHOWN = 20


def _formats() -> str:
    return ", ".join(WRITERS)


def run(arguments: argparse.Namespace) -> int:
    """Exit status 0 if the written robot is the same, with all its loops, else 1."""
    from sixvec.cli.equivalence import SAMPLES, differences
    from sixvec.loaders import load_model

    output: Path = arguments.output
    suffix = output.suffix.lower()
    _check_output(output, arguments.robot)
    dropped = _dropped(arguments.drop, suffix)
    whole = load_model(arguments.robot, floating=arguments.floating)
    model, gone = _without_what_is_dropped(whole, dropped) if suffix == URDF else (whole, {})
    text = WRITERS[suffix](model)
    output.write_text(text, encoding="utf-8")
    again = load_model(output)
    lost = _lost_closures(model, again)
    found = differences(replace(model, closures=tuple(c for c in model.closures if c.name not in lost)), again)
    print(f"{output}: {len(again.bodies)} links, nq {again.nq}, nv {again.nv}")
    for d in found:
        sign, word = ("✓", "within") if d.holds else ("✗", "beyond")
        print(f"  {sign} {d.quantity}: largest relative difference {d.relative:.1e}, {word} {d.allowed:.0e}")
    if lost:
        print(f"  ✗ closures of loops: the file lacks {', '.join(lost)}; the figures above leave them out")
    for what, joints in gone.items():
        print(f"  ✗ {what} dropped: the file lacks that of {', '.join(joints)}; the figures above leave it out")
    same = all(d.holds for d in found) and not lost and not gone
    print(f"{'the same robot' if same else 'NOT the same robot'}: {SAMPLES} random states of {arguments.robot}")
    _note_what_is_missing(model, again)
    if suffix == MJCF:
        _note_what_mujoco_refuses(text)
    return 0 if same else 1


def _check_output(output: Path, source: str) -> None:
    if output.suffix.lower() not in WRITERS:
        raise ArgumentError(f'cannot write "*{output.suffix}"; formats: {_formats()}')
    if output.is_dir() or not output.parent.is_dir():
        problem = "is a folder" if output.is_dir() else f'is in the folder "{output.parent}", which does not exist'
        raise ArgumentError(f'the output "{output}" {problem}; name a file in a folder that exists')
    if output.exists() and Path(source).exists() and output.samefile(source):
        raise ArgumentError(f"{output} is the file to convert; choose another name for the output")


def _dropped(text: str, suffix: str) -> list[str]:
    """What the user allows to be left out."""
    from sixvec.loaders.urdf_lacking import DROPPABLE

    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in DROPPABLE:
            raise ArgumentError("--drop: " + unknown("property", word, DROPPABLE))
    if words and suffix != URDF:
        raise ArgumentError(f"--drop is for what URDF cannot say; *{suffix} holds all of it, so leave --drop out")
    return words


def _without_what_is_dropped(model: Model, dropped: list[str]) -> tuple[Model, dict[str, list[str]]]:
    """The model that URDF can hold, and for each thing that it then lacks the joints that had it."""
    from sixvec.loaders.urdf_lacking import joints_lacking, without

    found = joints_lacking(model)
    if missing := [what for what in found if what not in dropped]:
        told = "; ".join(f"{what} of {_listed(found[what])}" for what in missing)
        raise ArgumentError(
            f"{model.name}: URDF cannot say the {told}; write MJCF (*{MJCF}), or leave it out with "
            f"--drop {','.join(found)}"
        )
    return without(model, dropped), found


def _note_what_mujoco_refuses(text: str) -> None:
    """Bodies that are read here and not by MuJoCo, which would stop at the first of them."""
    from sixvec.loaders.mjcf_refused import refused_bodies

    for why, names in refused_bodies(text).items():
        print(f"note: MuJoCo will refuse the file: {why}: {_listed(names)}")


def _listed(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMES_SHOWN]) + (", …" if len(names) > MOST_NAMES_SHOWN else "")


def _lost_closures(model: Model, again: Model) -> list[str]:
    """The names of the loops and gears that were not read back; a gear may come back as a joint that mimics."""
    kept = {c.name for c in again.closures}
    led = {b.joint_name or b.name for b in again.bodies if b.mimic}
    called = {b.name: b.joint_name or b.name for b in model.bodies}
    return [
        c.name for c in model.closures if c.name not in kept and not (isinstance(c, Gear) and called[c.follower] in led)
    ]


def _note_what_is_missing(model: Model, again: Model) -> None:
    """What the other format has no word for, and the proof does not need."""
    lost = sorted({f.name for f in model.frames} - {f.name for f in again.frames})
    if lost:
        print(f"note: the file cannot hold these frames: {', '.join(lost)}")
    if model.gravity != again.gravity:
        down = ", ".join(f"{g:g}" for g in model.gravity)
        standard = ", ".join(f"{g:g}" for g in STANDARD_GRAVITY)
        print(f"note: the file cannot hold the gravity ({down}); it loads with ({standard}) unless gravity= is given")
