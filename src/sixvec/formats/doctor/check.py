"""The examination: all rules, in one table, on one file of any format."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

from sixvec.errors import FileFormatError, SixvecError
from sixvec.formats import load_model
from sixvec.formats.doctor import (
    elements,
    joints,
    loops,
    masses,
    meshes,
    mimics,
    names,
    spelling,
    structure,
    units,
    values,
)
from sixvec.formats.doctor.finding import Finding, Findings, Severity
from sixvec.formats.doctor.loaded import model_findings
from sixvec.formats.doctor.refusal import is_told, refusal
from sixvec.formats.doctor.report import Report
from sixvec.formats.doctor.sheet import Sheet
from sixvec.formats.doctor.source import Tag, Unreadable, parse_tags, read_tags
from sixvec.formats.doctor.unread import first_mention, without_missing_models
from sixvec.formats.load import MJCF_TAG, SDF_TAG, trusted_folders
from sixvec.formats.urdf.read import ROOT_TAG as URDF_TAG
from sixvec.formats.urdf.read import urdf_model
from sixvec.formats.urdf.rules import urdf_sheet
from sixvec.formats.urdf.xacro import SUFFIX as XACRO
from sixvec.formats.urdf.xacro import expanded
from sixvec.formats.xml import LooseXml, parse_xml
from sixvec.formats.xml_parser import Slip
from sixvec.model import Model
from sixvec.quoting import quoted

RULES: tuple[Callable[[Sheet], Findings], ...] = (
    elements.elements_are_known,
    elements.elements_stand_once,
    spelling.words_are_known,
    names.names_are_given,
    names.names_differ,
    names.references_lead_somewhere,
    names.names_do_not_lead_in_a_circle,
    structure.has_links,
    structure.one_joint_above,
    structure.ends_differ,
    structure.one_root,
    structure.no_cycles,
    values.numbers_are_numbers,
    joints.types_are_known,
    joints.axes_point_somewhere,
    joints.limits_are_given,
    joints.limits_make_sense,
    joints.friction_is_not_negative,
    mimics.followers_can_follow,
    mimics.followers_do_not_follow_in_a_circle,
    loops.loops_are_not_cut,
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
"""Every rule: each looks for one kind of problem and knows nothing of the others, nor of formats."""

MOST_OF_A_KIND = 100
"""Findings of one rule that are listed; a file with more has one problem, many times."""


def _urdf(root: Tag, path: Path, _: Model | None, folders: tuple[Path, ...]) -> Sheet:
    return urdf_sheet(root, path)


def _mjcf(root: Tag, path: Path, model: Model | None, folders: tuple[Path, ...]) -> Sheet:
    """The adapters of other formats are imported when a file needs them, as their loaders are."""
    from sixvec.formats.mjcf.rules import mjcf_sheet

    return mjcf_sheet(root, path, model, folders)


def _sdf(root: Tag, path: Path, model: Model | None, folders: tuple[Path, ...]) -> Sheet:
    from sixvec.formats.sdf.rules import sdf_sheet

    return sdf_sheet(root, path, model, folders)


Adapter = Callable[[Tag, Path, Model | None, tuple[Path, ...]], Sheet]

ADAPTERS: dict[str, Adapter] = {
    URDF_TAG: _urdf,
    MJCF_TAG: _mjcf,
    SDF_TAG: _sdf,
}
"""For each outermost element, who fills the sheet; the model tells where things are, if it could be loaded."""


def check_file(source: str | Path, *, folders: Iterable[str | Path] = ()) -> Report:
    """Examine a file of any format, or a built-in robot; nothing about its content raises.

    Files are examined element by element, with lines, whether they can be loaded or not; `folders` are those from
    which it may read others, as for `sixvec.load`.

    >>> check_file("panda").status
    0
    """
    with _without_collector():
        return _examined(source, trusted_folders(folders))


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


def _examined(source: str | Path, folders: tuple[Path, ...]) -> Report:
    path = Path(source)
    if not path.is_file():
        built_in = load_model(source)  # or the error that says what there is instead
        return Report(str(source), tuple(model_findings(built_in)), built_in)
    try:
        root, text = _tags(path, folders)
    except Unreadable as problem:
        return Report(str(path), (problem.finding,), None)
    model: Model | None = None
    refused: SixvecError | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if text is None:
                model = load_model(path, folders=folders)
            else:
                model = urdf_model(parse_xml(text, str(path)))
        except SixvecError as problem:
            refused = problem
    found = check_tags(root, path, model, folders)
    loose = [w.message for w in caught if isinstance(w.message, LooseXml)]
    found += (_loose(slip, message.where, path) for message in loose for slip in message.slips)
    if root.tag != URDF_TAG:  # for URDF the rules have said the same, with lines
        others = (str(w.message) for w in caught if not isinstance(w.message, LooseXml))
        left_out = (without_missing_models(message.removeprefix(f"{path}: ")) for message in others)
        found += (_warned(root, message) for message in left_out if message)
    if refused is not None and not is_told(told := refusal(refused, path), found, root):
        found.append(told)
    found.sort(key=lambda f: (f.file, f.line or 0))
    if _is_xacro(path):
        found = [replace(f, line=None) for f in found]  # the lines of the expansion, which nobody sees
    return Report(str(path), tuple(found), model)


def _is_xacro(path: Path) -> bool:
    return path.suffix.lower() == XACRO


def _tags(path: Path, folders: tuple[Path, ...]) -> tuple[Tag, str | None]:
    """The elements of the file, of a xacro file those that it expands to, with the text of that."""
    if not _is_xacro(path):
        return read_tags(path), None
    try:
        text = expanded(path, folders=folders)
        return parse_tags(text), text
    except FileFormatError as problem:
        raise Unreadable(refusal(problem, path)) from None


def _warned(root: Tag, message: str) -> Finding:
    """The loader's list of what it leaves out, at the first line that it is about."""
    place = first_mention(root, message)
    return Finding(Severity.WARNING, place.line, "", quoted(message, 1000), "results leave it out", place.file)


def _loose(slip: Slip, file: str, path: Path) -> Finding:
    advice = "this library and the format's own programs read it, strict readers of XML do not"
    return Finding(Severity.WARNING, slip.line, "", slip.what, advice, "" if file == str(path) else file)


def check_tags(root: Tag, path: Path, model: Model | None = None, folders: tuple[Path, ...] = ()) -> list[Finding]:
    """What the rules find in a file of any format, rule by rule; included files come after their host."""
    if root.tag not in ADAPTERS:
        return []
    whole = ADAPTERS[root.tag](root, path, model, folders)
    found: list[Finding] = []
    for sheet in (whole, *whole.parts):
        found += _bounded(sheet.problems)
        for rule in RULES:
            found += _bounded(rule(sheet))
        for own in sheet.rules:
            found += _bounded(own())
    return found


def _bounded(findings: Iterable[Finding]) -> list[Finding]:
    stream = iter(findings)
    listed = [*islice(stream, MOST_OF_A_KIND)]
    more = next(stream, None)
    if more is not None:
        message, advice = f"and more of the kind: {more.message}", "correct the first ones and run again"
        listed.append(replace(more, message=message, advice=advice))
    return listed
