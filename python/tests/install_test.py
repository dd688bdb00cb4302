"""The module where it is installed: by CMake, and by pip without a network."""
import os
import subprocess
import sys

import pytest
from conftest import BUILD, ROOT

import stickslip

USE = ("import stickslip; print(stickslip.__version__, stickslip.__file__); "
       "assert stickslip.solve([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1, 0, 0], [0.5]).r[0] == 1")


def run(*command, **environment):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=ROOT,
                          env={**clean, **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def built():
    if not (BUILD / "CMakeCache.txt").exists() or "python/stickslip" not in stickslip.__file__:
        pytest.skip("not in a build tree")


def test_cmake_installs_where_python_looks(tmp_path):
    prefix = tmp_path / "usr/local"
    run("cmake", "--install", BUILD, "--component", "python", "--prefix", prefix)
    module, = prefix.rglob("stickslip/__init__.py")
    folder = module.parent.parent
    looked_at = run(sys.executable, "-c", "import site; print(*site.getsitepackages(), sep='\\n')")
    assert f"/usr/local/{folder.relative_to(prefix)}" in looked_at.split()
    version, file = run(sys.executable, "-c", USE, PYTHONPATH=str(folder)).split()
    assert version == stickslip.__version__ and file == str(module)
    assert {path.name for path in module.parent.iterdir()} >= {"py.typed", "_core.pyi", "scenes.py"}


def test_pip_installs_without_a_network(tmp_path):
    venv = tmp_path / "venv"
    made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", venv], check=False,
                          capture_output=True)
    if made.returncode != 0:
        pytest.skip("python3-venv is not installed")
    run(venv / "bin/python", "-m", "pip", "install", "--no-index", "--disable-pip-version-check", ROOT,
        STICKSLIP_BUILD_DIR=str(BUILD))
    version, file = run(venv / "bin/python", "-c", USE).split()
    assert version == stickslip.__version__ and file.startswith(str(venv))
    listed = run(venv / "bin/python", "-m", "pip", "show", "stickslip")
    assert f"Version: {version}" in listed
    run(venv / "bin/python", "-m", "pip", "uninstall", "-y", "stickslip")
    assert not list(venv.rglob("stickslip/*"))
