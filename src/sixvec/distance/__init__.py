"""Distances: gaps of a robot to itself and to a world of obstacles, nearest points and gradients."""
