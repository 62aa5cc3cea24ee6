"""Kernels exported to other programs: the names of their functions and the comments in the header."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from sixvec.algorithms.parts.held_directions import KINDS
from sixvec.compiler.emit.function import Function, identifier, is_identifier
from sixvec.errors import ArgumentError
from sixvec.model import Model
from sixvec.model.held_frame import Held
from sixvec.quoting import quoted

if TYPE_CHECKING:
    from sixvec.kernels.derivative import Differentiable
    from sixvec.kernels.kernel import Kernel

REFERENCES = {
    "local_world_aligned": "origin of the frame, axes of the world",
    "local": "origin and axes of the frame",
    "world": "origin and axes of the world",
    "joint": "origin and axes of the joint frame that moves with the body",
    "body": "origin and axes of the frame with the name of the body",
}
CONVENTIONS = (
    "Units: m, kg, s, rad, N, N m.  6-D vectors are angular first: (omega, v), (moment, force).",
    "Quaternions are x y z w, of unit length.",
)


def frame_of(name: str, frame: str, model: Model) -> str:
    """The frame in "name:frame", which must not be empty.

    >>> import sixvec
    >>> frame_of("jacobian", "", sixvec.load("planar_2r").model)
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: jacobian needs a frame: jacobian:FRAME, for example jacobian:tip
    """
    if not frame:
        raise ArgumentError(f"{name} needs a frame: {name}:FRAME, for example {name}:{model.frames[-1].name}")
    return frame


def function(kernel: Differentiable, dtype: str = "float64", name: str = "") -> Function:
    """The kernel as a function to emit, under the name given or its own."""
    return Function(kernel.program, name or symbol(kernel, dtype), tuple(notes(kernel)))


def symbol(kernel: Differentiable, dtype: str = "float64", prefix: str = "") -> str:
    """The name of the emitted function: robot (or `prefix`), kernel, frame, and each option that is not the default.

    Names that are invalid in C are changed and carry a hash, so that different functions never share a name.

    >>> import sixvec
    >>> robot = sixvec.load("panda")
    >>> symbol(robot.kernel("jacobian", frame="panda_link8"))
    'panda_jacobian_panda_link8'
    >>> symbol(robot.kernel("inverse_dynamics", passive=True).derivative("q"), "float32")
    'panda_inverse_dynamics_passive_dq_float32'
    """
    base = _base(kernel)
    words = [prefix or base.model.name, base.name, *_chosen(base)]
    words += [kernel.name[len(base.name) + 1 :]] if kernel is not base else []  # dq, along_q_v, gradient_q, …
    words += [dtype] if dtype != "float64" else []
    return joined(words)


def joined(words: Sequence[str]) -> str:
    """A name of C made of words; it carries a hash if one of them is invalid there.

    >>> joined(["arm", "step", "rk4"]), joined(["arm", "ik", "tool-0"])
    ('arm_step_rk4', 'arm_ik_tool_0_e66753')
    """
    name = identifier("_".join(words))
    if all(map(is_identifier, words)):
        return name
    return f"{name}_{hashlib.sha256(repr(words).encode()).hexdigest()[:6]}"


def notes(kernel: Differentiable) -> Iterator[str]:
    """The header comment of a kernel: what it computes, for which robot, frame and options; units and joints."""
    yield from own_notes(kernel)
    yield from robot_notes(kernel.model)


def own_notes(kernel: Differentiable) -> Iterator[str]:
    """What one kernel computes, for which frame and options."""
    base, model = _base(kernel), kernel.model
    yield f"{base.name} of the robot {quoted(model.name)}: {_summary(base)}"
    if kernel is not base:
        yield f"Differentiated: {kernel.name}; the axis of a derivative is the last."
        yield "Derivatives with respect to q are in tangent coordinates, one for each of v."
    for option, value in _option_words(base).items():
        yield f"{option}: {value}"
    for frame in base.external:
        where = base.options["external_reference"]
        at = f"at the origin of that frame, {where}: {REFERENCES[where]}"
        yield f"external[{quoted(frame)}]: (moment, force) on the robot {at}"
    for frame in base.payloads:
        numbers = "mass, mass * center x y z, inertia about the origin xx xy xz yy yz zz"
        yield f"payload[{quoted(frame)}]: in that frame: {numbers}"


def robot_notes(model: Model) -> Iterator[str]:
    """Conventions and units, gravity, and the order of the joints."""
    yield from CONVENTIONS
    yield f"Gravity ({', '.join(f'{float(g):g}' for g in model.gravity)}) m/s^2, axes of the world."
    yield "Joints, in their order in q, and in v, a, tau:"
    yield from _joints(model)


def _base(kernel: Differentiable) -> Kernel:
    while hasattr(kernel, "of"):
        kernel = kernel.of
    return cast("Kernel", kernel)


def _chosen(kernel: Kernel) -> Iterator[str]:
    """The words that distinguish kernels of one algorithm: the frame, then options that are not the default."""
    options: Mapping[str, Any] = kernel.options
    if "frame" in options:
        yield str(options["frame"])
    for option, value in options.items():
        if option == "frame" or value == kernel.algorithm.options[option]:
            continue
        if value is True:
            yield option
        elif isinstance(value, tuple):
            yield from (option, *(word for x in value for word in _words(x)))
        else:
            yield from ([str(value)] if option == "reference" else [option, str(value)])
    for what, frames in (("external", kernel.external), ("payload", kernel.payloads)):
        yield from (what, *frames) if frames else ()


def _words(value: Any) -> Iterator[str]:
    """The texts of one entry of an option."""
    if not isinstance(value, Held):
        yield str(value)
        return
    yield from (value.frame, *(["to", value.to] if value.to is not None else []))
    kinds = [kind for kind, directions in KINDS.items() if directions == value.directions]
    yield from (word for kind in kinds[:1] or value.directions for word in str(kind).split())


def _option_words(kernel: Kernel) -> dict[str, str]:
    texts = {k: str(value) for k, value in kernel.options.items() if k != "external_reference"}
    return {k: quoted(f"{v}: {REFERENCES[v]}" if k.endswith("reference") else v, 200) for k, v in texts.items()}


def _summary(kernel: Kernel) -> str:
    return (kernel.algorithm.function.__doc__ or "").strip().partition("\n")[0]


def _joints(model: Model) -> Iterator[str]:
    for b in model.moving:
        at_q, at_v = (_range(x, s[b.name]) for x, s in (("q", model.q_slices), ("v", model.v_slices)))
        place = at_q if at_q[1:] == at_v[1:] else f"{at_q}, {at_v}"
        yield f"  {place}: {quoted(b.joint_name or b.name)} ({b.joint.kind}: {b.joint.units})"


def _range(name: str, at: slice) -> str:
    return f"{name}[{at.start}]" if at.stop - at.start == 1 else f"{name}[{at.start}..{at.stop - 1}]"
