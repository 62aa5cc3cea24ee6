"""The families of arms that can be solved, each in its own file; an arm belongs to the first that takes it."""

from __future__ import annotations

from sixvec.closed_form.chain import SerialChain
from sixvec.closed_form.families.gantry import gantry
from sixvec.closed_form.families.general_six import general_six
from sixvec.closed_form.families.planar_arm import planar_arm
from sixvec.closed_form.families.seven_revolute import shoulder_elbow_wrist
from sixvec.closed_form.families.six_revolute import six_revolute
from sixvec.closed_form.recognise import Geometry, geometry
from sixvec.closed_form.target import Family

__all__ = ["find_family", "gantry", "general_six", "planar_arm", "shoulder_elbow_wrist", "six_revolute"]

FAMILIES = "6R with three neighbouring axes that meet or are parallel, planar 2R and 3R, SCARA, PPP + 3R, 7R with \
spherical shoulder and wrist"


def find_family(chain: SerialChain, *, general: bool = True) -> Family | str:
    """The family of an arm, or the reason why it has none."""
    shape = geometry(chain)
    for special in (planar_arm, gantry, shoulder_elbow_wrist):
        family = special(chain)
        if family is not None:
            return family
    if "coincide" in shape.pairs:
        i = shape.pairs.index("coincide")
        return f"{chain.names[i]} and {chain.names[i + 1]} turn about the same line: one of them is redundant ({shape})"
    if chain.kinds == "RRRRRR":
        choices = [six_revolute(chain, triple) for triple in shape.triples]
        choices.sort(key=lambda f: f.series is not None)  # without a quartic first
        if choices:
            return choices[0]
        if general:
            return general_six(chain)
    return _why_not(shape)


def _why_not(shape: Geometry) -> str:
    n = len(shape.chain)
    if n == 0:
        why = "no joint moves it"
    elif n > 6:
        why = f"{n} joints are more than six; lock {n - 6} of them with locked={{name: position}}"
    elif n < 6:
        why = f"{n} joints cannot reach every pose; use numerical inverse kinematics"
    elif shape.chain.kinds != "RRRRRR":
        why = f"six joints in the order {shape.chain.kinds} (R turning, P sliding) are in no family with a closed form"
    else:
        why = "no three neighbouring revolute axes meet or are parallel (Pieper's test), so there is no closed form"
    return f"{why}. Found: {shape}. Solvable: {FAMILIES}"
