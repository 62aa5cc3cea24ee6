"""What goes into the algebra of bodies as float32 comes out as float32: every public function of four packages."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from sixvec.geometry import Direction, Line, Point, Screw
from sixvec.spatial import ArticulatedInertia, Motion, Pose, RigidInertia, Rotation, Sym3, UnitSystem, Vec3

PACKAGES = ("geometry", "geometry.orientation", "geometry.rigid_body", "spatial")
SAMPLES = 7


def subjects() -> Iterator[tuple[str, Callable[..., Any], str]]:
    """Every public function, method and property: its name, itself, and the class that it is of ("" for none)."""
    for package in PACKAGES:
        path = importlib.import_module(f"sixvec.{package}").__path__
        for module in (
            importlib.import_module(f"sixvec.{package}.{m.name}") for m in pkgutil.iter_modules(path) if not m.ispkg
        ):
            for name, thing in dict(vars(module)).items():
                if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
                    continue
                if inspect.isfunction(thing):
                    yield f"{package}.{name}", thing, ""
                elif inspect.isclass(thing) and is_dataclass(thing):
                    for label, member in dict(vars(thing)).items():
                        if label.startswith("_") and label not in ("__add__", "__sub__", "__mul__", "__neg__"):
                            continue
                        if isinstance(member, classmethod):
                            yield f"{package}.{name}.{label}", getattr(thing, label), ""
                        elif isinstance(member, property) and member.fget is not None:
                            yield f"{package}.{name}.{label}", member.fget, name
                        elif inspect.isfunction(member):
                            yield f"{package}.{name}.{label}", member, name


class Samples:
    """Batches of each kind that an annotation can name, in float32."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(16)

    def number(self) -> Any:
        return self.rng.uniform(0.2, 0.9, SAMPLES).astype(np.float32) * self.rng.choice([-1, 1], SAMPLES).astype("f")

    def size(self) -> Any:
        return self.rng.uniform(0.2, 0.9, SAMPLES).astype(np.float32)

    def vector(self) -> Vec3:
        return Vec3(self.number(), self.number(), self.number())

    def unit(self) -> Vec3:
        v = self.vector()
        return v * (1 / np.sqrt(v.dot(v)))

    def rotation(self) -> Rotation:
        w = self.vector()
        return Rotation.about(self.unit(), w.x)

    def inertia(self) -> RigidInertia:
        about = Sym3.diagonal(self.size() + 1, self.size() + 1, self.size() + 1)
        return RigidInertia.from_center_of_mass(self.size(), self.vector(), about)

    def of(self, kind: str) -> Any:
        """One value of an annotation, or LookupError for one that is not an algebraic value."""
        made: dict[str, Callable[[], Any]] = {
            "Scalar": self.size, "Vec3": self.vector, "Rotation": self.rotation,
            "Rotation | PlaneRotation": self.rotation, "Direction": lambda: Direction.of(self.unit()),
            "Direction | Vec3": self.vector, "Vec3 | Point": self.vector, "Point | Vec3": self.vector,
            "Vec3 | Quaternion": self.vector, "Vec3 | Rotation": self.vector,
            "Vec3 | Rotation | PlaneRotation": self.vector,
            "Motion | Force": lambda: Motion(self.vector(), self.vector()),
            "Vec3 | None": self.vector, "RigidInertia": self.inertia,
            "RigidInertia | ArticulatedInertia": self.inertia,
            "ArticulatedInertia": lambda: ArticulatedInertia.of(self.inertia()),
            "Pose": lambda: Pose(self.rotation(), self.vector()),
            "Pose | InversePose": lambda: Pose(self.rotation(), self.vector()),
            "Motion | Tagged[Motion]": lambda: Motion(self.vector(), self.vector()),
            "Line": lambda: Line(Point.of(self.vector()), self.vector()),
            "LineDescription": lambda: Line(Point.of(self.vector()), self.vector()),
            "Line | PluckerLine": lambda: Line(Point.of(self.vector()), self.vector()),
            "Screw | ScrewTransform": lambda: Screw(self.vector(), self.vector()),
            "UnitSystem": UnitSystem,
            "float": lambda: 1e-3, "str": lambda: "zxz", "Frame": lambda: "moving",
            "TwistSense": lambda: "z_onto_line", "Sequence[Motion]": lambda: [self.of("Motion") for _ in range(3)],
        }  # fmt: skip
        if kind in made:
            return made[kind]()
        classes = algebra()
        if kind not in classes:
            raise LookupError(kind)
        return classes[kind](*(self.of(str(f.type)) for f in fields(classes[kind])))


@cache
def algebra() -> dict[str, Any]:
    found = {}
    for package in PACKAGES:
        path = importlib.import_module(f"sixvec.{package}").__path__
        for m in (m for m in pkgutil.iter_modules(path) if not m.ispkg):
            module = importlib.import_module(f"sixvec.{package}.{m.name}")
            found |= {n: c for n, c in dict(vars(module)).items() if inspect.isclass(c) and is_dataclass(c)}
    return found


def leaves(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray | np.generic):
        yield np.asarray(value)
    elif is_dataclass(value):
        for f in fields(value):
            yield from leaves(getattr(value, f.name))
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for x in value:
            yield from leaves(x)


OUTSIDE = {
    "inconsistencies": "sentences about one body",
    "is_physical": "a verdict about one body",
    "commute": "a verdict about two numbers",
    "reference_tags": "names",
    "minimal_line": "chooses a chart for one line",
    "Blocks.moved": "its kinds move, each in its way",
    "Blocks.moved_back": "likewise",
}
"""Functions that do not compute with batches, and why."""


def arguments(samples: Samples, function: Callable[..., Any], owner: str) -> list[Any] | None:
    """One argument for each parameter, or None if an annotation names something else than an algebraic value."""
    kinds = []
    for p in inspect.signature(function).parameters.values():
        kinds.append(owner if p.name == "self" or p.annotation in ("Self", "T") else str(p.annotation))
    try:
        return [samples.of(kind) for kind in kinds]
    except LookupError:
        return None


def cases() -> list[Any]:
    found = []
    for name, function, owner in subjects():
        if not name.endswith(tuple(OUTSIDE)) and arguments(Samples(), function, owner) is not None:
            found.append(pytest.param(function, owner, id=name))
    return found


CASES = cases()


@pytest.mark.parametrize(("function", "owner"), CASES)
def test_float32_stays(function: Callable[..., Any], owner: str) -> None:
    given = arguments(Samples(), function, owner)
    assert given is not None
    kinds = {x.dtype.name for x in leaves(function(*given))}
    assert not kinds - {"float32", "bool"}, kinds


def test_most_functions_are_tried() -> None:
    """The law above is about what its annotations let it make; it must not quietly shrink."""
    assert len(CASES) > 300
