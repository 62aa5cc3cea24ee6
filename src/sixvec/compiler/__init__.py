"""From scalar equations to machine code.  Independent of robots; docs/architecture.md gives an overview."""
