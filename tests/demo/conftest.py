"""What these tests share."""

from command_line import sixvec

__all__ = ["sixvec"]
