"""Paths between poses for nonholonomic platforms: shortest paths of bounded curvature, and rotate-drive-rotate."""

from sixvec.mobile.paths.curve import CurvePath
from sixvec.mobile.paths.dubins import DUBINS_WORDS, dubins
from sixvec.mobile.paths.reeds_shepp import REEDS_SHEPP_WORDS, reeds_shepp
from sixvec.mobile.paths.rotate_drive_rotate import rotate_drive_rotate

__all__ = ["DUBINS_WORDS", "REEDS_SHEPP_WORDS", "CurvePath", "dubins", "reeds_shepp", "rotate_drive_rotate"]
