"""stickslip: deformable bodies in exact frictional contact, for the hand and for programs.

    import stickslip

    scene = stickslip.Scene.load("scenes/incline.toml", {"contact.friction": 0.3})
    scene.run(1.0)
    print(scene.bodies["block"].position, scene.contacts.force.sum(axis=0))

    solution = stickslip.solve(W, q, mu)

SI units throughout: metres, kilograms, seconds, newtons, joules. Vectors are rows of three numbers
in world axes, orientations are quaternions x, y, z, w (as in scipy.spatial.transform.Rotation).
docs/python.md is the guide.
"""

from stickslip._core import Body, InputError, Solution, StepReport, __version__, solver_names
from stickslip.meshes import Finding, Mesh
from stickslip.problems import Problem, contact_error, contact_laws, read_problem, solve, write_problem
from stickslip.recordings import Recording
from stickslip.scenes import HandReading, ProbeReading, Scene
from stickslip.snap_fits import SnapFit, snapfit

__all__ = [
    "Body", "Finding", "HandReading", "InputError", "Mesh", "ProbeReading", "Problem", "Recording",
    "Scene", "SnapFit", "Solution", "StepReport", "__version__", "contact_error", "contact_laws",
    "read_problem", "snapfit", "solve", "solver_names", "write_problem",
]
