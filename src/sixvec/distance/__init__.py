"""Distances: gaps of a robot to itself and to a world of obstacles, nearest points and gradients."""

from typing import TYPE_CHECKING

from sixvec.arguments.misspelt import listed
from sixvec.distance.cloud import Cloud
from sixvec.distance.collision_pairs import CollisionPairs
from sixvec.distance.hulls import HullWarning
from sixvec.distance.result import Distance, Distances
from sixvec.distance.shapes import CollisionShape
from sixvec.distance.world import Obstacle, World

__all__ = ["Cloud", "CollisionPairs", "CollisionShape", "Distance", "Distances", "HullWarning", "Obstacle", "World"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = listed(__name__, __all__)
