"""Run in a fresh process: print how long importing sixvec takes, and the first calls of one kernel.

python compile_probe.py [URDF FLOATING KERNEL INPUTS [FRAME]]
"""

import json
import sys
from time import perf_counter

start = perf_counter()
import numpy as np  # noqa: E402

numpy_done = perf_counter()
import sixvec as sv  # noqa: E402

times = {"numpy": numpy_done - start, "import": perf_counter() - start}
BATCH = 64


def main(urdf: str, floating: str, kernel: str, inputs: str, *frame: str) -> None:
    """Time loading, the first single call and the first batch call, in seconds."""
    start = perf_counter()
    robot = sv.load(urdf, floating=True) if floating == "1" else sv.load(urdf)
    times["load"] = perf_counter() - start
    arrays = [robot.neutral() if name == "q" else np.zeros(robot.nv) for name in inputs.split(",")]
    for label, shape in (("single", ()), ("batch", (BATCH,))):
        arguments = [np.broadcast_to(x, (*shape, x.size)).copy() for x in arrays]
        start = perf_counter()
        getattr(robot, kernel)(*arguments, *frame)
        times[label] = perf_counter() - start


if len(sys.argv) > 1:
    main(*sys.argv[1:])
print(json.dumps(times))
