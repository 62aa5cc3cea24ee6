"""Fixed tendons of MJCF, as far as equalities refer to them: sums of joint coordinates, the laws of differentials.

The meaning of the elements is that of MuJoCo (XML reference, sections tendon/fixed and equality/tendon): the length of
a fixed tendon is  Σ coef · q,  and an equality of one or two of them is  l₁ - l₁⁰ = c₀ + c₁ (l₂ - l₂⁰) + …  where l⁰
are the lengths with all joints at their `ref`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import quoteattr

from sixvec.errors import unknown
from sixvec.formats.mjcf.joint import JointInBody
from sixvec.formats.mjcf.write_joint import Attributes, joint_name
from sixvec.formats.node import Node
from sixvec.formats.number_text import numbers
from sixvec.model import Differential, Model

Joints = Mapping[str, tuple[str, JointInBody]]


def linear_terms(node: Node) -> tuple[float, float] | None:
    """c₀ and c₁ of the law of an equality; None where it has terms of higher degree."""
    given = node.numbers("polycoef", len(node.text("polycoef").split())) if node.has("polycoef") else ()
    c0, c1, *higher = (*given, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(given) :])
    return None if any(higher) else (c0, c1)


def tendon_law(root: Node, node: Node, name: str, joints: Joints) -> Differential | None:
    """The law of an equality of tendons; None where it is not linear in joints of one coordinate."""
    law, tendons = linear_terms(node), fixed_tendons(root)
    sides = [node.get(key) for key in ("tendon1", "tendon2") if node.has(key)]
    if law is None or not sides or any(t not in tendons for t in sides):
        return None
    factors: dict[str, float] = {}
    offset = law[0]
    for tendon, sign in zip(sides, (1.0, -law[1]), strict=False):
        for side in tendons[tendon].children("joint"):
            if side.text("joint") not in joints:
                raise side.error(unknown("joint", side.text("joint"), joints))
            body, held = joints[side.text("joint")]
            if held.joint.nq != 1:
                return None
            factor = sign * side.number("coef")
            factors[body] = factors.get(body, 0.0) + factor
            offset += factor * held.ref
    return Differential(name, tuple(factors.items()), offset) if any(factors.values()) else None


def fixed_tendons(root: Node) -> dict[str, Node]:
    return {t.get("name"): t for section in root.children("tendon") for t in section.children("fixed") if t.has("name")}


def only_equated(root: Node) -> set[str]:
    """Tendons used only by equalities: no spring, damper, limit or friction."""
    named = {n.get(k) for s in root.children("equality") for n in s.children("tendon") for k in ("tendon1", "tendon2")}
    return {name for name, t in fixed_tendons(root).items() if name in named and {*t.attributes} == {"name"}}


def tendon_lines(model: Model) -> Iterator[str]:
    """A fixed tendon for every differential."""
    laws = [c for c in model.closures if isinstance(c, Differential)]
    if not laws:
        return
    yield "  <tendon>"
    for c in laws:
        yield f"    <fixed name={quoteattr(c.name)}>"
        for body, factor in c.terms:
            joint = quoteattr(joint_name(model.by_name[body]))
            yield f'      <joint joint={joint} coef="{numbers((factor,))}"/>'
        yield "    </fixed>"
    yield "  </tendon>"


def tendon_equality(c: Differential) -> tuple[str, Attributes]:
    return "tendon", {"name": c.name, "tendon1": c.name, "polycoef": numbers((c.offset, 0.0, 0.0, 0.0, 0.0))}
