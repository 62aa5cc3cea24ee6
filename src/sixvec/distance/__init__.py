"""Distances: gaps of a robot to itself and to a world of obstacles, nearest points and gradients."""

from sixvec.lazy import on_demand

# Type checkers read __init__.pyi; a test compares the two.
__all__, __getattr__, __dir__ = on_demand(
    __name__,
    {
        "cloud": "Cloud",
        "collision_pairs": "CollisionPairs",
        "hulls": "HullWarning",
        "result": "Distance Distances",
        "shapes": "CollisionShape",
        "world": "Obstacle World",
    },
)
