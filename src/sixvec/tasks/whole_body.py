"""Tasks of the whole robot: its centre of mass, its momentum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.center_of_mass import center_of_mass
from sixvec.algorithms.center_of_mass_jacobian import center_of_mass_jacobian
from sixvec.algorithms.centroidal_momentum_matrix import centroidal_momentum_matrix
from sixvec.errors import ArgumentError
from sixvec.model import Model
from sixvec.scalar import Scalar
from sixvec.solve.direction import Directions
from sixvec.tasks.task import DIRECTIONS, Mismatch, Rows, Shape, Task, chosen_directions, keep_directions, squares


@dataclass(frozen=True, repr=False)
class CenterOfMass(Task):
    """The centre of mass at a point: the target is that point (3) in world coordinates; its name is "com".

    >>> from sixvec.tasks import CenterOfMass
    >>> CenterOfMass(directions="xy").name
    'com'
    """

    directions: Directions = ("x", "y", "z")

    def default_name(self) -> str:
        return "com"

    def __post_init__(self) -> None:
        super().__post_init__()
        keep_directions(self)
        if min(chosen_directions("CenterOfMass", self.directions)) < 3:
            raise ArgumentError("CenterOfMass: a point does not turn; directions are x, y and z")

    def shape(self, model: Model) -> Shape:
        return (3,)

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {DIRECTIONS[k]}" for k in chosen_directions("CenterOfMass", self.directions))

    def mismatch(self, model: Model, q: Any, target: Any) -> Mismatch:
        c, J = [*center_of_mass(model, q)], center_of_mass_jacobian(model, q)
        chosen = [k - 3 for k in chosen_directions("CenterOfMass", self.directions)]
        missing = [target[k] - c[k] for k in chosen]
        return Mismatch(missing, [J[k] for k in chosen], squares(missing), 0.0)


@dataclass(frozen=True, repr=False)
class Momentum(Task):
    """The momentum about the centre of mass: the target is a momentum (6) in world axes, angular part first.

    >>> from sixvec.tasks import Momentum
    >>> Momentum(directions=("turn z",)).name
    'momentum'
    """

    directions: Directions = DIRECTIONS

    def __post_init__(self) -> None:
        super().__post_init__()
        keep_directions(self)

    def shape(self, model: Model) -> Shape:
        return (6,)

    def labels(self, model: Model) -> tuple[str, ...]:
        return tuple(f"{self.name}: {DIRECTIONS[k]}" for k in chosen_directions("Momentum", self.directions))

    def rows(self, model: Model, q: Any, target: Any, dt: Scalar) -> Rows:
        J = centroidal_momentum_matrix(model, q)
        chosen = chosen_directions("Momentum", self.directions)
        return Rows([J[k] for k in chosen], [target[k] for k in chosen])
