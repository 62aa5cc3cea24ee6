"""An arm with muscles as an MJCF file."""

from __future__ import annotations

import numpy as np

FILE = """<mujoco><compiler angle="radian"/><worldbody><site name="w" pos="{w}"/><site name="w2" pos="{w2}"/>
<body name="b" pos="0.1 0 0.2"><joint name="h" axis="{h}" armature="0.01"/><joint name="h2" axis="0 1 0"/>
<geom name="g" type="{kind}" size="{size}" pos="{g}" euler="{turn}"/>
<site name="s" pos="{s}"/><site name="s2" pos="{s2}"/>
<body name="c" pos="0.4 0 0.1"><joint name="k" axis="{k}"/><geom size=".04" pos="0.1 0 0"/>
<site name="e" pos="{e}"/><site name="e2" pos="{e2}"/></body></body></worldbody>
<tendon><spatial name="long"><site site="w"/><geom geom="g"/><site site="e"/></spatial>
<spatial name="short"><site site="s"/><site site="e2"/></spatial>
<spatial name="double"><site site="w2"/><site site="s2"/><pulley divisor="2"/><site site="s2"/><site site="e"/>
</spatial>
<fixed name="sum"><joint joint="h" coef="0.05"/><joint joint="k" coef="-0.03"/></fixed></tendon>
<actuator><muscle name="m1" tendon="long" lengthrange="0.2 0.9" gear="1.3"/>
<motor name="motor" joint="h2"/>
<muscle name="m2" tendon="short" lengthrange="0.3 0.8" force="150" timeconst="0.02 0.07" tausmooth="0.4" vmax="2"/>
<muscle name="m3" tendon="double" lengthrange="0.3 0.7" scale="90" range="0.6 1.2" forcerange="-60 0"/>
<muscle name="m4" tendon="sum" lengthrange="-0.1 0.1" force="300" lmin="0.4" lmax="1.7" fpmax="1.1" fvmax="1.4"/>
<muscle name="m5" joint="k" lengthrange="-1.5 1.5" force="20" gear="-0.9"/></actuator></mujoco>"""


def muscle_file(seed: int) -> str:
    """Random points, and a sphere or a cylinder in the way of the first muscle."""
    rng = np.random.default_rng(seed)
    spread = {"w": 0.3, "w2": 0.4, "h": 1.0, "g": 0.1, "turn": 1.0, "s": 0.3, "s2": 0.3, "k": 1.0, "e": 0.3, "e2": 0.2}
    vectors = {name: " ".join(f"{x:.7f}" for x in rng.uniform(-k, k, 3)) for name, k in spread.items()}
    kind = ("sphere", "cylinder")[seed % 2]
    return FILE.format(kind=kind, size="0.08" + " 0.2" * (seed % 2), **vectors)
