"""An algorithm as a call: binding, options, derivatives, payloads, functions of the user."""
