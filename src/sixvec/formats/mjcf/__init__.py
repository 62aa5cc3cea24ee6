"""MJCF: read, written, checked."""
