"""The check: all rules, in one table, applied to one file of any format."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from itertools import islice
from pathlib import Path

from sixvec.collector import collector_paused
from sixvec.errors import FileFormatError, SixvecError
from sixvec.formats import load_model
from sixvec.formats.doctor import (
    joints,
    loops,
    masses,
    meshes,
    names,
    open_loops,
    spelling,
    units,
)
from sixvec.formats.doctor.finding import Finding, Findings, Report, Severity, of_error
from sixvec.formats.doctor.outline import Outline
from sixvec.formats.folders import Folders
from sixvec.formats.load import FORMATS, read_model, read_root, trusted_folders
from sixvec.formats.node import Node
from sixvec.formats.unsupported import WITHOUT, UnsupportedPhysics, summary
from sixvec.formats.urdf.xacro import SUFFIX as XACRO
from sixvec.formats.xml import LooseXml, Slip
from sixvec.geometry.rigid_body.consistency import inconsistencies
from sixvec.model import Model
from sixvec.quoting import quoted

RULES: tuple[Callable[[Outline], Findings], ...] = (
    spelling.elements_are_known,
    spelling.elements_stand_once,
    spelling.words_are_known,
    names.names_are_given,
    names.names_differ,
    names.references_lead_somewhere,
    names.names_do_not_lead_in_a_circle,
    names.has_links,
    names.one_joint_above,
    names.ends_differ,
    names.one_root,
    names.no_cycles,
    units.numbers_are_numbers,
    joints.types_are_known,
    joints.axes_point_somewhere,
    joints.limits_are_given,
    joints.limits_make_sense,
    joints.friction_is_not_negative,
    joints.followers_can_follow,
    joints.followers_do_not_follow_in_a_circle,
    masses.inertias_are_possible,
    masses.masses_have_inertia,
    masses.moving_leaves_have_mass,
    units.lengths_are_metres,
    units.slides_are_metres,
    units.angles_are_radians,
    units.turns_are_radians,
    units.turns_are_degrees,
    units.masses_are_kilograms,
    meshes.meshes_are_there,
)
"""Every rule: each checks for one kind of problem, independent of the others and of formats.

Two more also use the loaded robot: `loops.loops_are_not_cut` and `open_loops.loops_can_close`."""

MOST_OF_A_KIND = 100
"""Findings of one rule that are listed; a file with more has the same problem many times."""


def outline_of(root: Node, folders: Folders) -> Outline | None:
    """The outline of a file, with its includes resolved; None where the format is not supported."""
    if root.tag not in FORMATS:
        return None
    outline: Outline = import_module(f"sixvec.formats.{FORMATS[root.tag]}.rules").outline_of(root, folders)
    return outline


def check_file(source: str | Path, *, folders: Iterable[str | Path] = ()) -> Report:
    """Examine a file of any format, or a built-in robot; nothing about its content raises.

    Files are examined element by element, with lines, whether they can be loaded or not; `folders` are those from which
    other files may be read, as for `sixvec.load`.

    >>> check_file("panda").status
    0
    """
    with collector_paused():
        return _examined(source, trusted_folders(folders))


def _examined(source: str | Path, trusted: tuple[Path, ...]) -> Report:
    path = Path(source)
    if not path.is_file():
        built_in = load_model(source)  # or the error that lists the alternatives
        return Report(str(source), tuple(model_findings(built_in)), built_in)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            root = read_root(path, trusted)
        except FileFormatError as problem:
            found = [(_refusal if path.suffix.lower() == XACRO else of_error)(problem)]
            return Report(str(path), _placed(found, path), None)
        folders = Folders(path.parent, trusted)
        outline = outline_of(root, folders)
        if outline is not None:
            parts = [replace(part, folders=trusted) for part in outline.parts]
            outline = replace(outline, folders=trusted, parts=parts)
        # The rules first: a reader inserts copies and included models into the tree.
        found = [] if outline is None else findings(outline)
        lines = _by_line(root)
        model: Model | None = None
        try:
            if outline is None or outline.loadable:
                model = read_model(root, folders)
        except SixvecError as problem:
            if not _is_found(problem, found, lines):
                found.append(_refusal(problem))
    if outline is not None and model is not None:
        found += _bounded(loops.loops_are_not_cut(outline, model))
        found += _bounded(open_loops.loops_can_close(model, root))
    for warned in (w.message for w in caught):
        if isinstance(warned, LooseXml):
            found += (_loose(slip, warned.where) for slip in warned.slips)
        elif isinstance(warned, UnsupportedPhysics) and root.tag != "robot":  # for URDF the rules report the same
            found += _left_out(warned, root)
    return Report(str(path), _placed(found, path), model)


def findings(outline: Outline) -> list[Finding]:
    """What the rules find in a file of any format, rule by rule; included files come after their host."""
    found: list[Finding] = []
    for part in (outline, *outline.parts):
        found += _bounded(part.problems)
        for rule in RULES:
            found += _bounded(rule(part))
        for own in part.rules:
            found += _bounded(own())
    return found


def _placed(found: list[Finding], path: Path) -> tuple[Finding, ...]:
    """Findings in the order of the lines, those of the file itself first; a xacro file has no line numbers."""
    found = [replace(f, file="") if f.file == str(path) else f for f in found]
    found.sort(key=lambda f: (f.file, f.line or 0))
    if path.suffix.lower() == XACRO:
        found = [replace(f, line=None) for f in found]  # the lines of the expansion, which is not visible to the user
    return tuple(found)


def _refusal(problem: SixvecError) -> Finding:
    """The reader's error, which stops at the first problem."""
    if not isinstance(problem, FileFormatError):
        problem = FileFormatError(str(problem))
    finding = of_error(problem)
    return replace(finding, message=f"cannot be loaded: {finding.message}")


NESTED = ("body", "model", "link", "world")
"""Nested elements for which the outer ones are not responsible."""


Lines = dict[tuple[str, int], list[Node]]
"""For each file and line, the elements that start there."""


def _by_line(root: Node) -> Lines:
    lines: Lines = {}
    for node in root.iter():
        if node is not root:
            lines.setdefault((node.file, node.line), []).append(node)
    return lines


def _is_found(problem: SixvecError, found: list[Finding], lines: Lines) -> bool:
    """Whether an error of the rules is the one that the reader reports: at its line or those of other elements involved
    in it, in its element, or in the default class from which its values come.
    """
    errors = {(f.file, f.line) for f in found if f.severity is Severity.ERROR}
    if not isinstance(problem, FileFormatError) or problem.line is None:
        return bool(errors)
    about = [*lines.get((problem.file, problem.line), ())]
    tags = {node.tag for node in about}
    about += (n for each in lines.values() for n in each if n.tag in tags and n.parent and n.parent.tag == "default")
    for each in about:  # grows by the nested elements
        about += (inner for inner in each.inside if inner.tag not in NESTED)
    places = {(problem.file, problem.line), *problem.places, *((node.file, node.line) for node in about)}
    return not places.isdisjoint(errors)


def _left_out(warned: UnsupportedPhysics, root: Node) -> Iterator[Finding]:
    """The list of what the reader ignores, at the first line concerned."""
    items = [item for item in warned.found if not item.reported]
    if items:
        first = min(items, key=lambda item: (item.file != root.file, item.line or 0))
        text = quoted(f"{WITHOUT}: {summary(items)}", 1000)
        yield Finding(Severity.WARNING, first.line or root.line, "", text, "results leave it out", first.file)


def _loose(slip: Slip, file: str) -> Finding:
    advice = "this library and the format's own programs read it, strict readers of XML do not"
    return Finding(Severity.WARNING, slip.line, "", slip.what, advice, file)


def _bounded(findings: Iterable[Finding]) -> list[Finding]:
    stream = iter(findings)
    listed = [*islice(stream, MOST_OF_A_KIND)]
    more = next(stream, None)
    if more is not None:
        message, advice = f"and more of the kind: {more.message}", "correct the first ones and run again"
        listed.append(replace(more, message=message, advice=advice))
    return listed


def model_findings(model: Model) -> Findings:
    """Inconsistent inertias, moving leaves without mass, missing limits, loops that cannot be closed."""
    yield from _impossible_inertias(model)
    yield from _massless_leaves(model)
    yield from _missing_limits(model)
    yield from open_loops.loops_can_close(model)


def _impossible_inertias(model: Model) -> Findings:
    for b in model.bodies:
        for reason in inconsistencies(b.inertia):
            advice = "compute the inertia from the shape again"
            message = f"no body can have this inertia: {reason}"
            severity = Severity.WARNING if b.inertia.mass == 0.0 or "triangle" in reason else Severity.ERROR
            yield Finding(severity, None, f'body "{b.name}"', message, advice)


def _massless_leaves(model: Model) -> Findings:
    heavy: set[str | None] = set()
    for b in reversed(model.bodies):  # children first
        if any(b.inertia) or b.name in heavy:
            heavy |= {b.name, b.parent}
        elif b.joint.nv and not b.mimic and not all(b.dynamics.armature or (0.0,)):
            message = f'moves "{b.name}", which has no mass, nor has anything that it carries'
            advice = "forward dynamics will be singular: give it a mass, or lock the joint"
            yield Finding(Severity.WARNING, None, f'joint "{b.joint_label}"', message, advice)


def _missing_limits(model: Model) -> Findings:
    for b in model.moving:
        if b.joint.nv == 1 and not b.limits.lower and not b.limits.upper:
            advice = "add them if the joint cannot move without end"
            yield Finding(Severity.NOTE, None, f'joint "{b.joint_label}"', "has no limits", advice)
