"""Names that do not exist here: what to write instead, for slips and for names of other libraries."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from sixvec.arguments.absent import ANSWERS
from sixvec.arguments.foreign_names import ELSEWHERE, NEEDLESS
from sixvec.quoting import quoted

_MOST = 3
_SHORTEST = 3
"""Of a name that is compared without its capitals, underscores and verb."""

_VERB = re.compile(r"^(?:calculate|compute|calc|evaluate|eval|get|mj)(?=...)")


SET = {
    "gravity": "robot = robot.with_gravity(gravity)",
    **dict.fromkeys(("lower", "upper"), "robot = robot.with_limits(joint, lower=…, upper=…)"),
    "velocity_limits": "robot = robot.with_limits(joint, velocity=…)",
    "effort_limits": "robot = robot.with_limits(joint, effort=…)",
    "mass": "robot = robot.with_payload(frame, mass)",
}
"""What to write instead of setting an attribute of a robot."""


def no_setting(name: str) -> str:
    """The message for an attribute of a robot that somebody sets.

    >>> no_setting("gravity")
    'robots do not change, so gravity cannot be set; write robot = robot.with_gravity(gravity)'
    """
    advice = f"write {SET[name]}" if name in SET else "sixvec.model.edits make other models"
    return f"robots do not change, so {quoted(name)} cannot be set; {advice}"


def no_attribute(owner: Any, name: str) -> str:
    """The message for an attribute that a robot does not have, with what to write.

    >>> import sixvec
    >>> no_attribute(sixvec.load("panda"), "foward_dynamics").partition("; ")[2]
    'did you mean forward_dynamics?'
    >>> no_attribute(sixvec.load("panda"), "fkine").partition("; ")[2]
    'write robot.pose(q, frame)'
    """
    message = f"{type(owner).__name__} has no attribute {quoted(name)!r}"
    return message if name.startswith("_") else f"{message}; {_advice(name, dir(type(owner)), 'robot')}"


def no_member(module: str, name: str, members: list[str], robot: type) -> str:
    """The message for a name that the package does not have, but perhaps its robots.

    >>> import sixvec
    >>> no_member("sixvec", "rnea", ["load"], sixvec.Robot).partition("; ")[2]
    'robots have it: sixvec.load("panda").rnea'
    """
    message = f"module {module!r} has no attribute {quoted(name)!r}"
    if not name.startswith("_") and name not in ELSEWHERE | ANSWERS and hasattr(robot, name):
        return f'{message}; robots have it: {module}.load("panda").{name}'
    return message if name.startswith("_") else f"{message}; {_advice(name, members, module)}"


def listed(module: str, names: Sequence[str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package: what is meant for users, and advice for names that it does not have.

    >>> listed("sixvec.mobile", ["dubins", "car"])[1]()
    ['car', 'dubins']
    """

    def missing(name: str) -> Any:
        raise AttributeError(no_name(module, name, names), name=name)

    return missing, lambda: sorted(names)


def no_name(module: str, name: str, names: Sequence[str]) -> str:
    """The message for a name that a package does not have, with what to write.

    >>> no_name("sixvec.spatial", "SE3", ["Pose"]).partition("; ")[2]
    'write sv.spatial.Pose'
    """
    message = f"module {module!r} has no attribute {quoted(name)!r}"
    return message if name.startswith("_") else f"{message}; {_advice(name, [*names], module)}"


class Advised(type):
    """The type of classes whose own missing attributes, such as `Robot.from_urdf`, get advice, too."""

    if not TYPE_CHECKING:  # otherwise the types of all names would be unknown

        def __getattr__(cls, name: str) -> Any:
            message = f"class {cls.__name__} has no attribute {quoted(name)!r}"
            advice = "" if name.startswith("_") else f"; {_advice(name, dir(cls), cls.__name__)}"
            raise AttributeError(message + advice, name=name, obj=cls)


def _advice(name: str, members: list[str], owner: str) -> str:
    public = [n for n in members if not n.startswith("_")]
    for plain in (str, _joined, _bare):  # as it is typed, without capitals and underscores, without the verb
        for names, phrase in ((NEEDLESS, "{}"), (ELSEWHERE, "write {}"), (ANSWERS, "{}")):
            if similar := _alike(name, names, plain):
                return phrase.format(names[similar])
        if similar := _alike(name, public, plain):
            return f"did you mean {similar}?"
    near = difflib.get_close_matches(name, public, n=_MOST, cutoff=0.75)
    return f"did you mean {' or '.join(near)}?" if near else f"dir({owner}) lists what it has"


def _alike(name: str, names: Collection[str], plain: Callable[[str], str]) -> str:
    """The name that is the same in its plain form, if there is one."""
    if plain is str or len(name) < _SHORTEST:  # M is not m
        return name if name in names else ""
    return next((n for n in names if len(n) >= _SHORTEST and plain(n) == plain(name)), "")


def _joined(name: str) -> str:
    """
    >>> _joined("calcMassMatrix")
    'calcmassmatrix'
    """
    return name.replace("_", "").lower()


def _bare(name: str) -> str:
    """
    >>> _bare("calcMassMatrix"), _bare("get_com")
    ('massmatrix', 'com')
    """
    return _VERB.sub("", _joined(name))
