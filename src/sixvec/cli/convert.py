"""`sixvec convert a.urdf b.xml`: write a robot in another format, and prove that it is the same robot."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sixvec.errors import ArgumentError
from sixvec.model import STANDARD_GRAVITY, Gear, Model


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("convert", help="write a robot as another file, and prove that it is the same robot")
    parser.add_argument("robot", help="a model file, or the name of a built-in robot")
    parser.add_argument("output", type=Path, help=f"the file to write; its suffix chooses the format: {_formats()}")
    parser.add_argument("--floating", action="store_true", help="put a free joint under the root link")
    parser.set_defaults(run=run)


def _urdf(model: Model) -> str:
    from sixvec.loaders.urdf_writer import write_urdf

    return write_urdf(model)


def _mjcf(model: Model) -> str:
    from sixvec.loaders.mjcf_writer import write_mjcf

    return write_mjcf(model)


WRITERS: dict[str, Callable[[Model], str]] = {".urdf": _urdf, ".xml": _mjcf}
"""For each suffix, who writes it."""


def _formats() -> str:
    return ", ".join(WRITERS)


def run(arguments: argparse.Namespace) -> int:
    """Exit status 0 if the written robot is the same, with all its loops, else 1."""
    from sixvec.cli.equivalence import SAMPLES, differences
    from sixvec.loaders import load_model

    output: Path = arguments.output
    if output.suffix.lower() not in WRITERS:
        raise ArgumentError(f'cannot write "*{output.suffix}"; formats: {_formats()}')
    if output.exists() and Path(arguments.robot).exists() and output.samefile(arguments.robot):
        raise ArgumentError(f"{output} is the file to convert; choose another name for the output")
    model = load_model(arguments.robot, floating=arguments.floating)
    output.write_text(WRITERS[output.suffix.lower()](model), encoding="utf-8")
    again = load_model(output)
    lost = _lost_closures(model, again)
    found = differences(replace(model, closures=tuple(c for c in model.closures if c.name not in lost)), again)
    print(f"{output}: {len(again.bodies)} links, nq {again.nq}, nv {again.nv}")
    for d in found:
        sign, word = ("✓", "within") if d.holds else ("✗", "beyond")
        print(f"  {sign} {d.quantity}: largest relative difference {d.relative:.1e}, {word} {d.allowed:.0e}")
    if lost:
        print(f"  ✗ closures of loops: the file lacks {', '.join(lost)}; the figures above leave them out")
    same = all(d.holds for d in found) and not lost
    print(f"{'the same robot' if same else 'NOT the same robot'}: {SAMPLES} random states of {arguments.robot}")
    _note_what_is_missing(model, again)
    return 0 if same else 1


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
