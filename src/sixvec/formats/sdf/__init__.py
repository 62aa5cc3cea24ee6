"""SDF: read and checked."""
