"""The algebra of motions and forces in the plane: three numbers each, angular first, as in space."""

from sixvec.mobile.planar.pose import PlanarPose, series_sine
from sixvec.mobile.planar.screw import PLANAR_DELTA, PlanarTwist, PlanarWrench

__all__ = ["PLANAR_DELTA", "PlanarPose", "PlanarTwist", "PlanarWrench", "series_sine"]
