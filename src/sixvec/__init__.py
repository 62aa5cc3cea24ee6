"""Robot kinematics and dynamics with 6-D vectors: textbook equations, compiled for one robot.

>>> import sixvec as sv
>>> robot = sv.load("panda")
>>> robot.mass_matrix(robot.neutral()).shape
(7, 7)
"""

from sixvec.compiler.executable import set_threads
from sixvec.conventions import convert
from sixvec.errors import SixvecError
from sixvec.function import compiled
from sixvec.model import Model
from sixvec.robot import Robot, load

__version__ = "0.1.0"

__all__ = ["Model", "Robot", "SixvecError", "__version__", "compiled", "convert", "load", "set_threads"]
