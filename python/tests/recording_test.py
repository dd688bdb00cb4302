"""Recordings of the program as arrays."""
import numpy as np
import pytest

import stickslip


@pytest.fixture
def recording(scenes, program, tmp_path):
    program("run", scenes / "grasp.toml", "--headless", "--duration", "0.4", "--record",
            tmp_path / "grasp.h5", "--record-states-every", "0.1")
    return stickslip.Recording(tmp_path / "grasp.h5")


def test_arrays_are_what_the_scene_goes_through(scenes, recording):
    scene = stickslip.Scene.load(scenes / "grasp.toml")
    rows = recording.rows()
    assert len(recording) == 200 and recording.bodies == list(scene.bodies)
    assert rows.frames.shape == (200, 4, 7) and recording.inputs.shape == (200, 2, 6)
    for k in range(200):
        report = scene.step()
        ball = scene.bodies["ball"]
        assert np.array_equal(rows.frames[k, 1, :3], ball.position)
        assert np.array_equal(rows.frames[k, 1, 3:], ball.orientation)
        assert rows.energy[k, 0] == report.energy
        assert rows.error[k] == np.float32(report.error)
        here = slice(rows.contact_start[k], rows.contact_start[k + 1])
        contacts = scene.contacts
        assert np.allclose(rows.contact_force[here], contacts.force, rtol=1e-6, atol=1e-12)
        assert np.array_equal(rows.contact_bodies[here, 0], contacts.body_1)
        assert np.array_equal(rows.contact_sticks[here], contacts.sticks)
        assert recording.time[k] == scene.time and recording.hash[k] == scene.hash


def test_rows_can_be_read_by_parts(recording):
    whole, part = recording.rows(), recording.rows(50, 10)
    assert np.array_equal(part.frames, whole.frames[50:60])
    assert part.contact_start[0] == 0 and len(part.contact_gap) == part.contact_start[-1]
    with pytest.raises(stickslip.InputError, match="are not in it"):
        recording.rows(190, 20)


def test_a_recorded_scene_goes_on_from_its_states(recording):
    scene = recording.scene()
    assert recording.state_steps.tolist()[:3] == [0, 50, 100]
    scene.state = recording.state(1)
    assert scene.steps == 50 and scene.hash == recording.hash[49]
    scene.step(30)
    assert scene.hash == recording.hash[79]
    with pytest.raises(stickslip.InputError):
        recording.state(99)
    with pytest.raises(stickslip.InputError, match="recording"):
        scene.save("nowhere.toml")


def test_what_is_no_recording_is_refused(tmp_path):
    (tmp_path / "no.h5").write_text("no")
    with pytest.raises(stickslip.InputError, match="no.h5"):
        stickslip.Recording(tmp_path / "no.h5")
