"""Where bodies touch: pairs of shapes, joint stops, and the impulses of contacts with friction."""

from sixvec.contacts.contact import Contact, Stop, floor, shape_pairs, stops
from sixvec.contacts.pair import PAIRS, touches
from sixvec.contacts.touch import Touch

__all__ = ["PAIRS", "Contact", "Stop", "Touch", "floor", "shape_pairs", "stops", "touches"]
