"""Edits: functions from a model to a new model.

>>> import sixvec
>>> from sixvec.model.edits import lock
>>> sixvec.Robot(lock(sixvec.load("panda").model, {"panda_joint7": 0.5})).nv
6
"""

from sixvec.model.edits.attach import attach, payload
from sixvec.model.edits.chain import subchain
from sixvec.model.edits.closures import with_closure, without_closures
from sixvec.model.edits.elastic_joint import with_elastic_joint
from sixvec.model.edits.floating import with_free_root
from sixvec.model.edits.frame import with_frame
from sixvec.model.edits.inertia import with_inertia
from sixvec.model.edits.limits import with_limits
from sixvec.model.edits.lock import lock
from sixvec.model.edits.mirror import mirror
from sixvec.model.edits.order import reorder, serialize
from sixvec.model.edits.rename import rename
from sixvec.model.edits.reroot import reroot
from sixvec.model.edits.rotor import Rotor, with_rotor
from sixvec.model.edits.split import split
from sixvec.model.edits.tendons import with_tendons
from sixvec.model.spanning_tree import without_rolling

__all__ = [
    "Rotor", "attach", "lock", "mirror", "payload", "rename", "reorder", "reroot", "serialize", "split", "subchain",
    "with_closure", "with_elastic_joint", "with_frame", "with_free_root", "with_inertia", "with_limits", "with_rotor",
    "with_tendons", "without_closures", "without_rolling",
]  # fmt: skip
