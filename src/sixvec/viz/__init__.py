"""Pictures of robots and of geometry.

Charts (`draw_joint_path`, `draw_phase`, `draw_tree`, …) draw on given axes or a new figure and return the axes.

Functions that draw geometry (frames, points, directions, planes, lines, screws, twists, wrenches) add one thing to
three-dimensional axes, which `scene` creates and which grow to include it, with the same scale along x, y and z.
Coordinates are those of the value drawn: move it with a pose first.

Colours are distinguishable for colour-blind readers: x vermilion, y green, z blue; angular parts (rotation, moment)
purple, linear parts (velocity, force) orange.  Matplotlib comes with the extra `viz`.  The
viewer in the browser (`sixvec.viz.viewer`) needs the extra `view`.
"""

from typing import TYPE_CHECKING

from sixvec.arguments.misspelt import listed
from sixvec.viz.ellipsoids import draw_manipulability
from sixvec.viz.frame import draw_frame
from sixvec.viz.joint_path import draw_joint_path, draw_phase
from sixvec.viz.model_charts import draw_mass_matrix, draw_operation_counts, draw_tree
from sixvec.viz.parameter_chart import draw_base_parameters
from sixvec.viz.platform_drawing import draw_modes, draw_platform
from sixvec.viz.robot_drawing import draw_robot
from sixvec.viz.scene import scene
from sixvec.viz.screws import draw_screw, draw_twist, draw_wrench
from sixvec.viz.shapes import draw_direction, draw_line, draw_measure, draw_plane, draw_point, draw_vector
from sixvec.viz.workspace import draw_workspace, draw_workspace_slice

__all__ = [
    "draw_base_parameters", "draw_direction", "draw_frame", "draw_joint_path", "draw_line", "draw_manipulability",
    "draw_mass_matrix", "draw_measure", "draw_modes", "draw_operation_counts", "draw_phase", "draw_plane",
    "draw_platform", "draw_point", "draw_robot", "draw_screw", "draw_tree", "draw_twist", "draw_vector",
    "draw_workspace", "draw_workspace_slice", "draw_wrench",
    "scene",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = listed(__name__, __all__)
