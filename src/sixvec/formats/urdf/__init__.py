"""URDF: read, written, checked."""

ROOT_TAG = "robot"
