"""The names of the built-in robots.  Adding one is writing its file and its line here.

>>> BUILT_IN["cart_pole"]().nv
2
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from sixvec.model import Model
from sixvec.robots.acrobot import acrobot
from sixvec.robots.cart_pole import cart_pole
from sixvec.robots.cobra600 import cobra600
from sixvec.robots.double_pendulum import double_pendulum
from sixvec.robots.four_bar import four_bar
from sixvec.robots.humanoid import humanoid
from sixvec.robots.ideal_arms import arm_313, arm_321
from sixvec.robots.iiwa14 import iiwa14
from sixvec.robots.limbs import with_limbs
from sixvec.robots.panda import panda
from sixvec.robots.planar_2r import planar_2r
from sixvec.robots.puma560 import puma560
from sixvec.robots.slider_crank import slider_crank
from sixvec.robots.solo12 import solo12
from sixvec.robots.stanford_arm import stanford_arm
from sixvec.robots.ur5e import ur5e

MECHANISMS: dict[str, Callable[[], Model]] = {
    "acrobot": acrobot,
    "arm_313": arm_313,
    "arm_321": arm_321,
    "cart_pole": cart_pole,
    "cobra600": cobra600,
    "double_pendulum": double_pendulum,
    "four_bar": four_bar,
    "humanoid": humanoid,
    "iiwa14": iiwa14,
    "panda": panda,
    "planar_2r": planar_2r,
    "puma560": puma560,
    "slider_crank": slider_crank,
    "solo12": solo12,
    "stanford_arm": stanford_arm,
    "ur5e": ur5e,
}
"""For each name, the function that makes the robot without geometry."""


def _with_limbs(mechanism: Callable[[], Model]) -> Callable[[], Model]:
    @wraps(mechanism)
    def made() -> Model:
        return with_limbs(mechanism())

    return made


BUILT_IN: dict[str, Callable[[], Model]] = {name: _with_limbs(make) for name, make in MECHANISMS.items()}
