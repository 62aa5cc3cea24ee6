"""Base parameters: the minimal set of combinations of inertial parameters that determine the joint forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, real_array
from sixvec.arguments.result import Result
from sixvec.errors import ArgumentError, ModelError
from sixvec.identification.joint_parameters import (
    Kind,
    checked_kinds,
    joint_columns,
    joint_parameter_names,
    joint_parameters,
)
from sixvec.identification.parameters import inertial_parameters, parameter_names
from sixvec.identification.structural import independent, structural_combinations
from sixvec.identification.tree import tree_of
from sixvec.model import Model
from sixvec.robot import Robot
from sixvec.tolerances import RANK

SAMPLES_PER_PARAMETER = 4
METHODS = ("numerical", "structural")


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters(Result):
    """β = B π: the parameters of the joint forces, tau = Y π = Y_β β  with  Y_β = Y R  and  R a right inverse of B.

    π contains the inertial parameters, followed by those of `dynamics`, one per kind and coordinate of v.
    """

    robot: Robot
    combinations: Array
    """B (nβ, nπ)."""
    selection: Array
    """R (nπ, nβ)."""
    method: str
    dynamics: tuple[Kind, ...] = ()
    """Which of damping, friction and armature of the joints are parameters too."""

    def __len__(self) -> int:
        return len(self.combinations)

    @property
    def names(self) -> tuple[str, ...]:
        """The expression of each base parameter, such as "Izz(link1) + 0.25 m(link2)"."""
        names = _names(self.robot.model, self.dynamics)
        return tuple(_text(row, names) for row in self.combinations)

    def of(self, parameters: ArrayLike) -> Array:
        """β of parameters π."""
        count = self.combinations.shape[1]
        values = real_array(f"{self.robot.name}: parameters", parameters, count, batch=False, why="see all_parameters")
        return np.asarray(self.combinations @ values)

    def all_parameters(self) -> Array:
        """π of the robot itself: inertial parameters, then those of `dynamics`."""
        model = self.robot.model
        return np.concatenate([inertial_parameters(model), joint_parameters(model, self.dynamics)])

    def regressor(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Y_β (..., nv, nβ)."""
        return np.asarray(_regressor(self.robot, q, v, a, self.dynamics) @ self.selection)

    def __str__(self) -> str:
        title = f"{self.robot.name}: {len(self)} base parameters of {self.combinations.shape[1]} ({self.method} method)"
        return "\n".join([title, *(f"  {i:3}  {name}" for i, name in enumerate(self.names))])


def base_parameters(
    robot: Robot | Model,
    method: str = "numerical",
    *,
    rng: np.random.Generator | int = 0,
    dynamics: Sequence[Kind] = (),
) -> BaseParameters:
    """The base parameters of a robot, which must be a tree: one with loops raises an error.

    "numerical": the regressor of random states, stacked, has as many independent columns as there are base
    parameters.  A QR decomposition processes the columns in the order of the bodies; each column that depends on
    earlier ones is regrouped into them (Gautier 1991).  Finds every dependence; coefficients carry rounding.

    "structural": inertia that does not affect a joint is moved to the parent, from the tips to the root, and parameters
    without effect are dropped (Gautier and Khalil 1990).  Exact and without samples, but limited to these two rules, so
    robots with parallel axes or mimic joints may have fewer base parameters than it finds.

    `dynamics` names the additional parameters of the joints: "damping", "friction" (Coulomb), "armature".  Armature
    that no motion can distinguish from inertia, as that of the first joints of an arm, is regrouped with it.  Only the
    numerical method supports this.

    The numerical method needs O(nπ³) operations, the structural one nπ regroupings and a trace of the regressor.

    >>> import sixvec
    >>> from sixvec.identification import base_parameters
    >>> base = base_parameters(sixvec.load("panda"))
    >>> len(base)
    43
    """
    if method not in METHODS:
        raise ArgumentError(f'no method "{method}" for base parameters; methods: {", ".join(METHODS)}')
    robot = tree_of(robot, "base_parameters")
    if robot.nv == 0:
        raise ModelError(f"{robot.name} has no joint that moves, so it has no base parameters")
    kinds = checked_kinds(robot.model, dynamics)
    if method == "numerical":
        return _numerical(robot, rng, kinds)
    if kinds:
        raise ArgumentError(f'the structural method supports inertia alone; for {", ".join(kinds)} use "numerical"')
    B = structural_combinations(robot)
    return BaseParameters(robot, B, np.asarray(np.linalg.pinv(B), float), method)


def _names(model: Model, kinds: Sequence[Kind]) -> tuple[str, ...]:
    return parameter_names(model) + joint_parameter_names(model, kinds)


def _regressor(robot: Robot, q: ArrayLike, v: ArrayLike, a: ArrayLike, kinds: Sequence[Kind]) -> Array:
    """Y (..., nv, nπ) of inertial parameters, followed by those of the joints."""
    Y = np.asarray(robot.inverse_dynamics_regressor(q, v, a), float)
    if not kinds:
        return Y
    columns = joint_columns(v, a, kinds)
    return np.concatenate([Y, np.broadcast_to(columns, (*Y.shape[:-1], columns.shape[-1]))], axis=-1)


def _numerical(robot: Robot, rng: np.random.Generator | int, kinds: tuple[Kind, ...]) -> BaseParameters:
    n = len(_names(robot.model, kinds))
    rng = np.random.default_rng(rng)
    count = SAMPLES_PER_PARAMETER * n // robot.nv + 1
    q, (v, a) = robot.random(rng, count), rng.normal(size=(2, count, robot.nv))
    B, R = independent_columns(_regressor(robot, q, v, a, kinds).reshape(-1, n))
    return BaseParameters(robot, B, R, "numerical", kinds)


def independent_columns(Y: Array) -> tuple[Array, Array]:
    """B and R with  Y = (Y R) B,  where R selects independent columns of Y, earlier ones first."""
    lengths = np.linalg.norm(Y, axis=0)
    scale = np.where(lengths > RANK * lengths.max(initial=0.0), lengths, 1.0)
    chosen, Q = independent((Y / scale).T, RANK)
    others = [j for j in range(Y.shape[1]) if j not in chosen]
    B, R = np.zeros((len(chosen), Y.shape[1])), np.zeros((Y.shape[1], len(chosen)))
    B[range(len(chosen)), chosen] = R[chosen, range(len(chosen))] = 1.0
    triangle = Q.T @ Y[:, chosen]
    B[:, others] = np.linalg.solve(triangle, Q.T @ Y[:, others])
    B[np.abs(B) < RANK * np.abs(B).max(axis=1, keepdims=True)] = 0.0
    return B, R


def _text(row: Array, names: tuple[str, ...]) -> str:
    """A combination of parameters as text."""
    text = ""
    for i in np.flatnonzero(row):
        sign = ("-" if row[i] < 0 else "") if not text else (" - " if row[i] < 0 else " + ")
        size = f"{abs(row[i]):.4g}"
        text += sign + ("" if size == "1" else f"{size} ") + names[i]
    return text
