"""The names of the built-in robots.  Adding one is writing its file and its line here.

>>> BUILT_IN["cart_pole"]().nv
2
"""

from __future__ import annotations

from collections.abc import Callable

from sixvec.model import Model
from sixvec.robots.acrobot import acrobot
from sixvec.robots.cart_pole import cart_pole
from sixvec.robots.double_pendulum import double_pendulum
from sixvec.robots.panda import panda
from sixvec.robots.planar_2r import planar_2r
from sixvec.robots.puma560 import puma560

BUILT_IN: dict[str, Callable[[], Model]] = {
    "acrobot": acrobot,
    "cart_pole": cart_pole,
    "double_pendulum": double_pendulum,
    "panda": panda,
    "planar_2r": planar_2r,
    "puma560": puma560,
}
