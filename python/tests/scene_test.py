"""Scenes from Python are those of the program, step by step."""
import json
import os
import signal
import threading
import time

import numpy as np
import pytest

import stickslip

FLOOR_AND_BALL = """
name = "drop"
[simulation]
dt = 0.001
[material.rubber]
young = 1e6
density = 1000
[contact]
friction = 0.5
[[body]]
name = "floor"
kind = "fixed"
shape = "plane"
size = [1, 1]
[[body]]
name = "box"
kind = "rigid"
shape = "box"
size = [0.1, 0.1, 0.1]
material = "rubber"
[[drive]]
name = "push"
body = "box"
kind = "force"
value = [0, 0, 0]
"""


def same_numbers(told, expected):
    """Of the report of the program, but for times of this machine."""
    for key, value in expected.items():
        if key in ("wall_s", "phases_us", "scene", "version", "hands", "ticks", "probes"):
            continue
        assert told[key] == value, key


@pytest.mark.parametrize("name, duration", [("incline", 0.5), ("grasp", 0.2), ("snap_in", 0.6)])
def test_a_run_has_the_numbers_of_the_program(scenes, program, name, duration):
    path = scenes / f"{name}.toml"
    expected = json.loads(program("run", path, "--headless", "--json", "--duration", duration))
    scene = stickslip.Scene.load(path, {"simulation.duration": duration})
    same_numbers(scene.run(), expected)
    for probe, reading in expected["probes"].items():
        mine = scene.probes[probe]
        assert mine.position.tolist() == reading["position_m"]
        assert mine.velocity.tolist() == reading["velocity_m_s"]
        assert mine.force.tolist() == reading["force_N"]
        assert mine.torque.tolist() == reading["torque_N_m"]
    for hand, reading in expected.get("hands", {}).items():
        assert scene.hands[hand].force.tolist() == reading["force_N"]
        assert scene.hands[hand].position.tolist() == reading["position_m"]


@pytest.mark.parametrize("name", ["press_and_slide", "table", "snap_in"])
def test_every_step_has_the_bits_of_the_program(scenes, program, tmp_path, name):
    path = scenes / f"{name}.toml"
    program("run", path, "--headless", "--duration", "0.15", "--record", tmp_path / "run.h5")
    recorded = stickslip.Recording(tmp_path / "run.h5")
    scene = stickslip.Scene.load(path)
    assert len(recorded) > 40
    for step, expected in zip(recorded.step, recorded.hash):
        scene.step()
        assert scene.hash == expected, step


def test_forces_carry_the_weight(scenes):
    scene = stickslip.Scene.load(scenes / "incline.toml")
    scene.run(0.4)
    block = scene.bodies["block"]
    contacts = scene.contacts
    assert (contacts.body_1 == 0).all() and (contacts.body_2 == 1).all()
    on_block = -contacts.force.sum(axis=0)
    assert on_block == pytest.approx([0, 0, 9.81 * block.mass], abs=1e-4)
    assert scene.probes["block"].force == pytest.approx(on_block)
    assert contacts.sticks.all() and np.allclose(np.linalg.norm(contacts.normal, axis=1), 1)
    assert np.allclose(((contacts.P - contacts.Q) * contacts.normal).sum(axis=1), contacts.gap, atol=1e-12)
    assert scene.energy == scene.report.energy


def test_overrides_are_those_of_set(scenes):
    scene = stickslip.Scene.load(scenes / "incline.toml",
                                 {"contact.friction": np.float64(0.3), "simulation.dt": 1e-3,
                                  "body.block.position": np.array([0, 0, 0.001])})
    assert scene.dt == 1e-3 and scene.friction[0, 1] == 0.3
    assert stickslip.Scene.load(scenes / "incline.toml", ["simulation.dt=1e-3"]).dt == 1e-3
    with pytest.raises(stickslip.InputError, match="did you mean \"friction\""):
        stickslip.Scene.load(scenes / "incline.toml", {"contact.frction": 0.3})


def test_text_dictionary_and_file_make_the_same_scene(tmp_path):
    import tomllib
    (tmp_path / "drop.toml").write_text(FLOOR_AND_BALL)
    made = [stickslip.Scene.load(tmp_path / "drop.toml"), stickslip.Scene.from_toml(FLOOR_AND_BALL),
            stickslip.Scene.from_dict(tomllib.loads(FLOOR_AND_BALL))]
    for scene in made:
        scene.step(50)
    assert len({scene.hash for scene in made}) == 1
    assert {scene.name for scene in made} == {"drop"}


@pytest.mark.parametrize("name", ["table", "snap_in", "press_and_slide", "rolling"])
def test_a_saved_scene_is_the_same(scenes, tmp_path, name):
    scene = stickslip.Scene.load(scenes / f"{name}.toml", {"contact.friction": 0.37})
    (tmp_path / "inner").mkdir()
    scene.save(tmp_path / "inner/saved.toml")
    again = stickslip.Scene.load(tmp_path / "inner/saved.toml")
    assert again.friction[0, 1] == 0.37
    scene.step(20)
    again.step(20)
    assert scene.hash == again.hash


def test_state_takes_back_and_forth(scenes):
    scene = stickslip.Scene.load(scenes / "press_and_slide.toml")
    start = scene.hash
    scene.step(150)
    middle, time_s, hash_there = scene.state, scene.time, scene.hash
    scene.step(100)
    end = scene.hash
    scene.state = middle
    assert (scene.hash, scene.time, scene.steps) == (hash_there, time_s, 150)
    assert len(scene.contacts) == 0
    scene.step(100)
    assert scene.hash == end
    scene.reset()
    assert scene.hash == start and scene.steps == 0
    with pytest.raises(stickslip.InputError, match="none of scene press_and_slide"):
        scene.state = middle[:-1]


def test_a_drive_takes_what_it_is_given():
    scene = stickslip.Scene.from_toml(FLOOR_AND_BALL)
    scene.step(20)
    scene.drive("push", [0, 0, -5])
    scene.step(5)
    weight = 9.81 * scene.bodies["box"].mass
    assert scene.probes["box"].force[2] == pytest.approx(weight + 5, rel=1e-6)
    pushed = scene.state
    scene.step(5)
    there = scene.hash
    scene.state = pushed
    scene.step(5)
    assert scene.hash == there
    scene.drive("push")
    scene.step(5)
    assert scene.probes["box"].force[2] == pytest.approx(weight, rel=1e-6)
    with pytest.raises(stickslip.InputError, match="there are: push"):
        scene.drive("pull", [0, 0, 1])


def test_surface_is_frame_and_displacement(scenes):
    scene = stickslip.Scene.load(scenes / "press_and_slide.toml")
    scene.step(150)
    pad = scene.bodies["pad"]
    x, y, z, w = pad.orientation
    turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    expected = pad.position + (pad.rest_surface + pad.displacement) @ turn.T
    assert np.allclose(pad.surface, expected, atol=1e-15)
    assert abs(pad.displacement).max() > 1e-6
    assert pad.triangles.max() < len(pad.surface) and pad.triangles.min() == 0
    floor = scene.bodies["floor"]
    assert floor.mass == 0 and not floor.displacement.any() and floor.displacement.shape == floor.surface.shape


def test_the_problem_of_a_step_is_what_it_solved(scenes):
    scene = stickslip.Scene.load(scenes / "press_and_slide.toml", {"simulation.delassus": "built"})
    scene.step(300)
    problem = scene.problem()
    assert len(problem) == len(problem.contacts) > 3
    assert problem.error(problem.r, "rescaled") <= 1e-9
    assert problem.error(problem.r, "rescaled") == pytest.approx(scene.report.error, rel=1e-6, abs=1e-15)
    sizes = np.linalg.norm(problem.r.reshape(-1, 3), axis=1)
    assert np.allclose(sizes, np.linalg.norm(scene.contacts.force[problem.contacts], axis=1))
    assert np.allclose(problem.mu, 0.5)
    with pytest.raises(stickslip.InputError, match="group = 7"):
        scene.problem(7)


def test_groups_stand_side_by_side(scenes):
    text = FLOOR_AND_BALL + """
[[body]]
name = "other"
kind = "rigid"
shape = "box"
size = [0.1, 0.1, 0.1]
material = "rubber"
position = [0.3, 0, 0]
"""
    scene = stickslip.Scene.from_toml(text, overrides={"simulation.delassus": "built"})
    scene.step(10)
    assert scene.group_count == 2
    whole = scene.problem()
    parts = [scene.problem(group) for group in range(2)]
    assert len(whole) == sum(map(len, parts))
    W = whole.W.toarray()
    m = 3 * len(parts[0])
    first = parts[0].W if isinstance(parts[0].W, np.ndarray) else parts[0].W.toarray()
    assert np.array_equal(W[:m, :m], first) and not W[:m, m:].any()
    assert whole.error(whole.r, "rescaled") < 1e-6
    assert sorted(whole.contacts) == sorted(set(whole.contacts))


def test_progress_is_told(scenes, capsys):
    scene = stickslip.Scene.load(scenes / "incline.toml")
    shares = []
    scene.run(0.1, progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1.0
    scene.run(0.1, progress=True)
    assert "incline [" in capsys.readouterr().err


def test_ctrl_c_ends_a_run_between_two_steps(scenes):
    scene = stickslip.Scene.load(scenes / "incline.toml")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            scene.run(1e5)
    finally:
        signal.signal(signal.SIGINT, before)
    steps = scene.steps
    assert 0 < steps < 5e7 and scene.time == pytest.approx(steps * scene.dt)
    again = stickslip.Scene.load(scenes / "incline.toml")
    again.step(steps)
    assert again.hash == scene.hash


def test_other_threads_go_on_during_a_step(scenes):
    """A thread that counts must get on while the engine makes one long call."""
    scene = stickslip.Scene.load(scenes / "table.toml")
    count, is_over = 0, False

    def step():
        nonlocal is_over
        scene.step(2000)
        is_over = True

    thread = threading.Thread(target=step)
    thread.start()
    with_scene = set()
    while not is_over:
        count += 1
        try:
            scene.bodies["table"].surface
        except RuntimeError as error:
            with_scene.add(str(error))
        time.sleep(1e-4)
    thread.join()
    assert count > 20
    assert with_scene == {"this scene is being stepped in another thread; wait until it has returned"}


def test_two_scenes_step_at_the_same_time(scenes):
    made = [stickslip.Scene.load(scenes / "incline.toml") for _ in range(2)]
    threads = [threading.Thread(target=scene.step, args=(500,)) for scene in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made[0].hash == made[1].hash


@pytest.mark.parametrize("call, words", [
    (lambda: stickslip.Scene.load("nowhere.toml"), "nowhere.toml"),
    (lambda: stickslip.Scene.from_toml("x = ="), "scene:1: not TOML"),
    (lambda: stickslip.Scene.from_toml(FLOOR_AND_BALL.replace("rigid", "rigd")), "scene:17"),
    (lambda: stickslip.Scene.from_toml(FLOOR_AND_BALL).step(0), "step(0)"),
    (lambda: stickslip.Scene.from_dict({"body": object()}), "cannot stand in a scene"),
    (lambda: stickslip.Scene.load("scenes/snap_in.toml", {"hand.right.device": "bridge"}), "runs by the clock"),
])
def test_bad_scenes_are_refused_in_one_line(call, words):
    with pytest.raises(stickslip.InputError) as told:
        call()
    assert words in str(told.value) and "\n" not in str(told.value)
