"""Contacts between bodies: pairs of shapes, joint stops, and the impulses of contacts with friction."""

from typing import TYPE_CHECKING

from sixvec.arguments.misspelt import listed
from sixvec.constraints.contacts.coal_pairs import coal_touch
from sixvec.constraints.contacts.contact import Contact, Stop, floor, shape_pairs, stops
from sixvec.constraints.contacts.file_contacts import file_contacts, file_stops, floor_contacts
from sixvec.constraints.contacts.impulses import ContactImpulses, contact_impulses
from sixvec.constraints.contacts.pair import touches
from sixvec.distance.pairs.touch import Touch

__all__ = [
    "Contact", "ContactImpulses", "Stop", "Touch", "coal_touch", "contact_impulses", "file_contacts",
    "file_stops", "floor", "floor_contacts", "shape_pairs", "stops", "touches",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = listed(__name__, __all__)
