"""Arrays look at the engine's memory, and keep it for as long as they live."""
import gc

import numpy as np
import pytest

import stickslip


@pytest.fixture
def scene(scenes):
    made = stickslip.Scene.load(scenes / "press_and_slide.toml")
    made.step(150)
    return made


@pytest.mark.parametrize("name", ["rest_surface", "triangles", "displacement"])
def test_what_lives_in_the_engine_is_not_copied(scene, name):
    first, second = (getattr(scene.bodies["pad"], name) for _ in range(2))
    assert np.shares_memory(first, second)
    assert not first.flags.writeable
    with pytest.raises(ValueError):
        first[0] = 0


def test_arrays_outlive_their_scene(scene):
    pad = scene.bodies["pad"]
    arrays = [pad.rest_surface, pad.triangles, pad.displacement, scene.contacts, scene.friction]
    problem = scene.problem()
    arrays += [problem.W, problem.q, problem.r, problem.contacts]
    copies = [array.copy() for array in arrays]
    del scene, pad, problem
    gc.collect()
    others = [np.random.default_rng(k).normal(size=(40, 3)) for k in range(200)]
    assert all(np.array_equal(array, copy) for array, copy in zip(arrays, copies))
    assert len(others) == 200


def test_displacements_keep_their_values_when_the_scene_goes_on(scene):
    pad = scene.bodies["pad"]
    kept = []
    for _ in range(8):
        kept.append((pad.displacement, pad.displacement.copy()))
        scene.step()
    for array, copy in kept:
        assert np.array_equal(array, copy)
    assert not np.array_equal(kept[0][0], kept[-1][0])
    now = pad.displacement
    scene.reset()
    assert np.array_equal(now, now.copy()) and not pad.displacement.any()


def test_lending_changes_no_bits(scenes):
    plain = stickslip.Scene.load(scenes / "press_and_slide.toml")
    watched = stickslip.Scene.load(scenes / "press_and_slide.toml")
    arrays = []
    for k in range(60):
        plain.step()
        watched.step()
        if k % 3 == 0:
            arrays.append(watched.bodies["pad"].displacement)
        del arrays[:-2]
    assert plain.hash == watched.hash


def test_surfaces_are_arrays_of_their_own(scene):
    pad = scene.bodies["pad"]
    before = pad.surface
    copy = before.copy()
    scene.step(50)
    assert np.array_equal(before, copy) and not np.array_equal(pad.surface, copy)


def test_contacts_are_rows_as_the_engine_has_them(scene):
    contacts = scene.contacts
    assert isinstance(contacts, np.recarray)
    assert contacts.dtype.names == ("body_1", "body_2", "P", "Q", "normal", "gap", "force", "sticks")
    assert contacts["force"].shape == (len(contacts), 3) and contacts.sticks.dtype == bool
    held = contacts[contacts.sticks]
    assert len(held) <= len(contacts)


def test_meshes_and_problems_are_not_copied(scenes):
    mesh = stickslip.Mesh.load(scenes / "models/clip_500.msh")
    nodes, handle = mesh.nodes, mesh.regions["handle"]
    assert np.shares_memory(nodes, mesh.nodes) and np.shares_memory(handle, mesh.regions["handle"])
    middle = nodes[handle].mean(axis=0)
    del mesh
    gc.collect()
    assert np.array_equal(middle, nodes[handle].mean(axis=0))
    problem = stickslip.Problem(np.eye(3), np.zeros(3), np.ones(1))
    assert np.shares_memory(problem.W, problem.W)


def test_a_scene_goes_when_nobody_has_it(scenes):
    """A scene has megabytes: hundreds of them would show."""
    def resident():
        with open("/proc/self/statm", encoding="ascii") as numbers:
            return int(numbers.read().split()[1]) * 4096

    def use():
        scene = stickslip.Scene.load(scenes / "incline.toml")
        scene.step(3)
        return scene.bodies["block"].displacement, scene.contacts

    for _ in range(5):
        use()
    gc.collect()
    before = resident()
    for _ in range(40):
        use()
    gc.collect()
    assert resident() - before < 60e6
