"""`python -m sixvec`."""

from sixvec.cli import main

raise SystemExit(main())
