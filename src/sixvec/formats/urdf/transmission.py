"""The <transmission> elements of URDF: how motors drive the joints.

The formulas are those of ros_control's transmission_interface, with motor turns per joint turn as the reduction n:
simple, θ = n (q - q₀); differential, θ₁ = n₁ (m₁ (q₁ - o₁) + m₂ (q₂ - o₂)) and θ₂ = n₂ (m₁ (q₁ - o₁) - m₂ (q₂ - o₂)).
"""

from __future__ import annotations

from sixvec.formats.node import Node
from sixvec.model.motor import Motors
from sixvec.quoting import quoted

SIMPLE, DIFFERENTIAL = "SimpleTransmission", "DifferentialTransmission"

REDUCTION = "mechanicalReduction"


def motors(robot: Node) -> Motors:
    """The motors of a <robot>, their joints in the order of the transmissions.

    A joint that several transmissions drive in the same way (files list one per controller) counts once.

    >>> from sixvec.formats.xml import parse_xml
    >>> drive = motors(parse_xml(
    ...     '<robot><joint name="hip"/><transmission name="t"><type>transmission_interface/SimpleTransmission</type>'
    ...     '<joint name="hip"/><actuator name="m"><mechanicalReduction>-9</mechanicalReduction></actuator>'
    ...     '</transmission></robot>', "leg.urdf"))
    >>> drive.joints, drive.matrix
    (('hip',), ((-9.0,),))
    """
    known = [node.text("name") for node in robot.children("joint")]
    joints: list[str] = []
    rows: list[dict[str, float]] = []
    offset: dict[str, float] = {}
    driven: dict[str, tuple[list[dict[str, float]], float]] = {}
    for node in robot.children("transmission"):
        ends = [*node.children("joint")]
        names = [end.text("name") for end in ends]
        for end, name in zip(ends, names, strict=True):
            if name not in known:
                raise end.unknown("joint", name, known)
        law = _rows(node, names)
        at = [end.number_in("offset", 0.0) for end in ends]
        if all(driven.get(name) == (law, o) for name, o in zip(names, at, strict=True)):
            continue
        if twice := [name for name in names if name in driven]:
            raise node.error(
                f'joint "{twice[0]}" is already driven by another transmission, in another way', "keep one"
            )
        driven |= {name: (law, o) for name, o in zip(names, at, strict=True)}
        joints += names
        rows += law
        offset |= dict(zip(names, at, strict=True))
    matrix = tuple(tuple(row.get(name, 0.0) for name in joints) for row in rows)
    return Motors(tuple(joints), matrix, tuple(offset[name] for name in joints))


def _rows(node: Node, joints: list[str]) -> list[dict[str, float]]:
    """For each motor, its turns per turn of each joint."""
    kind = _type(node)
    actuators, ends = [*node.children("actuator")], [*node.children("joint")]
    count = {SIMPLE: 1, DIFFERENTIAL: 2}.get(kind)
    if count is None:
        raise node.error(f'the type "{quoted(kind)}" is not read', f"types: {SIMPLE}, {DIFFERENTIAL}")
    if (len(actuators), len(joints)) != (count, count):
        raise node.error(f"has {len(actuators)} actuators and {len(joints)} joints", f"a {kind} has {count} of each")
    if kind == SIMPLE:
        return [{joints[0]: _reduction(actuators[0], otherwise=_reduction(node))}]
    (n1, n2), (m1, m2) = ([_reduction(reduction) for reduction in parts] for parts in (actuators, ends))
    first, second = joints
    return [{first: n1 * m1, second: n1 * m2}, {first: n2 * m1, second: -n2 * m2}]


def _type(node: Node) -> str:
    """In current files an element with a package prefix; in old files an attribute."""
    kind = node.child("type")
    text = node.get("type") if kind is None else kind.value
    return text.strip().rpartition("/")[2]


def _reduction(node: Node, otherwise: float = 1.0) -> float:
    n = node.number_in(REDUCTION, otherwise)
    if n == 0.0:
        raise node.error(f"<{REDUCTION}> is zero", "give the turns of the motor per turn of the joint")
    return n
