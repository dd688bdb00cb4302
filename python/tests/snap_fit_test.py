"""Snap fits from Python are those of the program."""
import csv
import json

import numpy as np
import pytest

import stickslip


def test_a_scene_has_the_figures_of_the_program(scenes, program, tmp_path):
    line = json.loads(program("snapfit", scenes / "snap_in.toml", "--mu", "0.3", "--out", tmp_path, "--json"))
    shares = []
    fit = stickslip.snapfit(scenes / "snap_in.toml", friction=0.3, progress=shares.append)
    assert fit.friction == 0.3 and fit.snaps and fit.holds and fit.lets_go
    insertion = line["insertion"]
    assert (fit.peak, fit.peak_at, fit.work) == tuple(insertion[key] for key in ("peak_N", "peak_at_m", "work_J"))
    assert (fit.snap_at, fit.snap_duration) == (line["snap"]["at_m"], line["snap"]["duration_s"])
    assert (fit.retention, fit.release_at) == (line["retention"]["peak_N"], line["retention"]["release_at_m"])
    assert fit.max_strain == line["max_strain"] and fit.stored == line["energy_J"]["stored"]
    assert shares == sorted(shares) and shares[-1] == 1.0

    rows = list(csv.DictReader(open(line["curve_csv"], encoding="utf-8")))
    curve = fit.curve
    assert len(curve) == len(rows) and 0 < fit.withdrawal < len(curve)
    assert np.allclose(curve.force, [float(row["force_N"]) for row in rows], rtol=1e-8, atol=1e-12)
    assert np.allclose(curve.moved, [float(row["moved_m"]) for row in rows], rtol=1e-8, atol=1e-12)
    assert curve.loaded_contacts.tolist() == [int(row["loaded_contacts"]) for row in rows]
    until_open_widest = curve[curve.time <= fit.snap_time]
    assert until_open_widest.force.max() == fit.peak


def test_two_meshes_snap(scenes):
    models = scenes / "models"
    fit = stickslip.snapfit(models / "clip_500.msh", models / "pipe_500.msh", handle="handle",
                            axis=[0, -1, 0], travel=0.03, speed=0.04)
    assert fit.snaps and 3 < fit.peak < 9
    assert np.shares_memory(fit.curve, fit.curve)
    with pytest.raises(ValueError):
        fit.curve.force[0] = 1


@pytest.mark.parametrize("arguments, words", [
    (dict(axis=[0, 0, 0]), "axis"), (dict(travel=-1.0), "travel"), (dict(handle=[0, 0, 0]), "handle"),
    (dict(hold=[1, 0, 0, 0, 0, 0]), "hold"), (dict(poisson=0.6), "poisson"), (dict(speed=0.0), "speed"),
    (dict(handle="nothing"), "nothing"), (dict(overrides={"simulation.dt": 1}), "overrides")])
def test_bad_arguments_are_told(scenes, arguments, words):
    models = scenes / "models"
    with pytest.raises(stickslip.InputError, match=words):
        stickslip.snapfit(models / "clip_500.msh", models / "pipe_500.msh", **arguments)
    with pytest.raises(stickslip.InputError, match="exactly one hand"):
        stickslip.snapfit(scenes / "incline.toml")
