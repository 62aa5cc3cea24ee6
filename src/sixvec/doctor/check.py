"""The examination: all checks, in one table, on one file."""

from __future__ import annotations

import gc
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from sixvec.doctor import elements, joints, loops, masses, meshes, structure, units, values
from sixvec.doctor.finding import Finding, Severity, worst
from sixvec.doctor.loaded import model_findings
from sixvec.doctor.source import Tag, Unreadable, parse_tags, read_tags
from sixvec.doctor.urdf import Findings, Sheet
from sixvec.errors import FileFormatError, SixvecError
from sixvec.loaders import load_model
from sixvec.loaders.urdf import ROOT_TAG
from sixvec.loaders.xacro import SUFFIX as XACRO
from sixvec.loaders.xacro import expanded, load_xacro
from sixvec.loaders.xml import quoted
from sixvec.model import Model

URDF_CHECKS: tuple[Callable[[Sheet], Findings], ...] = (
    elements.macros_are_expanded,
    elements.elements_are_known,
    elements.elements_stand_once,
    structure.has_links,
    structure.names_are_given,
    structure.names_differ,
    structure.ends_exist,
    structure.one_joint_above,
    structure.one_root,
    structure.no_cycles,
    values.numbers_are_numbers,
    joints.types_are_known,
    joints.axes_point_somewhere,
    joints.limits_are_given,
    joints.limits_make_sense,
    joints.friction_is_not_negative,
    joints.leaders_exist,
    joints.leaders_do_not_follow_in_a_circle,
    loops.loops_are_not_cut,
    masses.inertias_are_possible,
    masses.masses_have_inertia,
    masses.moving_leaves_have_mass,
    units.lengths_are_metres,
    units.slides_are_metres,
    units.angles_are_radians,
    units.turns_are_radians,
    units.masses_are_kilograms,
    meshes.meshes_are_there,
)
"""Every check of a URDF file: each looks for one kind of problem and knows nothing of the others."""

_AT_LINE = re.compile(r" \(line (\d+)\)$")
_PLACE = re.compile(r"""(?:(?:<[^<>]+>|\w+ "[^"]*"): )+""")
"""How the loaders' errors say where: the elements on the way, first, and the line, last."""

MOST_OF_A_KIND = 100
"""Findings of one check that are listed; a file with more has one problem, many times."""


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found in a file, in the order of its lines, and the robot if it can be loaded."""

    file: str
    findings: tuple[Finding, ...]
    model: Model | None

    @property
    def status(self) -> int:
        """0: healthy, or notes only; 1: warnings; 2: errors."""
        return int(worst(self.findings))

    @property
    def summary(self) -> str:
        """The last line of the report, and the only one of a healthy file."""
        count = {s: sum(f.severity is s for f in self.findings) for s in reversed(Severity)}
        found = ", ".join(f"{n} {s.word}{'s' if n > 1 else ''}" for s, n in count.items() if n)
        health = ("healthy", "loads, with warnings", "broken")[self.status]
        robot = ""
        if self.model is not None:
            moving = len(self.model.moving)
            mass = sum(b.inertia.mass for b in self.model.bodies)
            robot = f"{len(self.model.bodies)} links, {moving} moving joint{'' if moving == 1 else 's'}, {mass:.4g} kg"
        return f"{self.file}: {health}: " + "; ".join(part for part in (found, robot) if part)

    def text(self) -> str:
        return "\n".join([*(f.text(self.file) for f in self.findings), self.summary])

    def as_dict(self) -> dict[str, object]:
        findings = [f.as_dict() for f in self.findings]
        return {"file": self.file, "status": self.status, "summary": self.summary, "findings": findings}


def check_file(source: str | Path) -> Report:
    """Examine a file of any format, or a built-in robot; nothing about its content raises.

    URDF is examined element by element, with lines; other formats by loading them: the first error that stops the
    loader, or what can be said of the loaded robot.

    >>> check_file("panda").status
    0
    """
    with _without_collector():
        return _examined(source)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Trees of elements have no cycles, and looking for some takes a fifth of the time on large files."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _examined(source: str | Path) -> Report:
    path = Path(source)
    if not path.is_file():
        built_in = load_model(source)  # or the error that says what there is instead
        return Report(str(source), tuple(model_findings(built_in)), built_in)
    try:
        root = _tags(path)
    except Unreadable as problem:
        return Report(str(path), (problem.finding,), None)
    found = check_tags(root, path) if root.tag == ROOT_TAG else []
    if _is_xacro(path):
        found = [replace(f, line=None) for f in found]  # the lines of the expansion, which nobody sees
    model: Model | None = None
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = load_xacro(path) if _is_xacro(path) else load_model(path)
        if root.tag != ROOT_TAG:  # for URDF the checks have said the same, with lines
            found += (_warned(str(w.message).removeprefix(f"{path}: ")) for w in caught)
            found += model_findings(model)
    except SixvecError as problem:
        # Where the checks found errors, the loader stopped at one of them.
        if worst(found) is not Severity.ERROR:
            found.append(_refused(problem, path))
    return Report(str(path), tuple(found), model)


def _is_xacro(path: Path) -> bool:
    return path.suffix.lower() == XACRO


def _tags(path: Path) -> Tag:
    """The elements of the file, of a xacro file those that it expands to."""
    if not _is_xacro(path):
        return read_tags(path)
    try:
        return parse_tags(expanded(path))
    except FileFormatError as problem:
        raise Unreadable(_refused(problem, path)) from None


def _refused(problem: SixvecError, path: Path) -> Finding:
    """The loader's error; of one in this file (not in one that it includes) the line and the element are known."""
    told = str(problem)
    line, element = None, ""
    if told.startswith(f"{path}: "):
        told = told.removeprefix(f"{path}: ")
        if found := _AT_LINE.search(told):
            told, line = told[: found.start()], int(found[1])
        if place := _PLACE.match(told):
            told, element = told[place.end() :], place[0].removesuffix(": ")
    return Finding(Severity.ERROR, line, element, f"cannot be loaded: {told}", "correct this first")


def _warned(message: str) -> Finding:
    return Finding(Severity.WARNING, None, "", quoted(message, 1000), "results leave it out")


def check_tags(root: Tag, path: Path) -> list[Finding]:
    """What the checks of URDF find, in the order of the lines."""
    sheet = Sheet(root, path)
    found = [finding for check in URDF_CHECKS for finding in _bounded(check(sheet))]
    return sorted(found, key=lambda f: f.line or 0)


def _bounded(findings: Iterable[Finding]) -> list[Finding]:
    stream = iter(findings)
    listed = [*islice(stream, MOST_OF_A_KIND)]
    more = next(stream, None)
    if more is not None:
        message = f"and more of the kind: {more.message}"
        listed.append(Finding(more.severity, more.line, more.element, message, "correct the first ones and run again"))
    return listed
