"""Pairs of shapes: where they are nearest or overlap most, each pair written once, on scalars."""
