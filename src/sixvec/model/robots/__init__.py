"""Robots that come with the library; each file contains the parameters of one, with their sources."""

from sixvec.lazy import modules_on_demand
from sixvec.model.robots.built_in import BUILT_IN, MODULES

__all__ = ["BUILT_IN"]

__getattr__ = modules_on_demand(__name__, "human_joints", *MODULES.values())
