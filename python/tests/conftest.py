import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("STICKSLIP_BUILD", ROOT / "build/release"))
SCENES = ROOT / "scenes"


@pytest.fixture
def scenes():
    return SCENES


@pytest.fixture
def program():
    """Runs the program of the same build; what it says on standard output."""
    path = BUILD / "bin/stickslip"
    if not path.exists():
        pytest.skip(f"{path} is not built")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def project_on_cones(x, mu):
    """The nearest points of Coulomb's cones, a row a contact."""
    t = np.hypot(x[:, 1], x[:, 2])
    normal = (mu * t + x[:, 0]) / (1 + mu**2)
    scale = np.divide(mu * normal, t, out=np.zeros_like(t), where=t > 0)
    y = np.column_stack([normal, scale * x[:, 1], scale * x[:, 2]])
    inside, polar = t <= mu * x[:, 0], mu * t <= -x[:, 0]
    y[inside], y[polar] = x[inside], 0
    return y


def natural_map_error(W, q, mu, r):
    u = W @ r + q
    R, U = r.reshape(-1, 3), u.reshape(-1, 3)
    z = R - U
    z[:, 0] -= mu * np.hypot(U[:, 1], U[:, 2])
    size = max(np.linalg.norm(v) for v in (q, r, u))
    error = np.linalg.norm(R - project_on_cones(z, mu))
    return error / size if size > 0 else error


def rescaled_error(W, q, mu, r):
    w = W.diagonal().sum() / q.size
    return natural_map_error(W / w, q, mu, r * w)


def random_problem(contacts, seed):
    """W positive definite, every contact pressed."""
    random = np.random.default_rng(seed)
    A = random.normal(size=(3 * contacts, 3 * contacts + 3))
    q = random.normal(size=3 * contacts)
    q[::3] = -abs(q[::3])
    return A @ A.T, q, random.uniform(0.1, 1, contacts)
