"""The names of the built-in robots.  Adding one is writing its file and its line here.

>>> BUILT_IN["cart_pole"]().nv
2
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from sixvec.model.model import Model

ABOUT = {
    "acrobot": "Acrobot of Spong (1995): two links, a motor at the elbow only",
    "arm_313": "Seven joints as a shoulder, an elbow and a wrist with common centres (Bruyninckx §7.3)",
    "arm_321": "Six joints with a spherical wrist and no offsets (Bruyninckx §7.2)",
    "cart_pole": "Cart on a rail with a pole; at q = 0 the pole is upright",
    "cobra600": "Adept Cobra 600, a SCARA; assumed inertias",
    "double_pendulum": "Two equal rods; at q = 0 both hang down",
    "excavator": "Excavator of 20 t: swing, boom, stick and bucket, moved by hydraulic cylinders; assumed sizes",
    "four_bar": "Planar four-bar linkage, a closed loop of four hinges",
    "hamilton_wrist": "Spherical wrist of four joints of Long, Paul and Fisher (1989); assumed inertias",
    "humanoid": "A person of 1.75 m and 75 kg: a free pelvis and 32 joints, segments after Dempster",
    "iiwa14": "KUKA LBR iiwa 14 R820; inertias of Drake's model",
    "landing_gear": "Landing gear that retracts: shock strut, torque links, side brace, cylinder; assumed sizes",
    "panda": "Franka Emika Panda without a hand; inertias identified by Gaz et al. (2019)",
    "planar_2r": "Planar arm with two joints of textbooks, in a vertical plane",
    "puma560": "Unimation Puma 560; inertias measured by Armstrong et al. (1986)",
    "slider_crank": "Crank, coupler and slider, a closed loop",
    "solo12": "Solo12 quadruped of the Open Dynamic Robot Initiative, a free base and twelve joints",
    "stanford_arm": "Stanford arm of Scheinman: five revolute joints and a prismatic one; Paul's table",
    "ur5e": "Universal Robots UR5e; inertias of the maker",
}
"""For each built-in robot, what it is and where its parameters are from."""

MODULES = {name: "ideal_arms" if name.startswith("arm_") else name for name in ABOUT}
"""For each name, the module with the function of that name, which makes the robot without geometry."""


@dataclass(frozen=True)
class BuiltIn:
    """Makes a built-in robot, with shapes of its limbs; its module is imported on the first call."""

    name: str

    def __call__(self) -> Model:
        from sixvec.model.robots.limbs import with_limbs

        return with_limbs(mechanism(self.name)())

    @property
    def about(self) -> str:
        """What the robot is, in a line."""
        return ABOUT[self.name]


def mechanism(name: str) -> Callable[[], Model]:
    """The function that makes a robot without geometry.

    >>> mechanism("panda")().geoms
    ()
    """
    module = import_module(f"{__package__}.{MODULES[name]}")
    make: Callable[[], Model] = getattr(module, name)
    return make


BUILT_IN = {name: BuiltIn(name) for name in MODULES}
