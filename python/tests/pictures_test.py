"""Scenes and curves show themselves."""
import subprocess
import sys

import numpy as np
import pytest

import stickslip


@pytest.fixture
def scene(scenes):
    made = stickslip.Scene.load(scenes / "incline.toml")
    made.run(0.05)
    return made


def test_a_scene_draws_bodies_and_forces(scene):
    pytest.importorskip("matplotlib")
    axes = scene.plot()
    surfaces, arrows = axes.collections[:2], axes.collections[2:]
    assert len(surfaces) == 2 and len(arrows) == 1
    assert "incline" in axes.get_title() and axes.get_xlabel() == "x [m]"
    low, high = axes.get_xlim()
    middle = scene.bodies["block"].surface.mean(axis=0)
    assert low < middle[0] < high


def test_a_notebook_gets_a_picture_and_figures(scene):
    pytest.importorskip("matplotlib")
    text = scene._repr_html_()
    assert 'src="data:image/png;base64,' in text and "12, 12 with force" in text
    assert scene._repr_html_().count("<table>") == 1


def test_a_curve_draws_itself(scenes):
    pytest.importorskip("matplotlib")
    fit = stickslip.snapfit(scenes / "snap_in.toml", speed=0.04)
    axes = fit.plot(color="k")
    way_in, way_out = axes.lines[:2]
    assert fit.peak in way_in.get_ydata() and len(way_out.get_xdata()) > 10
    assert axes.get_ylabel().endswith("[N]")
    assert "<img" in fit._repr_html_() and "insertion" in fit._repr_html_()


def test_matplotlib_is_not_loaded_before_it_is_needed():
    code = "import sys, stickslip; sys.exit('matplotlib' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_matplotlib_there_is_the_table(scene, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    text = scene._repr_html_()
    assert "<img" not in text and "<table>" in text
