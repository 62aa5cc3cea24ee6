"""Task space: the dynamics of a robot as its frames feel them, also where they are singular."""

from sixvec.task_space.dynamics import TaskSpaceDynamics, task_space_dynamics
from sixvec.task_space.frame_inertia import frames_inertia_inverse
from sixvec.task_space.spectral_inverse import RANK_TOLERANCE, SpectralInverse, spectral_inverse

__all__ = [
    "RANK_TOLERANCE",
    "SpectralInverse",
    "TaskSpaceDynamics",
    "frames_inertia_inverse",
    "spectral_inverse",
    "task_space_dynamics",
]
