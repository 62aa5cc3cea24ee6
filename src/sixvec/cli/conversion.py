"""The conversion of `sixvec convert`: a robot is written, read again and compared before the file gets its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from sixvec.arguments.progress import progress
from sixvec.cli.equivalence import SAMPLES, differences
from sixvec.cli.outputs import require_output
from sixvec.cli.status import Status
from sixvec.cli.terminal import say
from sixvec.errors import ArgumentError, ModelError, OutputError, unknown
from sixvec.formats import load_model
from sixvec.formats.draft import Draft
from sixvec.formats.fitted_geoms import dressed
from sixvec.formats.save import MJCF, URDF, listed, lost_closures, what_is_missing, writer
from sixvec.model import Model


@dataclass(frozen=True)
class Conversion:
    """What the command line asks for."""

    source: str
    output: Path
    drop: str = ""
    meshes: Literal["keep", "copy"] = "keep"
    force: bool = False


def run_conversion(conversion: Conversion, read: Callable[[], Model]) -> int:
    """Write next to the output, compare, then replace the output; exit status 1 if it is not the same robot.

    Loops that the format cannot represent, and parts dropped on request, are omitted and reported.  If anything else
    differs, the writer is wrong, and nothing is written.
    """
    output = conversion.output
    suffix = output.suffix.lower()
    writer(output)
    dropped = _dropped(conversion.drop, suffix)
    require_output(output, conversion.force, conversion.source)
    whole = read()
    model, gone = _without_what_is_dropped(whole, dropped) if suffix == URDF else (whole, {})
    shown = dressed(model, output, conversion.meshes)
    model = shown.model
    text = _written(model, output)
    with Draft(output, text, overwrite=conversion.force) as draft:
        again = load_model(draft.file)
        lost = lost_closures(model, again)
        with progress("comparing both robots"):
            compared = replace(model, closures=tuple(c for c in model.closures if c.name not in lost))
            measured = differences(compared, again)
        right = all(d.holds for d in measured)
        if right:
            shown.copy()
            draft.place()
    shapes = f", {len(again.geoms)} shapes for {len(whole.geoms)}" if whole.geoms else ""
    say(f"{output}: {len(again.bodies)} links, nq {again.nq}, nv {again.nv}{shapes}")
    for d in measured:
        sign, word = ("✓", "within") if d.holds else ("✗", "beyond")
        say(f"  {sign} {d.quantity}: largest relative difference {d.relative:.1e}, {word} {d.allowed:.0e}")
    if lost:
        say(f"  ✗ closures of loops: the file lacks {listed(lost)}; the figures above leave them out")
    for what, joints in gone.items():
        say(f"  ✗ {what} dropped: the file lacks that of {listed(joints)}; the figures above leave it out")
    same = right and not lost and not gone
    verdict = "NOT the same robot" if not same else "the same robot but for shapes" if shown.notes else "the same robot"
    say(f"{verdict}: {SAMPLES} random states of {conversion.source}")
    if not right:
        say("nothing was written")
    for note in (*shown.notes, *what_is_missing(model, again)):
        say(f"note: {note}")
    if suffix == MJCF:
        _note_what_mujoco_rejects(text)
    return Status.FINE if same else Status.FINDINGS


def _written(model: Model, output: Path) -> str:
    try:
        return writer(output)(model)
    except ModelError as problem:
        raise OutputError(str(problem)) from problem


def _dropped(text: str, suffix: str) -> list[str]:
    """The parts that the user allows to be omitted."""
    from sixvec.formats.urdf.lacking import DROPPABLE

    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in DROPPABLE:
            raise ArgumentError("--drop: " + unknown("property", word, DROPPABLE))
    if words and suffix != URDF:
        raise ArgumentError(
            f"--drop is for what URDF has no element for; *{suffix} represents all of it, so leave --drop out"
        )
    return words


def _without_what_is_dropped(model: Model, dropped: list[str]) -> tuple[Model, dict[str, list[str]]]:
    """The model that URDF can represent, and the joints affected by each omission."""
    from sixvec.formats.urdf.lacking import joints_lacking, without

    lacking = joints_lacking(model)
    if missing := [what for what in lacking if what not in dropped]:
        features = "; ".join(f"{what} of {listed(lacking[what])}" for what in missing)
        raise OutputError(
            f"{model.name}: URDF has no element for the {features}; write MJCF (*{MJCF}), or leave it out with "
            f"--drop {','.join(lacking)}"
        )
    return without(model, dropped), lacking


def _note_what_mujoco_rejects(text: str) -> None:
    """Bodies that can be read here but not by MuJoCo, which would stop at the first of them."""
    from sixvec.formats.mjcf.rejected import rejected_bodies

    for why, names in rejected_bodies(text).items():
        say(f"note: MuJoCo will reject the file: {why}: {listed(names)}")
