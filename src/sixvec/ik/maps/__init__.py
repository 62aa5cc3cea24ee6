"""The kinematic maps and their inverses: positions, velocities, accelerations, forces, also mixed."""
