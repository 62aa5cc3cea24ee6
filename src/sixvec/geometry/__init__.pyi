"""Points, directions, planes, lines and screws: pure geometry on any scalar."""

from sixvec.geometry.active_passive import displaced, displaced_in_source, displaced_in_target, seen_from_target
from sixvec.geometry.dh_line import DHLine
from sixvec.geometry.direction import Direction, angle_between
from sixvec.geometry.homogeneous_point import HomogeneousPoint
from sixvec.geometry.hr_line import HRLine
from sixvec.geometry.line import Line
from sixvec.geometry.line_chart import convert_line, followed, minimal_line
from sixvec.geometry.line_pair import (
    CommonNormal,
    common_normal,
    line_angle,
    line_distance,
    lines_intersect,
    lines_parallel,
    parallel_normal,
)
from sixvec.geometry.mirror import Mirror, handedness
from sixvec.geometry.pc_line import PCLine
from sixvec.geometry.plane import Plane
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.geometry.polygon import Polygon
from sixvec.geometry.reciprocal import reciprocal_product, reciprocal_set, screw_rank
from sixvec.geometry.screw import Screw
from sixvec.geometry.screw_transform import ScrewTransform
from sixvec.geometry.segment import Segment
from sixvec.geometry.skew import axial_vector, skew, unskew

__all__ = [
    "CommonNormal", "DHLine", "Direction", "HRLine", "HomogeneousPoint", "Line", "Mirror", "PCLine", "Plane",
    "PluckerLine", "Point", "Polygon", "Screw", "ScrewTransform", "Segment", "angle_between", "axial_vector",
    "common_normal", "convert_line", "displaced", "displaced_in_source", "displaced_in_target", "followed",
    "handedness", "line_angle", "line_distance", "lines_intersect", "lines_parallel", "minimal_line",
    "parallel_normal", "reciprocal_product", "reciprocal_set", "screw_rank", "seen_from_target", "skew", "unskew",
]  # fmt: skip
