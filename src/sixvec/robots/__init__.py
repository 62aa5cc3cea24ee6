"""Robots that come with the library, by name; the numbers of each stand in a file of its own, with their sources."""

from sixvec.robots.built_in import BUILT_IN

__all__ = ["BUILT_IN"]
