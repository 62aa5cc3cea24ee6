"""The check: all rules, in one table, applied to one file of any format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from dataclasses import replace
from importlib import import_module
from itertools import islice
from pathlib import Path

from sixvec.collector import collector_paused
from sixvec.errors import FileFormatError, SixvecError
from sixvec.formats import load_model
from sixvec.formats.budget import one_budget
from sixvec.formats.doctor import (
    dependent_rows,
    look_alikes,
    loops,
    masses,
    meshes,
    names,
    open_loops,
    spelling,
    units,
)
from sixvec.formats.doctor.finding import Finding, Findings, Report, Severity, of_error, tolerated
from sixvec.formats.doctor.outline import Outline
from sixvec.formats.folders import Folders
from sixvec.formats.load import FORMATS, allowed_folders, read_root, require_format
from sixvec.formats.node import Node
from sixvec.formats.problems import noting
from sixvec.formats.unsupported import WITHOUT, UnsupportedPhysics, summary
from sixvec.formats.urdf.xacro import SUFFIX as XACRO
from sixvec.formats.xml import LooseXml, Slip
from sixvec.geometry.rigid_body.consistency import inconsistencies
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.quoting import quoted

RULES: tuple[Callable[[Outline], Findings], ...] = (
    spelling.elements_are_known,
    spelling.elements_stand_once,
    spelling.words_are_known,
    names.references_lead_somewhere,
    names.no_cycles,
    look_alikes.names_look_different,
    units.numbers_are_numbers,
    masses.moving_leaves_have_mass,
    meshes.meshes_are_there,
)
"""The rules about elements and their relations: each checks for one kind of problem that no reader rejects.

Two more also use the loaded robot: `loops.loops_are_not_cut` and `open_loops.loops_can_close`.
"""

CLASSES = ("<default>", 'default "')
"""How the elements of default classes begin."""

UNKNOWN_CLASS = "no default class"
"""How a message about a class begins; it may be that of a body around the element."""

MOST_OF_A_KIND = 100
"""Findings of one rule that are listed; a file with more has the same problem many times."""


def outline_of(root: Node, folders: Folders) -> Outline | None:
    """The outline of a file, with its includes resolved; None where the format is not supported."""
    if root.tag not in FORMATS:
        return None
    outline: Outline = import_module(f"sixvec.formats.{FORMATS[root.tag]}.rules").outline_of(root, folders)
    return outline


def check_file(source: str | Path, *, folders: Iterable[str | Path] = (), trusted: bool = False) -> Report:
    """Examine a file of any format, or a built-in robot; nothing about its content raises.

    Files are examined element by element, with lines, whether they can be loaded or not; `folders` are those from which
    other files may be read, and a `trusted` xacro file may run code, as for `sixvec.load`.

    >>> from sixvec.formats.doctor import check_file
    >>> check_file("panda").status
    0
    """
    with collector_paused(), one_budget():
        # In a separate context: an interrupt at any place ends the noting of problems, too.
        return copy_context().run(_examined, source, allowed_folders(folders), trusted)


def _examined(source: str | Path, allowed: tuple[Path, ...], trusted: bool) -> Report:
    path = Path(source)
    if not path.is_file():
        built_in = load_model(source)  # or the error that lists the alternatives
        return Report(str(source), tuple(model_findings(built_in)), built_in)
    warned: list[Warning] = []
    with noting(warned) as noted:
        try:
            root = read_root(path, allowed, trusted=trusted)
        except FileFormatError as problem:
            return Report(str(path), _placed([of_error(problem)], path), None)
        folders, outline, problems = Folders(path.parent, allowed), None, []
        model: Model | None = None
        try:
            outline = outline_of(root, folders)
            if outline is not None:
                parts = [replace(part, folders=allowed) for part in outline.parts]
                outline = replace(outline, folders=allowed, parts=parts)
                problems = findings(outline)  # the rules first: the reader of MJCF inserts copies into the tree
            require_format(root, folders)
            with one_budget():  # the reader reads again what the rules have read
                model = outline.model() if outline is not None else None
        except SixvecError as problem:
            if problem not in noted:
                noted.append(problem if isinstance(problem, FileFormatError) else FileFormatError(str(problem)))
    of_readers = _bounded(_noted_findings(noted, problems, root))
    known = {(f.file, f.line, f.message) for f in of_readers}
    problems = [f for f in problems if (f.file, f.line, f.message) not in known] + of_readers
    if outline is not None and model is not None:
        problems += _bounded(loops.loops_are_not_cut(outline, model))
        problems += _bounded(open_loops.loops_can_close(model, root))
        problems += _bounded(dependent_rows.dependent_rows(model, root))
        problems += _weightless_joints(model, problems, root)
    for warning in warned:
        if isinstance(warning, LooseXml):
            problems += (_loose(slip, warning.where) for slip in warning.slips)
        elif isinstance(warning, UnsupportedPhysics):
            problems += [*_left_out(warning, root, problems)]
    return Report(str(path), _placed(problems, path), model)


def findings(outline: Outline) -> list[Finding]:
    """What the rules find in a file of any format, rule by rule; included files come after their host."""
    problems: list[Finding] = []
    for outlined in (outline, *outline.parts):
        problems += _bounded(outlined.problems)
        for rule in RULES:
            problems += _bounded(rule(outlined))
        for values in outlined.examined.values():
            problems += _bounded(dict.fromkeys(values))  # copies of an element have its problems
        for rule_of_format in outlined.rules:
            problems += _bounded(rule_of_format())
    return problems


def _placed(problems: list[Finding], path: Path) -> tuple[Finding, ...]:
    """Findings in the order of the lines, those of the file itself first; a xacro file has no line numbers."""
    problems = [replace(f, file="") if f.file == str(path) else f for f in dict.fromkeys(problems)]
    problems.sort(key=lambda f: (f.file, f.line or 0))
    if path.suffix.lower() == XACRO:
        problems = [
            replace(f, line=None) for f in problems
        ]  # the lines of the expansion, which is not visible to the user
    return tuple(problems)


def _noted_findings(noted: Iterable[FileFormatError], problems: Iterable[Finding], root: Node) -> list[Finding]:
    """The problems of the reader, each once.

    Rules also use the reader's functions, for elements that it does not need: such a finding has the same message, at
    the same line; of a default class, where its value or its name is written and not where it is used.
    """
    errors = [f for f in problems if f.severity is Severity.ERROR]
    written = {f.message for f in errors if f.element.startswith(CLASSES) or f.message.startswith(UNKNOWN_CLASS)}
    messages = {(f.file, f.line, f.message) for f in errors}
    distinct: dict[tuple[object, ...], Finding] = {}
    for f in (of_error(problem, root) for problem in noted):
        # A file may be included several times; its messages then differ by the names of the models.
        what = f.message if f.file == root.file else f.advice
        distinct.setdefault((f.file, f.line, f.element, what), f)
    return [f for f in distinct.values() if f.message not in written and (f.file, f.line, f.message) not in messages]


def _left_out(warned: UnsupportedPhysics, root: Node, known: Iterable[Finding]) -> Iterator[Finding]:
    """What the reader ignores: problems of the file one by one, the rest in a list at the first line concerned."""
    messages = {f.message for f in known}
    problems = dict.fromkeys(tolerated(item.problem) for item in warned.left_out if item.problem)
    yield from _bounded(f for f in problems if f.message not in messages)
    items = [item for item in warned.left_out if not item.problem]
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
    leaves = [*_massless_leaves(model)]
    yield from leaves
    yield from _weightless_joints(model, leaves)
    yield from _missing_limits(model)
    yield from open_loops.loops_can_close(model)
    yield from dependent_rows.dependent_rows(model)


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


def _weightless_joints(model: Model, problems: Iterable[Finding], root: Node | None = None) -> Findings:
    """Joints whose motion takes no energy in the neutral position, unless these problems name the links' lack of it."""
    from sixvec.algorithms.parts.weightless import weightless_joints

    form = canonical(model)
    joints = weightless_joints(form, [x for b in form.moving for x in b.joint.neutral()])
    if joints and not any(f.element == f'joint "{joints[0]}"' and "no mass" in f.message for f in problems):
        others = " and ".join(f'"{name}"' for name in joints[1:])
        message = "moves no mass in the neutral position" + f", together with {others}" * bool(others)
        advice = "forward dynamics is singular there: give the body an inertia, or the joint an armature"
        nodes = [n for n in root.iter() if n.tag == "joint" and n.get("name") == joints[0]] if root is not None else []
        line, file = (nodes[0].line, nodes[0].file) if nodes else (None, "")
        yield Finding(Severity.WARNING, line, f'joint "{joints[0]}"', message, advice, file)


def _missing_limits(model: Model) -> Findings:
    for b in model.moving:
        if b.joint.nv == 1 and not b.limits.lower and not b.limits.upper:
            advice = "add them if the joint cannot move without end"
            yield Finding(Severity.NOTE, None, f'joint "{b.joint_label}"', "has no limits", advice)
