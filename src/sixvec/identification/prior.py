"""Prior inertias of a robot's bodies: physically consistent and near those of the model."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.inertial_parameter import NAMES, inertia_of, moving_bodies
from sixvec.arguments import Array, number_for_each
from sixvec.errors import DegenerateError
from sixvec.geometry.rigid_body.consistency import inertia_of_pseudo_inertia, pseudo_inertia
from sixvec.identification.parameters import inertial_parameters
from sixvec.model import Model
from sixvec.model.require import require_model
from sixvec.robot import Robot

THINNEST = 1e-3
"""The least radius of gyration along any axis, as a fraction of the body's size: thinner than any robot part."""
POINT = 1e-6
"""A body smaller than this fraction of the robot's reach is a point at its own origin, up to rounding."""
SMALL, LIGHT = 0.1, 0.1
"""Size and mass of a body that has none in the model, as fractions of the robot's reach and of the mean mass.  They are
of the order of other bodies; otherwise the search would hardly change this body."""
BALL = 5.0
"""A solid ball of radius r has the second moment m r²/5 along every axis."""
ADVICE = "give masses and sizes: prior=ball_prior(robot, mass=..., radius=...)"


def own_prior(robot: Robot | Model) -> Array:
    """The robot's inertial parameters (nb, 10), with the smallest change that gives every body volume.

    Models contain point masses, rods and plates, bodies without mass, and physically inconsistent inertias.  About the
    centre of mass, the second moments  ∫ x² dm  along the principal axes are raised to  m (s/1000)²  where they are
    less, s the root mean square distance of the mass from the body's origin.  The reach of the robot is the longest of
    these and of the distances between joints.  A point at its own origin becomes a ball with  ∫ x² dm = m (reach/10)²,
    and a body without mass gets a tenth of the mean mass of the bodies, or as much as its moments of inertia require
    within the reach.  All other bodies are unchanged.

    >>> import sixvec
    >>> from sixvec.identification import own_prior
    >>> own_prior(sixvec.load("planar_2r"))[0].round(6).tolist()      # a point at a distance of one metre
    [1.0, 1.0, 0.0, 0.0, 2e-06, 0.0, 0.0, 1.000002, 0.0, 1.000002]
    """
    model = require_model(robot, "own_prior")
    rows = inertial_parameters(model).reshape(-1, len(NAMES))
    moments = [central_moments(row) for row in rows]
    sizes = [np.sqrt(axes.clip(0.0).sum() / mass + c @ c) for mass, c, axes, _ in moments if mass > 0.0]
    reach = max([0.0, *sizes, *(float(np.linalg.norm([*b.placement.pos])) for b in model.bodies)])
    mean = float(rows[:, 0].clip(0.0).mean()) if len(rows) else 0.0
    for b, (mass, *_) in zip(moving_bodies(model), moments, strict=True):
        if mass <= 0.0 and mean == 0.0:
            raise DegenerateError(f'{model.name}: body "{b.name}" has no mass, nor has any other; {ADVICE}')
        if reach == 0.0:
            raise DegenerateError(f'{model.name}: body "{b.name}" is a point, and so is the robot; {ADVICE}')
    return np.array([_with_volume(row, reach, mean) for row in rows]).reshape(rows.shape)


def ball_prior(robot: Robot | Model, *, mass: ArrayLike | None = None, radius: ArrayLike | None = None) -> Array:
    """Inertial parameters (nb, 10) of solid balls about the robot's centres of mass: a weak prior.

    `mass` and `radius` are one number, or one for each body whose joint moves; by default those of `own_prior`, with
    the radius that gives the same  ∫ r² dm  about the centre of mass.  The ball of a body without mass is at its
    origin.

    >>> import sixvec
    >>> from sixvec.identification import ball_prior
    >>> ball_prior(sixvec.load("planar_2r"), mass=2.0, radius=0.1)[1].round(6).tolist()
    [2.0, 2.0, 0.0, 0.0, 0.008, 0.0, 0.0, 2.008, 0.0, 2.008]
    """
    model = require_model(robot, "ball_prior")
    rows = inertial_parameters(model).reshape(-1, len(NAMES))
    if radius is None or (mass is None and (rows[:, 0] <= 0.0).any()):
        rows = own_prior(model)
    moments = [central_moments(row) for row in rows]
    each = len(rows), "bodies that move"
    masses = rows[:, 0] if mass is None else number_for_each(f"{model.name}: mass", mass, *each, positive=True)
    if radius is None:
        spread = np.array([axes.mean() / m for m, _, axes, _ in moments])
    else:
        spread = number_for_each(f"{model.name}: radius", radius, *each, positive=True) ** 2 / BALL
    centers = [c for _, c, *_ in moments]
    balls = [_parameters(m, c, m * s * np.eye(3)) for m, c, s in zip(masses, centers, spread, strict=True)]
    return np.array(balls).reshape(rows.shape)


def _with_volume(row: Array, reach: float, mean: float) -> Array:
    """The parameters of the nearest body with volume; unchanged if it already has volume."""
    known_mass, c, axes, turn = central_moments(row)
    mass = known_mass if known_mass > 0.0 else max(LIGHT * mean, float(axes.clip(0.0).sum()) / reach**2)
    size = float(np.sqrt(axes.clip(0.0).sum() / mass + c @ c))
    least = mass * (THINNEST * size if size > POINT * reach else SMALL * reach) ** 2
    if known_mass > 0.0 and axes.min() >= least:
        return row
    return _parameters(mass, c, turn * axes.clip(least) @ turn.T)


def central_moments(row: Array) -> tuple[float, Array, Array, Array]:
    """Mass, centre of mass (the origin without mass), principal second moments about it, and their axes as columns."""
    J = np.array(pseudo_inertia(inertia_of(row.tolist())), float)
    mass = float(J[3, 3])
    c: Array = J[:3, 3] / mass if mass > 0.0 else np.zeros(3)
    axes, turn = np.linalg.eigh(J[:3, :3] - mass * np.outer(c, c))
    return mass, c, axes, turn


def _parameters(mass: float, c: Array, moments: Array) -> Array:
    """Inertial parameters of a body with these second moments about its centre of mass c."""
    J = np.zeros((4, 4))
    J[:3, :3] = moments + mass * np.outer(c, c)
    J[:3, 3] = J[3, :3] = mass * c
    J[3, 3] = mass
    return np.array([*inertia_of_pseudo_inertia(J.tolist())], float) + 0.0  # + 0.0 turns -0.0 into 0.0
