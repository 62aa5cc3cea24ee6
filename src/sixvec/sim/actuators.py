"""Forces of the actuators of a file: controls to joint forces, by MuJoCo's law (`sixvec.model.actuator`).

The functions of (q, v, u) are traced: they run on any scalars, inside a time step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.errors import ArgumentError, ModelError
from sixvec.model import Actuator, Model
from sixvec.model.actuator import Affine, Range
from sixvec.model.coupling import coupling
from sixvec.model.muscle_law import SMALLEST, activation_rate, active_force, is_known, normalised, passive_force
from sixvec.model.spanning_tree import spanning_tree
from sixvec.scalar import Scalar, where
from sixvec.sim.transmissions import Moment, Transmissions

if TYPE_CHECKING:
    from sixvec.robot import Robot

Entries = dict[tuple[int, int], Scalar]
"""The entries of a matrix that are not zero, by row and column."""


@dataclass(frozen=True, slots=True)
class ActuatorForces:
    """The joint forces `tau` (nv) of actuators, and how they change: `damping` is -∂tau/∂v, `stiffness` -∂tau/∂q.

    Both are symmetric.  They hold the slopes of the laws of the actuators, not the change of their moments nor the
    slopes of muscles; actuators and joints at a limit of force have none.
    """

    tau: list[Scalar]
    damping: Entries
    stiffness: Entries


def file_actuators(robot: Robot) -> tuple[Actuator, ...]:
    """The actuators of a robot, in the order of the controls, with the numbers that depend on its inertia.

    These are the damping of servos with a damping ratio, and the peak forces of muscles that have none.  Actuators
    whose force cannot be computed raise an error that names them.

    >>> import sixvec
    >>> from dataclasses import replace
    >>> from sixvec.model import Actuator, JointTransmission
    >>> from sixvec.sim.actuators import file_actuators
    >>> servo = Actuator("elbow", JointTransmission("joint2"), (100.0, 0.0, 0.0), (0.0, -100.0, 0.0), damping_ratio=1.0)
    >>> arm = sixvec.Robot(replace(sixvec.load("planar_2r").model, actuators=(servo,)))
    >>> [round(x, 3) for x in file_actuators(arm)[0].bias]
    [0.0, -100.0, -8.944]
    """
    model = robot.model
    if not model.actuators:
        raise ArgumentError(f'{model.name} has no actuators; leave out actuators="file" and give joint forces')
    problems = [f'"{a.name}" ({a.unsupported})' for a in model.actuators if a.unsupported]
    problems += [
        f'"{a.name}" (a muscle without a lengthrange)'
        for a in model.actuators
        if a.muscle is not None and not a.unsupported and not is_known(a.muscle.length_range)
    ]
    if problems:
        raise ModelError(f"{model.name}: the forces of these actuators cannot be computed: {', '.join(problems)}")
    if not any(a.damping_ratio or _lacks_force(a) for a in model.actuators):
        return model.actuators
    free, q, M = _at_position_of_file(model)
    moments = Transmissions(free, q)
    return tuple(_resolved(a, moments, M) for a in model.actuators)


def _lacks_force(a: Actuator) -> bool:
    return a.muscle is not None and a.muscle.force < 0.0


def _at_position_of_file(model: Model) -> tuple[Model, JointVector, Any]:
    """The tree with independent joints, its position in the file, and its mass matrix there."""
    law = coupling(spanning_tree(model))
    shown = [k for k in model.keyframes if k.name == "qpos0"]
    q = shown[0].state(model).q.tolist() if shown else [x for b in model.moving for x in b.joint.neutral()]
    q = JointVector(law.positions(q), law.free.q_slices)
    return law.free, q, np.array(mass_matrix(law.free, q), float)


def _resolved(a: Actuator, moments: Transmissions, M: Any) -> Actuator:
    """With the numbers that MuJoCo computes when it compiles a file: from the inertia that a unit force feels."""
    if (not a.damping_ratio and not _lacks_force(a)) or a.transmission is None:
        return a
    moment = moments.moment(a.transmission)
    row = np.array([float(moment.get(i, 0.0)) for i in range(len(M))])
    effect = np.linalg.solve(M, row)  # the acceleration of the joints under a unit force
    if a.damping_ratio:
        inertia = 1.0 / max(SMALLEST, float(row @ effect))
        b0, b1, _ = a.bias
        return replace(a, bias=(b0, b1, -2.0 * a.damping_ratio * math.sqrt(a.gain[0] * inertia)), damping_ratio=0.0)
    assert a.muscle is not None
    return replace(a, muscle=replace(a.muscle, force=a.muscle.scale / max(SMALLEST, float(np.linalg.norm(effect)))))


def is_dynamic(actuators: Sequence[Actuator]) -> bool:
    """Whether forces depend on activations, which are then a part of the state.

    >>> from sixvec.model import Muscle
    >>> is_dynamic([Actuator("motor", None)]), is_dynamic([Actuator("flexor", None, muscle=Muscle())])
    (False, True)
    """
    return any(a.activation is not None or a.muscle is not None for a in actuators)


def actuator_forces(
    model: Model,
    actuators: Sequence[Actuator],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    u: Sequence[Scalar],
    activation: Sequence[Scalar] | None = None,
    later: Sequence[Scalar] | None = None,
    gain: Sequence[Scalar] | None = None,
) -> ActuatorForces:
    """The joint forces of `file_actuators` under the controls u: MuJoCo's `qfrc_actuator`.

    `activation` has a number for each actuator, zero by default; `later` are those at the end of the step
    (`next_activation`), which actuators with `Activation.early` use.  `gain` has a factor of each actuator's force,
    one by default.  Controls and forces are limited by their ranges,
    and the sum at a joint by its effort.

    >>> import sixvec
    >>> from sixvec.model import JointTransmission
    >>> from sixvec.sim.actuators import actuator_forces
    >>> arm = sixvec.load("planar_2r").model
    >>> motor = Actuator("elbow", JointTransmission("joint2", (50.0,)), control_range=(-1.0, 1.0))
    >>> actuator_forces(arm, [motor], [0.0, 0.0], [0.0, 0.0], [0.5]).tau
    [0.0, 25.0]
    """
    law = coupling(model)
    places = Transmissions(law.free, JointVector(law.positions(q), law.free.q_slices))
    rates = law.velocities(v)
    tau: list[Scalar] = [0.0] * law.free.nv
    damping: Entries = {}
    stiffness: Entries = {}
    if "actuation" in model.simulation.disabled:
        return ActuatorForces([0.0] * model.nv, {}, {})
    for k, (a, control) in enumerate(zip(actuators, u, strict=True)):
        if a.transmission is None:
            raise ModelError(f'{model.name}: the force of actuator "{a.name}" cannot be computed: {a.unsupported}')
        moment = places.moment(a.transmission)
        needs = [True] * 3 if a.muscle else [bool(x or y) for x, y in zip(a.gain, a.bias, strict=True)]
        length = places.length(a.transmission) if needs[1] else 0.0
        rate = sum((x * rates[i] for i, x in moment.items()), 0.0) if needs[2] else 0.0
        w = _activation(model, a, k, control, activation, later)
        p, along_length, along_rate = _force(a, w, length, rate)
        if gain is not None:
            p, along_length, along_rate = (x * gain[k] for x in (p, along_length, along_rate))
        for i, x in moment.items():
            tau[i] = tau[i] + x * p
        for entries, slope in ((damping, along_rate), (stiffness, along_length)):
            if needs[1] or needs[2]:
                _add_products(entries, moment, slope)
    inside = _limit(law.free, tau)
    return ActuatorForces(law.reduce(tau, [True]), _reduced(damping, inside, law.v), _reduced(stiffness, inside, law.v))


def _activation(
    model: Model, a: Actuator, k: int, control: Scalar, activation: Sequence[Scalar] | None, later: Any
) -> Scalar:
    """What the gain of an actuator multiplies: its control, or its activation."""
    if a.muscle is None and a.activation is None:
        return _clamped(control, None if "clampctrl" in model.simulation.disabled else a.control_range)
    if a.activation is not None and a.activation.early:
        if later is None:
            raise ArgumentError(f'actuator "{a.name}" uses the activation at the end of the step: give `later`')
        return later[k]
    return 0.0 if activation is None else activation[k]


def _force(a: Actuator, w: Scalar, length: Scalar, rate: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """The force p along the transmission, and its slopes -∂p/∂l and -∂p/∂l̇."""
    if a.muscle is not None:
        m = a.muscle
        assert m.length_range is not None
        L, V = normalised(m, m.length_range, length, rate)
        p, along_length, along_rate = (w * active_force(m, L, V) + passive_force(m, L)) * -m.force, 0.0, 0.0
    else:
        p = _affine(a.gain, length, rate) * w + _affine(a.bias, length, rate)
        along_length, along_rate = (-(w * g + b) if g else -b for g, b in zip(a.gain[1:], a.bias[1:], strict=True))
    if a.force_range is None:
        return p, along_length, along_rate
    low, high = a.force_range
    inside = where(p < low, 0.0, where(p > high, 0.0, 1.0))
    return _clamped(p, a.force_range), along_length * inside, along_rate * inside


def _affine(c: Affine, length: Scalar, rate: Scalar) -> Scalar:
    terms = [x * y for x, y in zip(c[1:], (length, rate), strict=True) if x]
    return sum(terms, c[0])


def _clamped(x: Scalar, ends: Range | None) -> Scalar:
    """Within a range; NaN stays NaN."""
    return x if ends is None else where(x < ends[0], ends[0], where(x > ends[1], ends[1], x))


def _add_products(entries: Entries, moment: Moment, slope: Scalar) -> None:
    """Add  slope · mᵀ m."""
    if isinstance(slope, float) and slope == 0.0:
        return
    for i, x in moment.items():
        for j, y in moment.items():
            entries[i, j] = entries.get((i, j), 0.0) + x * y * slope


def _limit(model: Model, tau: list[Scalar]) -> list[Scalar]:
    """Limit the sums at joints with an effort, and tell for each coordinate whether it is within: 1 or 0."""
    inside: list[Scalar] = [1.0] * model.nv
    for b in model.moving:
        for i, effort in zip(range(*model.v_slices[b.name].indices(model.nv)), b.limits.effort, strict=False):
            if math.isfinite(effort):
                inside[i] = where(tau[i] < -effort, 0.0, where(tau[i] > effort, 0.0, 1.0))
                tau[i] = _clamped(tau[i], (-effort, effort))
    return inside


def _reduced(entries: Entries, inside: Sequence[Scalar], lines: Sequence[tuple[int, float, float]]) -> Entries:
    """The same matrix for the independent joints, without those at a limit."""
    reduced: Entries = {}
    for (i, j), x in entries.items():
        (row, k, _), (column, m, _) = lines[i], lines[j]
        value = x * (k * m) if k * m != 1.0 else x
        for limit in {i, j}:
            value = value * inside[limit]
        reduced[row, column] = reduced.get((row, column), 0.0) + value
    return reduced


def next_activation(
    model: Model, actuators: Sequence[Actuator], u: Sequence[Scalar], activation: Sequence[Scalar], dt: Scalar
) -> list[Scalar]:
    """The activations after a time step, one for each actuator; zero for those without.

    Filters take an Euler step, as in MuJoCo, unless they are to be exact.

    >>> from sixvec.model.actuator import Activation
    >>> import sixvec
    >>> lag = Actuator("lag", None, activation=Activation("filter", 0.1))
    >>> next_activation(sixvec.load("planar_2r").model, [lag], [1.0], [0.0], 0.01)
    [0.1]
    """
    later: list[Scalar] = []
    for a, control, w in zip(actuators, u, activation, strict=True):
        limited = _clamped(control, None if "clampctrl" in model.simulation.disabled else a.control_range)
        if a.muscle is not None:
            w = w + activation_rate(a.muscle, limited, w) * dt
        elif a.activation is None:
            w = 0.0
        elif a.activation.kind == "integrator":
            w = w + limited * dt
        else:
            w = w + (limited - w) * _share(a, dt)
        later.append(_clamped(w, a.activation_range))
    return later


def _share(a: Actuator, dt: Scalar) -> Scalar:
    """The part of the way to its control that a filter covers in a step."""
    assert a.activation is not None
    constant = max(SMALLEST, a.activation.time_constant)
    if not a.activation.exact:
        return dt * (1.0 / constant)
    return decayed(dt * (1.0 / constant))


FULL = 40.0
"""1 - exp(-x) is 1 from here on, up to rounding."""

DOUBLINGS, TERMS = 8, 12
"""FULL / 2⁸ is so small that twelve terms of the series leave only rounding."""


def decayed(x: Scalar) -> Scalar:
    """1 - exp(-x) for x ≥ 0, with small relative errors: a series for a part of x, then  1 - y² = (1 - y)(1 + y).

    >>> decayed(1e-9), decayed(1e3), round(decayed(0.7) + math.exp(-0.7), 15)
    (9.999999995e-10, 1.0, 1.0)
    """
    t = where(x < FULL, x, FULL) * 2.0**-DOUBLINGS
    share: Scalar = 1.0
    for n in range(TERMS, 1, -1):
        share = 1.0 - share * t * (1.0 / n)
    share = share * t
    for _ in range(DOUBLINGS):
        share = share * (2.0 - share)
    return share
