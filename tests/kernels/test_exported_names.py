"""Names and comments of emitted functions: each choice that is not the default is a word of the name."""

from __future__ import annotations

from typing import Any

import pytest

import sixvec
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.compiler.source import TARGETS, sources
from sixvec.errors import ArgumentError
from sixvec.kernels.exported import function, own_notes, robot_notes, symbol

TOOL = "panda_link8"
NAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "jacobian_panda_link8": ("jacobian", {"frame": TOOL}),
    "jacobian_panda_link8_world": ("jacobian", {"frame": TOOL, "reference": "world"}),
    "forward_dynamics": ("forward_dynamics", {"passive": False}),
    "forward_dynamics_passive": ("forward_dynamics", {"passive": True}),
    "forward_dynamics_external_panda_link7_panda_link8": ("forward_dynamics", {"external": ("panda_link7", TOOL)}),
    "forward_dynamics_external_reference_world_external_panda_link8": (
        "forward_dynamics",
        {"external": (TOOL,), "external_reference": "world"},
    ),
    "hybrid_dynamics_prescribed_panda_joint1_panda_joint3": (
        "hybrid_dynamics",
        {"prescribed": ("panda_joint1", "panda_joint3")},
    ),
    "constrained_dynamics_hold_panda_link8_weld": ("constrained_dynamics", {"hold": {TOOL: "weld"}}),
    "constrained_dynamics_hold_panda_link8_point": ("constrained_dynamics", {"hold": {TOOL: "point"}}),
    "constrained_dynamics_hold_panda_link8_x_turn_z": ("constrained_dynamics", {"hold": {TOOL: ("x", "turn z")}}),
    "constrained_dynamics_hold_panda_link8_to_panda_link3_weld": (
        "constrained_dynamics",
        {"hold": {(TOOL, "panda_link3"): "weld"}},
    ),
}


@pytest.fixture(scope="module")
def panda() -> sixvec.Robot:
    return sixvec.load("panda")


@pytest.mark.parametrize("name", NAMES)
def test_names(panda: sixvec.Robot, name: str) -> None:
    algorithm, options = NAMES[name]
    kernel = panda.kernel(algorithm, **options)
    assert symbol(kernel) == f"panda_{name}"
    assert symbol(kernel, "float32", "arm") == f"arm_{name}_float32"
    assert symbol(kernel.derivative("q")) == f"panda_{name}_dq"


def test_comments(panda: sixvec.Robot) -> None:
    kernel = panda.with_payload(TOOL, 1.0).kernel("inverse_dynamics", external=("panda_link7",), passive=True)
    first, *rest = own_notes(kernel)
    assert first == f"inverse_dynamics of the robot panda: {(inverse_dynamics.__doc__ or '').strip().splitlines()[0]}"
    assert rest == [
        "passive: True",
        "external[panda_link7]: (moment, force) on the robot at the origin of that frame, local: origin and axes of "
        "the frame",
        "payload[panda_link8]: in that frame: mass, mass * center x y z, inertia about the origin xx xy xz yy yz zz",
    ]
    derived = [*own_notes(panda.kernel("gravity_forces").derivative("q"))]
    assert derived[1] == "Differentiated: gravity_forces_dq; the axis of a derivative is the last."


def test_places_of_joints() -> None:
    walker, crane = (
        [line for line in robot_notes(sixvec.load(name).model) if line.startswith("  ")]
        for name in ("solo12", "cobra600")
    )
    assert walker[0] == "  q[0..6], v[0..5]: root_joint (free: position (m), quaternion; omega, v in body axes)"
    assert walker[1] == "  q[7], v[6]: FL_HAA (revolute: rad)" and len(walker) == 13
    assert crane[0].startswith("  q[0]: ") and crane[0].endswith("(revolute: rad)")
    assert any(line.endswith("(prismatic: m)") for line in crane)


def test_several_functions_in_one_text() -> None:
    pendulum = sixvec.load("double_pendulum")
    functions = [function(pendulum.kernel(name)) for name in ("gravity_forces", "kinetic_energy")]
    for target in TARGETS:
        assert functions[0].symbol in sources(functions[:1], target) or target == "program"
        if target == "llvm":
            with pytest.raises(ArgumentError, match="LLVM"):
                sources(functions, target)
        elif target == "program":
            assert sources(functions, target) == "\n\n".join(str(f.program) for f in functions)
        else:
            assert all(f.symbol in sources(functions, target) for f in functions)
    assert function(pendulum.kernel("gravity_forces"), name="g").symbol == "g"
    with pytest.raises(ArgumentError, match="rust"):
        sources(functions, "rust")
