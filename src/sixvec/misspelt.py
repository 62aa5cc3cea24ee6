"""Unknown attributes of a robot: suggestions for what the caller may have meant."""

from __future__ import annotations

import difflib
from typing import Any

from sixvec.quoting import quoted

ELSEWHERE = {
    "fkine": "pose", "forward_kinematics": "pose", "fk": "pose", "frame_placement": "pose", "get_pose": "pose",
    "ikine": "ik", "inverse_kinematics": "ik", "solve_ik": "ik", "ikine_LM": "ik",
    "jacob0": "jacobian", "jacobe": "jacobian", "jacobn": "jacobian", "compute_jacobian": "jacobian",
    "inertia": "mass_matrix", "mass_mat": "mass_matrix", "M": "mass_matrix",
    "coriolis": "coriolis_matrix", "gravload": "gravity_forces", "gravity_vector": "gravity_forces",
    "nle": "bias_forces", "nonlinear_effects": "bias_forces", "nonLinearEffects": "bias_forces",
    "accel": "forward_dynamics", "fd": "forward_dynamics", "id": "inverse_dynamics", "idyn": "inverse_dynamics",
    "com": "center_of_mass", "centerOfMass": "center_of_mass", "random_configuration": "random",
    "randomConfiguration": "random", "neutral_configuration": "neutral", "qz": "neutral", "n": "nv", "dof": "nv",
    "njoints": "nv", "joints": "joint_names", "frames": "frame_names", "links": "frame_names", "bodies": "model",
    "rne": "inverse_dynamics", "ikine_LMS": "ik", "ikine_GN": "ik", "ik_LM": "ik", "plot": "view", "teach": "view",
    "qlim": "lower", "end_effector": "frame_names", "getFrameId": "frame_names", "get_frame": "pose", "fk_all": "poses",
    "forwardKinematics": "poses", "framesForwardKinematics": "poses", "oMf": "poses", "JntToCart": "pose",
    "computeJointJacobians": "jacobian", "computeFrameJacobian": "jacobian", "getFrameJacobian": "jacobian",
    "JntToJac": "jacobian", "JntToMass": "mass_matrix", "CartToJnt": "ik",
    "computeGeneralizedGravity": "gravity_forces",
    "CalcMassMatrix": "mass_matrix", "CalcInverseDynamics": "inverse_dynamics", "CalcBiasTerm": "bias_forces",
    "MassMatrix": "mass_matrix", "InverseDynamics": "inverse_dynamics", "ForwardDynamics": "forward_dynamics",
    "FKinSpace": "pose", "JacobianSpace": "jacobian", "IKinSpace": "ik", "qfrc_bias": "bias_forces",
    "step": "rollout", "simulate": "rollout", "add_payload": "with_payload", "payload": "with_payload",
    "jac": "jacobian", "forward": "forward_dynamics", "nu": "nv", "getJointNames": "joint_names", "qpos": "neutral",
}  # fmt: skip
"""Names in other libraries, and the names here."""

_MOST = 3


def no_attribute(owner: Any, name: str) -> str:
    """The message for an attribute that does not exist, with the nearest valid ones.

    >>> import sixvec
    >>> no_attribute(sixvec.load("panda"), "foward_dynamics").partition("; ")[2]
    'did you mean forward_dynamics?'
    >>> no_attribute(sixvec.load("panda"), "fkine").partition("; ")[2]
    'did you mean pose?'
    """
    told = f"{type(owner).__name__} has no attribute {quoted(name)!r}"
    if name.startswith("_"):
        return told
    public = [n for n in dir(type(owner)) if not n.startswith("_")]
    near = [ELSEWHERE[name]] if name in ELSEWHERE else difflib.get_close_matches(name, public, n=_MOST, cutoff=0.75)
    return f"{told}; did you mean {' or '.join(near)}?" if near else f"{told}; dir(robot) lists what it has"
