"""Tendons of MJCF: sums of joint positions, and paths through sites and over shapes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sixvec.formats.mjcf.actuator_defaults import LIMITED
from sixvec.formats.mjcf.compiler import Compiler, choice
from sixvec.formats.mjcf.defaults import Defaults
from sixvec.formats.mjcf.equality import Joints
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.names import free_name
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt
from sixvec.formats.unsupported import Unsupported
from sixvec.geometry.rigid_body.solids import Cylinder, Sphere
from sixvec.model import Frame, Geom
from sixvec.model.tendon import (
    FixedTendon,
    PathElement,
    Pulley,
    SpatialTendon,
    Tendon,
    TendonForces,
    ViaPoint,
    Wrap,
)
from sixvec.quoting import quoted

FORCES = {"stiffness": "stiffness", "damping": "damping", "frictionloss": "friction", "armature": "armature"}
"""For each attribute of the file its name in the model."""

CLASS = "tendon"
"""In a default class, all tendons have this tag."""


@dataclass(frozen=True)
class Route:
    """What tendons may run along, by its name in the file."""

    joints: Joints
    sites: Mapping[str, Frame]
    geoms: Mapping[str, Geom]
    complete: bool
    """Whether all names of the file are known; bodies made from other files are not."""


def read_tendons(
    root: Node, defaults: Defaults, route: Route, compiler: Compiler, unsupported: Unsupported, only_laws: set[str]
) -> dict[str, Tendon]:
    """All tendons under their names, but for those that only write down the law of an equality."""
    tendons: dict[str, Tendon] = {}
    taken = {node.get("name") for _, node in sections(root, "tendon")}
    for number, (_, node) in enumerate(sections(root, "tendon"), 1):
        if node.get("name") in only_laws:
            continue
        name = node.get("name") or free_name(f"tendon{number}", taken)
        taken.add(name)
        if not route.complete and (missing := _missing(node, route)):
            unsupported.add(f"tendon ({node.tag}): {missing} is not in the file", node)
            continue
        full = defaults.resolved(node, tag=CLASS)
        tendon = attempt(None, _read, full, name, route, compiler, unsupported)
        if tendon is not None:
            tendons[name] = tendon
            for force in tendon.forces.present:
                unsupported.add(f"{force} of a tendon (not part of the dynamics)", node)
    return tendons


def _missing(node: Node, route: Route) -> str:
    """The first name in a tendon that the file does not define."""
    for key, offered in (
        ("joint", route.joints),
        ("site", route.sites),
        ("sidesite", route.sites),
        ("geom", route.geoms),
    ):
        for element in node.inside:
            if element.has(key) and element.get(key) not in offered:
                return f'{key} "{quoted(element.get(key))}"'
    return ""


def _read(node: Node, name: str, route: Route, compiler: Compiler, unsupported: Unsupported) -> Tendon:
    forces = _forces(node, compiler, unsupported)
    if node.tag == "fixed":
        return FixedTendon(name, _terms(node, route), forces=forces)
    path = tuple(_element(element, route) for element in node.inside)
    _require_unbroken_path(node, path)
    return SpatialTendon(name, path, forces)


def _terms(node: Node, route: Route) -> tuple[tuple[str, float], ...]:
    terms: dict[str, float] = {}
    for side in node.inside:
        joint = side.text("joint")
        _require(side, "joint", route.joints)
        if route.joints[joint][1].joint.nv != 1:
            raise side.error(f'joint "{joint}" is a ball or free joint', "name hinges and slides")
        if joint in terms:
            raise side.error(f'joint "{joint}" has two terms', "give one, with the sum of the factors")
        terms[joint] = side.number("coef")
    if not terms:
        raise node.error("has no joints", 'add <joint joint="…" coef="…"/>')
    return tuple(terms.items())


def _require(node: Node, key: str, offered: Mapping[str, object], what: str = "") -> None:
    if node.text(key) not in offered:
        raise node.unknown(what or key, node.text(key), offered, key=key if what else "")


def _element(node: Node, route: Route) -> PathElement:
    if node.tag == "site":
        _require(node, "site", route.sites)
        return ViaPoint(route.sites[node.text("site")].name)
    if node.tag == "pulley":
        divisor = node.number("divisor")
        if divisor <= 0.0:
            raise node.error(f"the divisor is {divisor:g}", "give a number above 0")
        return Pulley(divisor)
    if node.tag != "geom":
        raise node.unknown("element", node.tag, ("site", "geom", "pulley"), "a spatial tendon")
    _require(node, "geom", route.geoms)
    geom, side = route.geoms[node.text("geom")], None
    if node.has("sidesite"):
        _require(node, "sidesite", route.sites, "site")
        side = route.sites[node.text("sidesite")].name
    if not isinstance(geom.shape, Sphere | Cylinder):
        raise node.error(
            f'geom "{geom.name}" is a {type(geom.shape).__name__.lower()}', "a tendon runs over spheres and cylinders"
        )
    return Wrap(geom.frame, geom.shape.radius, isinstance(geom.shape, Cylinder), geom.placement, side, geom.name)


def _require_unbroken_path(node: Node, path: tuple[PathElement, ...]) -> None:
    """MuJoCo's rules: a pulley is not at the end, every branch starts and ends at a site, and has two of them."""
    for i, (element, here) in enumerate(zip(node.inside, path, strict=True)):
        before = path[i - 1] if i else Pulley(1.0)
        behind = path[i + 1] if i + 1 < len(path) else Pulley(1.0)
        if isinstance(here, ViaPoint) and here == before:
            raise element.error("follows itself on the tendon", "name another site")
        if isinstance(here, Wrap) and not (isinstance(before, ViaPoint) and isinstance(behind, ViaPoint)):
            raise element.error("a shape of a tendon is not between two sites", "put a <site> before and after it")
        if isinstance(here, ViaPoint) and isinstance(before, Pulley) and isinstance(behind, Pulley):
            raise element.error("the site is alone in its branch of the tendon", "give each branch two sites or more")
        if isinstance(here, Pulley) and i and isinstance(before, Pulley):
            raise element.error("follows another pulley", "put two sites between them")
        if isinstance(here, Pulley) and i + 1 == len(path):
            raise element.error("is the last element of the tendon", "put two sites behind it")
    if len(path) < 2:
        raise node.error("has fewer than two sites", "give it two")


def _forces(node: Node, compiler: Compiler, unsupported: Unsupported) -> TendonForces:
    values: dict[str, float] = {}
    for key, name in FORCES.items():
        first, *higher = node.numbers(key, 3, (0.0,), least=1)
        values[name] = first
        if any(higher):
            unsupported.add(f"{key} of higher order of a tendon", node)
    lower, upper = node.numbers("range", 2, (0.0, 0.0), infinite=True)
    limited = choice(node, "limited", LIMITED, None)
    if limited is None:
        if node.has("range") and (lower, upper) != (0.0, 0.0) and not compiler.autolimits:
            raise node.error("has a range, but autolimits is off", 'say limited="true" or limited="false"')
        limited = lower < upper
    if limited and lower >= upper:
        raise node.error(f"the range {lower:g} to {upper:g} is empty", "give the lower end first")
    lower, upper = (lower, upper) if limited else (-math.inf, math.inf)
    lengths = node.numbers("springlength", 2, (-1.0,), least=1)
    range_at_rest = (lengths[0], lengths[-1]) if lengths[0] >= 0.0 else None
    if range_at_rest is not None and range_at_rest[0] > range_at_rest[1]:
        raise node.error(
            f"springlength {range_at_rest[0]:g} is above {range_at_rest[1]:g}", "give the shorter length first"
        )
    return TendonForces(lower, upper, rest=range_at_rest, **values)
