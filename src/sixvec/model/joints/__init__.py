"""The joints, one file each.  Adding one is writing its file and its line here."""

from sixvec.model.joints.cylindrical import Cylindrical
from sixvec.model.joints.fixed import Fixed
from sixvec.model.joints.free import Free
from sixvec.model.joints.helical import Helical
from sixvec.model.joints.joint import Coordinates, Joint
from sixvec.model.joints.planar import Planar
from sixvec.model.joints.prismatic import Prismatic
from sixvec.model.joints.revolute import Revolute
from sixvec.model.joints.spherical import Spherical
from sixvec.model.joints.universal import Universal

__all__ = [
    "JOINTS", "Coordinates", "Cylindrical", "Fixed", "Free", "Helical", "Joint", "Planar", "Prismatic", "Revolute",
    "Spherical", "Universal",
]  # fmt: skip

JOINTS: tuple[type[Joint], ...] = (
    Revolute, Prismatic, Helical, Cylindrical, Universal, Planar, Spherical, Free, Fixed
)  # fmt: skip
"""Every type of joint of the library."""
