"""Stubs, docstrings and version."""
import ast
import inspect
import pathlib
import shutil
import subprocess

import pytest
from conftest import ROOT

import stickslip
from stickslip import _core

PACKAGE = ROOT / "python/stickslip"

USE = """
import numpy as np
import stickslip

scene = stickslip.Scene.load("a.toml", {"simulation.dt": 1e-3})
report: stickslip.StepReport = scene.step()
position: "np.ndarray[tuple[int], np.dtype[np.float64]]" = scene.bodies["a"].position
n: int = len(scene.contacts.force) + report.contacts
scene.state = scene.state
r = stickslip.solve(np.eye(3), [0.0, 0.0, 0.0], np.zeros(1), tolerance=1e-9).r
print(stickslip.snapfit("a.toml").peak + float(r.sum()), n)
"""


def test_version_is_that_of_the_program(program):
    assert stickslip.__version__ == program("--version").strip().split()[-1]


def test_package_and_its_use_pass_mypy(tmp_path):
    if not shutil.which("mypy"):
        pytest.skip("mypy is not installed")
    (tmp_path / "use.py").write_text(USE)
    checked = subprocess.run(
        ["mypy", "--strict", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path / "cache",
         PACKAGE, tmp_path / "use.py"], capture_output=True, text=True, cwd=ROOT / "python",
        env={"PATH": "/usr/bin:/bin", "MYPYPATH": str(ROOT / "python")})
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_mypy_sees_a_wrong_use(tmp_path):
    if not shutil.which("mypy"):
        pytest.skip("mypy is not installed")
    (tmp_path / "use.py").write_text("import stickslip\nstickslip.Scene.load(3).step('two')\n")
    checked = subprocess.run(["mypy", "--cache-dir", tmp_path / "cache", tmp_path / "use.py"],
                             capture_output=True, text=True, env={"PATH": "/usr/bin:/bin",
                                                                  "MYPYPATH": str(ROOT / "python")})
    assert checked.stdout.count("arg-type") == 2


def stub_members():
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    return {node.name: {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
            for node in tree.body if isinstance(node, ast.ClassDef)}


def test_the_stub_has_what_the_module_has():
    stub = stub_members()
    for name, value in vars(_core).items():
        if not inspect.isclass(value) or value.__module__ != "stickslip._core":
            continue
        members = {member for member in vars(value)
                   if not member.startswith("__") and member != "_pybind11_conduit_v1_"}
        assert members == {member for member in stub[name] if not member.startswith("__")}, name


def test_everything_public_tells_what_it_is():
    for name in stickslip.__all__:
        value = getattr(stickslip, name)
        if not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        assert value.__doc__, name
        for member, what in inspect.getmembers(value):
            if member.startswith("_") or issubclass(value if inspect.isclass(value) else int, tuple):
                continue
            if isinstance(what, property) or inspect.isroutine(what):
                if getattr(what, "__objclass__", None) in (Exception, BaseException, ValueError):
                    continue
                assert what.__doc__, f"{name}.{member}"
    assert "[m]" in stickslip.Scene.bodies.fget(
        stickslip.Scene.from_toml('[[body]]\nname = "a"\nkind = "fixed"\nshape = "plane"\nsize = [1, 1]')
    )["a"].__class__.surface.__doc__
    assert pathlib.Path(PACKAGE / "py.typed").exists()
