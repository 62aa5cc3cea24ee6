"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = (
    "sixvec",
    "pin",
    "mujoco",
    "ompl",
    "robotpy-wpimath",
    "dynibo",
    "EAIK",
    "visual-kinematics",
    "mink",
    "pin-pink",
    "adam-robotics",
    "casadi",
    "frax",
    "jax",
    "pytorch-kinematics",
    "torch",
    "numpy",
    "llvmlite",
    "example-robot-data",
)


def describe() -> dict[str, Any]:
    """Processor, cores, system, and the versions of all packages that take part."""
    return {
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def cpu_name() -> str:
    """The processor's name and its widest vector instructions, where the system tells them."""
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor() or "unknown"
    fields = dict(line.split(":", 1) for line in info.read_text().splitlines() if ":" in line)
    values = {key.strip(): value.strip() for key, value in fields.items()}
    flags = values.get("flags", "").split()
    vector = next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in flags), "")
    family = f"family {values.get('cpu family', '?')} model {values.get('model', '?')}"
    return ", ".join(x for x in (values.get("model name", "unknown"), family, vector) if x)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
