"""All solutions of inverse kinematics for arms whose geometry allows it.

>>> import sixvec
>>> from sixvec.ik.closed_form import closed_form
>>> closed_form(sixvec.load("puma560"), "link6")
<Solver of puma560 to link6: joint4, joint5 and joint6 meet in one point, 8 solutions>
"""

from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.closed_form import Solver, closed_form
from sixvec.ik.closed_form.families.general_six import IncompleteSolutions
from sixvec.ik.closed_form.recognise import Geometry, geometry
from sixvec.ik.closed_form.solutions import Solutions
from sixvec.lazy import modules_on_demand

__all__ = ["Geometry", "IncompleteSolutions", "SerialChain", "Solutions", "Solver", "closed_form", "geometry"]

__getattr__ = modules_on_demand(__name__, "arm_313", "arm_321", "families", "newton_raphson")
