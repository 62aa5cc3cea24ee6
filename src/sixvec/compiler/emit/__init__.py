"""Targets: one file each, one line per op."""
