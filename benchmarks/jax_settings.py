"""Settings of JAX, which reads them when it is first imported: double precision, and the scheduler that frax advises.

Libraries of other sections import JAX, too, so `run.py` imports this file before them.
"""

from __future__ import annotations

import os

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault(  # as frax's README advises
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false --xla_cpu_scheduler_type=CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED"
)
