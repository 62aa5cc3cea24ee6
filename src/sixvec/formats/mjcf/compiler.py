"""The <compiler> and <option> sections of MJCF: the interpretation of the numbers of a file."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sixvec.formats.node import Node
from sixvec.formats.problems import attempt, raise_or_note
from sixvec.formats.unsupported import Unsupported
from sixvec.model import STANDARD_GRAVITY, SimulationOptions
from sixvec.spatial import Vec3

BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Compiler:
    """The settings that change the meaning of other elements, with the format's defaults."""

    degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertiafromgeom: str = "auto"
    inertiagrouprange: tuple[float, float] = (0.0, 5.0)
    settotalmass: float = 0.0
    boundmass: float = 0.0
    boundinertia: float = 0.0
    balanceinertia: bool = False
    meshdir: str = ""
    strippath: bool = False

    @property
    def bounds_inertia(self) -> bool:
        """Whether inertias of the file may be changed one by one."""
        return self.boundmass > 0.0 or self.boundinertia > 0.0 or self.balanceinertia

    def angle(self, value: float) -> float:
        """An angle of the file in radians."""
        return math.radians(value) if self.degrees else value


def choice(node: Node, attribute: str, offered: dict[str, Any], default: Any) -> Any:
    """The value of a keyword of the file."""
    word = node.attributes.get(attribute)
    if word is None:
        return default
    if word.strip() not in offered:
        raise node.unknown("value", word, offered, key=attribute)
    return offered[word.strip()]


def read_compiler(root: Node, unsupported: Unsupported) -> Compiler:
    """The settings of all <compiler> sections; later ones take precedence, and a rejected one has its default."""
    section = _merged(root, "compiler")
    degrees = {"degree": True, "radian": False}
    readers: dict[str, Callable[[], Any]] = {
        "eulerseq": lambda: _eulerseq(section),
        "angle": lambda: choice(section, "angle", degrees, True),
        "inertiafromgeom": lambda: choice(section, "inertiafromgeom", {k: k for k in ("auto", *BOOLEANS)}, "auto"),
        "inertiagrouprange": lambda: section.numbers("inertiagrouprange", 2),
        **{key: partial(section.number, key) for key in ("settotalmass", "boundmass", "boundinertia")},
        **{
            key: partial(choice, section, key, BOOLEANS, False)
            for key in ("autolimits", "balanceinertia", "strippath", "alignfree")
        },
    }
    settings = {key: attempt(None, read) for key, read in readers.items() if section.has(key)}
    settings = {key: value for key, value in settings.items() if value is not None}
    if section.attributes.get("coordinate", "local") != "local":
        what = 'coordinate="global" is no longer part of the format'
        raise_or_note(section.error(what, "convert the file to local coordinates"))
    if settings.pop("alignfree", False):
        unsupported.add("alignfree (free bodies keep the frame of the file)", section)
    return Compiler(degrees=settings.pop("angle", True), meshdir=mesh_folder(root), **settings)


def mesh_folder(root: Node) -> str:
    """The folder of the meshes: an `assetdir` replaces every `meshdir` of earlier sections."""
    folder = ""
    for node in root.children("compiler"):
        folder = node.attributes.get("meshdir") or node.attributes.get("assetdir") or folder
    return folder


def _eulerseq(section: Node) -> str:
    text = section.text("eulerseq")
    if len(text) != 3 or not set(text) <= set("xyzXYZ"):
        raise section.error(f'eulerseq="{text}" is not 3 of the letters x, y, z (turning axes) or X, Y, Z (fixed axes)')
    return text


def read_gravity(root: Node, unsupported: Unsupported) -> Vec3:
    """The gravity of the <option> sections."""
    section = _merged(root, "option")
    for fluid in ("density", "viscosity"):
        if section.has(fluid) and section.number(fluid):
            unsupported.add(f"fluid {fluid}", section)
    if section.has("wind") and any(section.numbers("wind", 3)):
        unsupported.add("wind", section)
    flags = [flag for node in root.children("option") for flag in node.children("flag")]
    if any(flag.attributes.get("gravity") == "disable" for flag in flags):
        return Vec3.zero()
    return Vec3.of(section.numbers("gravity", 3)) if section.has("gravity") else STANDARD_GRAVITY


def read_options(root: Node) -> SimulationOptions:
    """What the <option> sections set in a simulator; a rejected value has its default."""
    section = _merged(root, "option")
    flags = {
        key: value
        for node in root.children("option")
        for f in node.children("flag")
        for key, value in f.attributes.items()
    }
    words = {key: attempt("", section.text, key) for key in ("integrator", "cone", "solver") if section.has(key)}
    numbers = {
        key: attempt(None, section.number, key) for key in ("timestep", "impratio", "tolerance") if section.has(key)
    }
    if section.has("iterations"):
        count = attempt(None, section.number, "iterations")
        numbers["iterations"] = None if count is None else int(count)
    settings: dict[str, Any] = {key: value for key, value in (words | numbers).items() if value not in (None, "")}
    disabled = {key for key, value in flags.items() if value == "disable"}
    disabled = disabled.union(*(PARTS[key] for key in disabled if key in PARTS)) - PARTS.keys()
    return SimulationOptions(disabled=tuple(sorted(disabled)), **settings)


PARTS = {"constraint": ("contact", "limit", "equality", "frictionloss"), "passive": ("spring", "damper")}
"""Flags that each set several."""


def _merged(root: Node, tag: str) -> Node:
    """All sections of that name as one element."""
    attributes: dict[str, str] = {}
    last = Node(tag, {}, root.line, root.file, root)
    for last in root.children(tag):
        attributes |= last.attributes
    return last.with_attributes(attributes)
