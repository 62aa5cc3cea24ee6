"""Pieces of equations that several algorithms share; none of them is a kernel."""
