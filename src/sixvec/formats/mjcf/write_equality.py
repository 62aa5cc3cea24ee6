"""From mimic joints and loop closures to the <equality> section of MJCF.

A closure makes two frames coincide, which are sites of the file: a weld or a connect of sites needs no position in
which the loop is closed (MuJoCo's XML reference, equality/connect).  A hinge is two connects along its axis.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sixvec.errors import ModelError
from sixvec.formats.attribute import element, opening
from sixvec.formats.mjcf.write_joint import Attributes
from sixvec.formats.names import free_name
from sixvec.formats.number_text import number, numbers
from sixvec.model import Closure, Differential, Frame, Gear, Model
from sixvec.model.joints import Fixed, Joint, Revolute, Spherical
from sixvec.spatial import Pose

CONSTRAINTS: dict[type[Joint], str] = {Fixed: "weld", Spherical: "connect", Revolute: "connect"}


def equality_elements(model: Model, sites: Collection[str]) -> Iterator[tuple[str, Attributes]]:
    """A <joint> for each joint that follows another and each gear, a <tendon> for each differential, else <weld> and
    <connect>.

    `sites` are the frames of the model that are sites of the file; others (those of bodies) get a site from
    `extra_sites`.
    """
    for b in model.bodies:
        if b.mimic:
            yield _follows(model, b.name, b.mimic.leader, b.mimic.multiplier, b.mimic.offset, "")
    for c in model.closures:
        if isinstance(c, Gear):
            yield _follows(model, c.follower, c.leader, c.ratio, c.offset, c.name)
            continue
        if isinstance(c, Differential):
            law = numbers((c.offset, 0.0, 0.0, 0.0, 0.0))
            yield "tendon", {"name": c.name, "tendon1": _law_name(model, c), "polycoef": law}
            continue
        if type(c.joint) not in CONSTRAINTS:
            raise ModelError(
                f'{model.name}: the closure "{c.name}" is a {type(c.joint).__name__.lower()} joint; MJCF can close '
                f"loops only with {', '.join(k.__name__ for k in CONSTRAINTS)}"
            )
        first, second = (_site_name(c, end, sites) for end in (1, 2))
        yield CONSTRAINTS[type(c.joint)], {"name": c.name, "site1": first, "site2": second}
        if c.joint.is_rotation:
            name = _axis_name(c)
            yield "connect", {"name": name, "site1": f"{name}/1", "site2": f"{name}/2"}


def _follows(
    model: Model, follower: str, leader: str, factor: float, offset: float, name: str
) -> tuple[str, Attributes]:
    joints = (model.by_name[body].joint_label for body in (follower, leader))
    law = dict(zip(("joint1", "joint2"), joints, strict=True))
    return "joint", ({"name": name} if name else {}) | law | {"polycoef": numbers((offset, factor, 0.0, 0.0, 0.0))}


def extra_sites(model: Model, sites: Collection[str]) -> list[Frame]:
    """The additional sites of closures: for frames that are not sites, and a second point on the axis of each hinge."""
    frames = []
    for c in model.closures:
        if not isinstance(c, Closure):
            continue
        for end, frame in ((1, model.frame(c.first)), (2, model.frame(c.second))):
            if frame.name not in sites:
                frames.append(Frame(_site_name(c, end, sites), frame.body, frame.placement))
            if c.joint.is_rotation:
                ahead = frame.placement @ Pose.translation(c.joint.rotation_axes[0])
                frames.append(Frame(f"{_axis_name(c)}/{end}", frame.body, ahead))
    return frames


def _site_name(c: Closure, end: int, sites: Collection[str]) -> str:
    frame = c.first if end == 1 else c.second
    return frame if frame in sites else f"{c.name}/{end}"


def _axis_name(c: Closure) -> str:
    return f"{c.name}/axis"


def _law_name(model: Model, c: Differential) -> str:
    """The name of the tendon of a differential."""
    return free_name(c.name, {t.name for t in model.tendons})


def law_tendons(model: Model) -> Iterator[str]:
    """The lines of a fixed tendon for every differential."""
    for c in (c for c in model.closures if isinstance(c, Differential)):
        yield opening("fixed", {"name": _law_name(model, c)})
        for body, factor in c.terms:
            yield "  " + element("joint", {"joint": model.by_name[body].joint_label, "coef": number(factor)})
        yield "</fixed>"
