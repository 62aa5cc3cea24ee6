"""URDF: read, written, checked."""
