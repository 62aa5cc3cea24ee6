"""The families of solvable arms, each in its own file; an arm belongs to the first that accepts it."""

from __future__ import annotations

from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.families.gantry import gantry
from sixvec.ik.closed_form.families.general_six import general_six
from sixvec.ik.closed_form.families.planar_arm import planar_arm
from sixvec.ik.closed_form.families.reason import reason
from sixvec.ik.closed_form.families.seven_revolute import shoulder_elbow_wrist
from sixvec.ik.closed_form.families.six_revolute import six_revolute
from sixvec.ik.closed_form.families.wrist_partitioned import placed_tip, wrist_partitioned
from sixvec.ik.closed_form.recognise import freedoms, geometry
from sixvec.ik.closed_form.target import Family

__all__ = ["find_family"]


def find_family(chain: SerialChain, *, general: bool = True) -> Family | str:
    """The family of an arm, or the reason why it has none.

    >>> import sixvec
    >>> from sixvec.ik.closed_form import closed_form
    >>> closed_form(sixvec.load("ur5e"), "tool0").family.name
    'shoulder_lift_joint, elbow_joint and wrist_1_joint parallel'
    """
    shape = geometry(chain)
    if not len(chain) or "coincide" in shape.pairs or (len(chain) == 6 and freedoms(chain) < 6):
        return reason(shape)
    if chain.kinds == "RRRRRR":
        choices = [six_revolute(chain, triple) for triple in shape.triples]
        choices.sort(key=lambda f: f.series is not None)  # without a quartic first
        if choices:
            return choices[0]
        return general_six(chain) if general else reason(shape)
    for special in (planar_arm, gantry, placed_tip, wrist_partitioned, shoulder_elbow_wrist):
        family = special(chain)
        if family is not None:
            return family
    return reason(shape)
