"""Films of rollouts: their time, their files, and what notebooks show of them."""

from __future__ import annotations

import io
import os
import stat
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec import viz
from sixvec.errors import ArgumentError, OutputError

pytest.importorskip("PIL")

ARM = sv.load("planar_2r")
SWING = ARM.rollout([0.1, 0.2], [0.0, 0.0], [0.3, 0.1], 0.01, steps=60)


def test_a_gif_lasts_as_long_as_the_rollout(tmp_path: Path) -> None:
    from PIL import Image

    file = ARM.animate(SWING, tmp_path / "swing.gif")
    film = Image.open(io.BytesIO(file.read_bytes()))
    durations, pictures = [], []
    for k in range(film.n_frames):
        film.seek(k)
        durations.append(film.info["duration"])
        pictures.append(np.asarray(film.convert("RGB"), int))
    assert film.info["loop"] == 0
    assert abs(sum(durations) - 600) <= 50, "0.6 s, and the last picture once more"
    changes = [np.abs(a - b).max() for a, b in pairwise(pictures)]
    assert min(changes) > 50, "the arm moves from picture to picture"
    assert pictures[0].min() < 100 < 240 < pictures[0].max(), "something is drawn on white"


def test_mp4_needs_ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ArgumentError, match="animate"):
        ARM.animate(SWING, tmp_path / "swing.mp4")
    assert not (tmp_path / "swing.mp4").exists()


def test_mp4_gives_all_pictures_to_ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that writes what it reads: raw pictures of the right number and size."""
    program = tmp_path / "ffmpeg"
    program.write_text(
        f"#!{sys.executable}\nimport sys\n"
        "if sys.argv[1:] != ['-version']:\n"
        "    open(sys.argv[-1], 'wb').write(' '.join(sys.argv).encode() + b'|' + sys.stdin.buffer.read())\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    words, _, raw = ARM.animate(SWING, tmp_path / "swing.mp4").read_bytes().partition(b"|")
    assert (
        float(words.split(b"-framerate ")[1].split()[0]) == pytest.approx(12 / 0.59, abs=1e-3) and b"400x400" in words
    )
    assert len(raw) == 13 * 400 * 400 * 3


def test_a_failure_of_ffmpeg_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\ncat > /dev/null\necho 'no such codec' >&2\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(OutputError, match="no such codec"):
        ARM.animate(SWING, tmp_path / "swing.mp4")


def test_a_film_may_show_torques_next_to_the_robot(tmp_path: Path) -> None:
    from PIL import Image

    with Image.open(ARM.animate(SWING, tmp_path / "swing.gif", what="torque")) as film:
        assert film.size == (800, 400)
    with pytest.raises(ArgumentError, match="what='torque'"):
        ARM.animate(SWING, tmp_path / "swing.html", what="torque")
    with pytest.raises(ArgumentError, match="velocity"):
        ARM.animate(SWING, tmp_path / "swings.gif", what="velocitty")
    with pytest.raises(ArgumentError, match="tau"):
        ARM.animate(ARM.track(SWING.q[0], ARM.pose(SWING.q, "tip"), "tip"), tmp_path / "a.gif", 0.1, what="torque")


def test_stages_are_side_by_side(tmp_path: Path) -> None:
    from PIL import Image

    for path, count in ((SWING, 5), (SWING.q[:2], 2)):
        with Image.open(ARM.animate(path, tmp_path / f"{count}.png")) as strip:
            assert strip.size == (count * 400, 400)


def test_notebooks_show_films(tmp_path: Path) -> None:
    gif = ARM.animate(SWING.q[:3], tmp_path / "swing.gif")
    assert isinstance(gif, Path) and gif._repr_html_().startswith('<img src="data:image/gif;base64,R0lG')
    page = type(gif)(tmp_path / "page.html")
    page.write_text('<b class="x">&</b>')
    assert 'srcdoc="&lt;b class=&quot;x&quot;&gt;&amp;&lt;/b&gt;"' in page._repr_html_()


def test_the_time_step_is_that_of_the_rollout() -> None:
    from matplotlib.figure import Figure

    ax = viz.draw_joint_path(ARM, SWING, ax=Figure().subplots())
    assert np.allclose(ax.lines[0].get_xdata(), SWING.t) and np.array_equal(ax.lines[0].get_ydata(), SWING.q[:, 0])
    with pytest.raises(ArgumentError, match="draw_joint_path"):
        viz.draw_joint_path(ARM, SWING.q)
    with pytest.raises(ArgumentError, match="play"):
        ARM.play(SWING.q, browser=False)


def test_torques_and_their_limits() -> None:
    from matplotlib.figure import Figure

    panda = sv.load("panda")
    path = panda.rollout(
        panda.random(0), np.zeros(7), np.zeros(7), 0.001, steps=20, control=lambda q, v, u: panda.gravity_forces(q)
    )
    ax = viz.draw_joint_path(panda, path, ax=Figure().subplots(), what="torque", joints=["panda_joint2"])
    curve, *limits = ax.lines
    assert np.array_equal(curve.get_ydata(), path.tau[:, 1]) and curve.get_xdata()[0] == 0.0
    assert sorted(x.get_ydata()[0] for x in limits) == [-panda.effort_limits[1], panda.effort_limits[1]]
    assert ax.get_ylabel() == "torque [N m]"
    with pytest.raises(ArgumentError, match=named("draw_joint_path", "what", "torque")):
        viz.draw_joint_path(
            panda, panda.track(path.q[0], panda.pose(path.q, "panda_link8"), "panda_link8"), 0.1, what="torque"
        )
    with pytest.raises(ArgumentError, match=named("draw_joint_path", "velocitty")):
        viz.draw_joint_path(panda, path, what="velocitty")  # type: ignore[arg-type]


def test_a_trajectory_draws_itself() -> None:
    axes = SWING.plot()
    axes[0].figure.savefig(io.BytesIO())
    assert [len(ax.lines) for ax in axes] == [2, 2, 2]
    assert len(SWING.plot(joints=[ARM.joint_names[1]])[2].lines) == 1
