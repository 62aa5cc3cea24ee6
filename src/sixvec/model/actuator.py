"""Actuators: what a control does to the joints.

The transmission of an actuator has a length l, and its force p acts along it:  τ = (∂l/∂q)ᵀ p.  With the control u,

    p = (g₀ + g₁ l + g₂ l̇) w + b₀ + b₁ l + b₂ l̇,

where w is u itself or, of an actuator with activation dynamics, its state (MuJoCo, computation, "actuation model").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal

from sixvec.errors import ModelError, unknown
from sixvec.model.body import Body

Names = Callable[[str], str]
Range = tuple[float, float]
Affine = tuple[float, float, float]
"""c₀ + c₁ l + c₂ l̇."""


@dataclass(frozen=True, slots=True)
class JointTransmission:
    """A motor at a joint: τ = gear · p, with a number for each freedom of the joint.

    The length is gear · q, for a ball joint gear · (rotation vector).

    >>> from sixvec.model import JointTransmission
    >>> JointTransmission("elbow", (100.0,)).gear
    (100.0,)
    """

    joint: str
    gear: tuple[float, ...] = (1.0,)


@dataclass(frozen=True, slots=True)
class TendonTransmission:
    """A motor that shortens and lengthens a tendon: l = gear · (length of the tendon).

    >>> from sixvec.model import TendonTransmission
    >>> TendonTransmission("biceps").gear
    1.0
    """

    tendon: str
    gear: float = 1.0


@dataclass(frozen=True, slots=True)
class FrameTransmission:
    """A wrench on a frame, such as that of a propeller or a jet.

    `gear` is the wrench for p = 1, angular first, in the axes of the frame.  With a `reference` frame it acts between
    the two, and in the axes of the reference.

    >>> from sixvec.model import FrameTransmission
    >>> FrameTransmission("rotor", (0.0, 0.0, 0.02, 0.0, 0.0, 1.0)).frame
    'rotor'
    """

    frame: str
    gear: tuple[float, float, float, float, float, float]
    reference: str | None = None


Transmission = JointTransmission | TendonTransmission | FrameTransmission


@dataclass(frozen=True, slots=True)
class Activation:
    """First-order dynamics between control and force: ẇ = u, or ẇ = (u - w) / time_constant.

    `exact` says that the file asks for the exact solution of the filter over a step.

    >>> from sixvec.model import Activation
    >>> Activation("filter", time_constant=0.02).exact
    False
    """

    kind: Literal["integrator", "filter"]
    time_constant: float = 1.0
    exact: bool = False
    early: bool = False
    """Whether the force uses the activation at the end of a step instead of that at its start."""


@dataclass(frozen=True, slots=True)
class Muscle:
    """The parameters of a muscle (MuJoCo, modeling guide, "muscle actuators").

    `range` are the operating lengths in units of the optimal length at the ends of `length_range`; `force` is the peak
    force, or negative for `scale` divided by the acceleration of the joints under a unit force at the position of the
    file.  `length_range` is None where the file leaves it to be computed.

    >>> from sixvec.model import Muscle
    >>> Muscle().vmax
    1.5
    """

    range: Range = (0.75, 1.05)
    force: float = -1.0
    scale: float = 200.0
    lmin: float = 0.5
    lmax: float = 1.6
    vmax: float = 1.5
    fpmax: float = 1.3
    fvmax: float = 1.2
    time_constants: tuple[float, float] = (0.01, 0.04)
    """Of activation and deactivation, in seconds."""
    smoothing: float = 0.0
    """The width of the transition between both."""
    length_range: Range | None = None


@dataclass(frozen=True, slots=True)
class Actuator:
    """One control of a robot; the formula is at the top of `sixvec.model.actuator`.

    A motor has the defaults; a servo of the position has gain (kp, 0, 0) and bias (0, -kp, -kv), one of the velocity
    (kv, 0, 0) and (0, 0, -kv).  With `damping_ratio`, b₂ = -2 · damping_ratio · √(kp · m) is to be computed from the
    inertia m that the transmission feels at the position of the file.  Ranges are None where there is no limit.

    >>> from sixvec.model import Actuator, JointTransmission
    >>> Actuator("elbow", JointTransmission("elbow", (50.0,)), control_range=(-1.0, 1.0)).gain
    (1.0, 0.0, 0.0)
    """

    name: str
    transmission: Transmission | None
    gain: Affine = (1.0, 0.0, 0.0)
    bias: Affine = (0.0, 0.0, 0.0)
    damping_ratio: float = 0.0
    activation: Activation | None = None
    muscle: Muscle | None = None
    """In place of gain, bias and activation."""
    control_range: Range | None = None
    force_range: Range | None = None
    activation_range: Range | None = None
    unsupported: str = ""
    """Why its force cannot be computed from the model; empty if it can.  It keeps its place among the controls."""


def numbers(value: Any) -> Iterator[float]:
    """All numbers in a dataclass, nested ones included."""
    if is_dataclass(value):
        for f in fields(value):
            yield from numbers(getattr(value, f.name))
    elif isinstance(value, tuple):
        for x in value:
            yield from numbers(x)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def renamed_actuator(a: Actuator, name: Names, joint: Names, tendon: Names, frame: Names) -> Actuator:
    """The same actuator with other names of itself and of what it drives."""
    t = a.transmission
    match t:
        case JointTransmission():
            t = replace(t, joint=joint(t.joint))
        case TendonTransmission():
            t = replace(t, tendon=tendon(t.tendon))
        case FrameTransmission():
            t = replace(t, frame=frame(t.frame), reference=frame(t.reference) if t.reference else None)
    return replace(a, name=name(a.name), transmission=t)


def targets(a: Actuator) -> tuple[tuple[str, str], ...]:
    """The kind and the name of what an actuator drives.

    >>> targets(Actuator("a", JointTransmission("elbow")))
    (('joint', 'elbow'),)
    """
    match a.transmission:
        case JointTransmission(joint):
            return (("joint", joint),)
        case TendonTransmission(tendon):
            return (("tendon", tendon),)
        case FrameTransmission(frame, _, reference):
            return (("frame", frame), *([("frame", reference)] if reference else ()))
    return ()


def validate_actuators(
    actuators: Collection[Actuator],
    joints: Mapping[str, Body],
    tendons: Collection[str],
    frames: Collection[str],
    where: str,
) -> None:
    """Raise for names that do not exist or are not unique, numbers that are not finite, and ranges that are empty."""
    names: set[str] = set()
    known: dict[str, Collection[str]] = {"joint": joints, "tendon": tendons, "frame": frames}
    for a in actuators:
        whose = f'{where}: actuator "{a.name}"'
        if a.name in names:
            raise ModelError(f'{where}: two actuators are named "{a.name}"; names must differ')
        names.add(a.name)
        for kind, name in targets(a):
            if name not in known[kind]:
                raise ModelError(unknown(kind, name, known[kind], where) + f' (driven by actuator "{a.name}")')
        if isinstance(a.transmission, JointTransmission):
            freedoms = joints[a.transmission.joint].joint.nv
            if len(a.transmission.gear) != freedoms:
                raise ModelError(f"{whose}: gear {a.transmission.gear} needs {freedoms} numbers, one per freedom")
        if a.transmission is None and not a.unsupported:
            raise ModelError(f"{whose} drives nothing; give it a transmission")
        ranges = {k: getattr(a, k) for k in ("control_range", "force_range", "activation_range")}
        unlimited = replace(a, control_range=None, force_range=None, activation_range=None)
        if not all(map(math.isfinite, numbers(unlimited))):
            raise ModelError(f"{whose} has a number that is not finite: {a}")
        for kind, ends in ranges.items():
            if ends is not None and not ends[0] <= ends[1]:
                raise ModelError(f"{whose}: {kind} {ends[0]:g} to {ends[1]:g} is empty; give the lower end first")
