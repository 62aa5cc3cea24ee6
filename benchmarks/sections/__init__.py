"""The sections of the report: each yields rows."""
