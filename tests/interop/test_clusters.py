"""Methods in engines for many machines: a dask cluster of processes, xarray from zarr to zarr, local ray."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]

SAMPLES = 3000


@pytest.fixture(scope="module")
def robot() -> sv.Robot:
    return sv.load("double_pendulum")


@pytest.fixture(scope="module")
def state(robot: sv.Robot) -> list[np.ndarray]:
    return [robot.random(seed, SAMPLES) for seed in range(3)]


def test_dask_on_processes(robot, state) -> None:
    distributed, da = pytest.importorskip("distributed"), pytest.importorskip("dask.array")
    lazy = [da.from_array(x, chunks=(700, 2)) for x in state]
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        tau = da.apply_gufunc(robot.inverse_dynamics, robot.inverse_dynamics.signature, *lazy)
        assert np.array_equal(tau.compute(), robot.inverse_dynamics(*state))
        tip = robot.kernel("jacobian", frame="tip")
        J = da.apply_gufunc(tip, tip.signature, lazy[0], output_sizes={"6": 6})
        assert np.array_equal(J.compute(), robot.jacobian(state[0], "tip"))


def test_xarray_from_zarr_to_zarr(robot, state, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    axes = ("sample", "joint")
    data = xarray.Dataset({name: (axes, x) for name, x in zip("qva", state, strict=True)})
    data.chunk(sample=700).to_zarr(tmp_path / "states.zarr")
    opened = xarray.open_zarr(tmp_path / "states.zarr")
    tau = xarray.apply_ufunc(
        robot.inverse_dynamics,
        opened.q,
        opened.v,
        opened.a,
        input_core_dims=[["joint"]] * 3,
        output_core_dims=[["joint"]],
        dask="parallelized",
    )
    tau.to_dataset(name="tau").to_zarr(tmp_path / "tau.zarr")
    assert np.array_equal(xarray.open_zarr(tmp_path / "tau.zarr").tau, robot.inverse_dynamics(*state))


def test_ray_from_parquet(robot, state, tmp_path: Path) -> None:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        rows = [{"q": q, "v": v, "a": a, "index": i} for i, (q, v, a) in enumerate(zip(*state, strict=True))]
        ray.data.from_items(rows).write_parquet(str(tmp_path))

        def torques(batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
            return {**batch, "tau": robot.inverse_dynamics(batch["q"], batch["v"], batch["a"])}

        found = ray.data.read_parquet(str(tmp_path)).map_batches(torques, batch_size=500).take_all()
    finally:
        ray.shutdown()
    tau = np.array([row["tau"] for row in sorted(found, key=lambda row: row["index"])])
    assert np.array_equal(tau, robot.inverse_dynamics(*state))


def test_the_page_about_many_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its programs as they are there, for fewer samples; ray's, which reads from elsewhere, is the test above."""
    pytest.importorskip("xarray")
    distributed = pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs/many_machines.md").read_text(encoding="utf-8")
    blocks = [b.partition("```")[0] for b in page.split("```python\n")[1:]]
    programs = [b for b in blocks if ">>>" not in b and "import ray" not in b]
    text = "\n".join(programs).replace("samples, chunk = 10**9, 10**6", "samples, chunk = 4000, 1000")
    assert len(programs) == 5 and "4000" in text
    space: dict[str, Any] = {}
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        space["cluster"] = cluster
        exec(text.replace("Client()", "Client(cluster)"), space)
        robot, q, v, a, tau = (space[name] for name in ("robot", "q", "v", "a", "tau"))
        numbers = [np.asarray(x) for x in (q, v, a)]
        assert np.array_equal(np.asarray(tau), robot.inverse_dynamics(*numbers))
        assert space["cells"].sum() == 4000
        Y = robot.inverse_dynamics_regressor(*numbers)
        assert np.allclose(Y @ space["parameters"], robot.inverse_dynamics(*numbers), atol=1e-6)
        space["client"].close()
