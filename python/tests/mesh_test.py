"""Meshes as arrays."""
import json

import numpy as np
import pytest

import stickslip


def test_info_is_that_of_the_program(scenes, program):
    path = scenes / "models/clip_500.msh"
    expected = json.loads(program("mesh", "info", path, "--json"))
    info = stickslip.Mesh.load(path).info()
    for key in ("nodes", "elements", "element_type", "volume_m3", "bounding_box_m"):
        assert info[key] == expected[key], key
    assert info["regions"] == [region["name"] for region in expected["regions"]]
    assert info["quality"]["min"] == expected["quality"]["min"]
    assert info["quality"]["mean"] == pytest.approx(expected["quality"]["mean"], rel=1e-12)


def test_a_box_weighs_what_its_size_says():
    box = stickslip.Mesh.box([0.1, 0.2, 0.3], [2, 2, 3])
    assert box.element_type == "tet4" and len(box.elements) == 6 * 12
    assert box.volume == pytest.approx(0.006)
    assert box.area == pytest.approx(2 * (0.02 + 0.03 + 0.06))
    mass, centre, inertia = box.mass_properties(1000.0)
    assert mass == pytest.approx(6.0) and centre == pytest.approx([0.05, 0.1, 0.15])
    assert np.diag(inertia) == pytest.approx(6 / 12 * np.array([0.13, 0.1, 0.05]))
    assert set(box.regions) == {"x0", "x1", "y0", "y1", "z0", "z1"}
    assert (box.nodes[box.regions["z1"], 2] == 0.3).all()
    assert stickslip.Mesh.box([1, 1, 1], [1, 1, 1], order=2).element_type == "tet10"


def test_surface_is_closed_and_looks_outward():
    surface = stickslip.Mesh.box([0.1, 0.2, 0.3], [2, 2, 3]).surface()
    assert surface.element_type == "triangle" and surface.volume == pytest.approx(0.006)
    a, b, c = (surface.nodes[surface.elements[:, k]] for k in range(3))
    outward = ((a + b + c) / 3 - [0.05, 0.1, 0.15])
    assert ((np.cross(b - a, c - a) * outward).sum(axis=1) > 0).all()


def test_arrays_make_a_mesh_that_a_scene_can_use(tmp_path):
    box = stickslip.Mesh.box([0.1, 0.1, 0.1], [2, 2, 2])
    made = stickslip.Mesh.from_arrays(2 * box.nodes, box.elements, {"top": box.regions["z1"]})
    assert made.volume == pytest.approx(0.008) and not made.findings()
    made.save(tmp_path / "block.msh")
    again = stickslip.Mesh.load(tmp_path / "block.msh")
    assert np.array_equal(again.nodes, made.nodes) and np.array_equal(again.elements, made.elements)
    assert np.array_equal(again.regions["top"], made.regions["top"])
    scene = stickslip.Scene.from_dict({
        "material": {"rubber": {"young": 1e6, "poisson": 0.3, "density": 1000}},
        "body": [{"name": "block", "kind": "deformable", "mesh": "block.msh", "material": "rubber",
                  "held": ["top"]}]}, tmp_path)
    scene.step()
    # it hangs down by its weight
    assert scene.bodies["block"].displacement[:, 2].min() < -1e-5


def test_surfaces_are_read_and_written(tmp_path, scenes):
    cap = stickslip.Mesh.load(scenes / "models/cap.obj")
    assert cap.element_type == "triangle" and not cap.regions
    cap.save(tmp_path / "cap.stl", binary=True)
    assert stickslip.Mesh.load(tmp_path / "cap.stl").area == pytest.approx(cap.area, rel=1e-6)
    with pytest.raises(stickslip.InputError, match="no tetrahedra"):
        cap.save(tmp_path / "cap.msh")


def test_faults_are_found(tmp_path):
    box = stickslip.Mesh.box([1, 1, 1], [1, 1, 1])
    turned = box.elements.copy()
    turned[0, [0, 1]] = turned[0, [1, 0]]
    with pytest.raises(stickslip.InputError, match="negative volume"):
        stickslip.Mesh.from_arrays(box.nodes, turned)
    with pytest.raises(stickslip.InputError):
        stickslip.Mesh.from_arrays(box.nodes, box.elements + 100)
    with pytest.raises(stickslip.InputError, match="3, 4 or 10"):
        stickslip.Mesh.from_arrays(box.nodes, box.elements[:, :2])
    with pytest.raises(stickslip.InputError, match="names nodes"):
        stickslip.Mesh.from_arrays(box.nodes, box.elements, {"far": [99]})
    stickslip.Mesh.box([50, 50, 50], [1, 1, 1]).save(tmp_path / "big.msh")
    found, = stickslip.Mesh.check(tmp_path / "big.msh")
    assert (found.code, found.severity) == ("suspicious_size", "warning") and found.remedy
