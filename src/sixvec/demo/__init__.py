"""What `make demo` shows: poses, dynamics, identities and speed of a 7-joint arm."""
