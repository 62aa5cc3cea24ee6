"""From scalar equations to machine code.  Knows nothing about robots; docs/architecture.md draws the map."""
