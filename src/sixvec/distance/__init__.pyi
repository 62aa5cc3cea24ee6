from sixvec.distance.cloud import Cloud as Cloud
from sixvec.distance.collision_pairs import CollisionPairs as CollisionPairs
from sixvec.distance.hulls import HullWarning as HullWarning
from sixvec.distance.result import Distance as Distance
from sixvec.distance.result import Distances as Distances
from sixvec.distance.shapes import CollisionShape as CollisionShape
from sixvec.distance.world import Obstacle as Obstacle
from sixvec.distance.world import World as World

__all__ = ["Cloud", "CollisionPairs", "CollisionShape", "Distance", "Distances", "HullWarning", "Obstacle", "World"]
