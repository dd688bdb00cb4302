"""Contact problems: find r such that with u = W r + q each contact obeys Signorini and Coulomb."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from stickslip._core import Problem as _Problem
from stickslip._core import Solution

Path = Union[str, "os.PathLike[str]"]


class Problem(_Problem):
    """A contact problem {W, q, mu} of m contacts.

    W: 3m x 3m, NumPy or SciPy sparse [m/N]; q: 3m, gaps and slips without forces [m]; mu: m,
    coefficients of friction. Three rows a contact: normal, tangent 1, tangent 2.

    Attributes (read-only, in the memory of the engine): `W` (a scipy.sparse.bsr_matrix where it is
    sparse), `q`, `mu`; `r` of a solution that came with it, or None; of a scene's problem
    `contacts`, which of scene.contacts these are; `title`, `description`.
    """

    @classmethod
    def _take(cls, data: _Problem) -> "Problem":
        made = cls.__new__(cls)
        _Problem.__init__(made, data)
        return made

    @classmethod
    def load(cls, path: Path) -> "Problem":
        """A problem from a file: FCLIB's HDF5, or .npz with arrays W, q and mu."""
        return cls._take(_Problem._read(path))

    def save(self, path: Path, r: Optional[npt.ArrayLike] = None) -> None:
        """Writes it, by the extension, as .npz or in FCLIB's layout (HDF5), there with /solution/r
        and /solution/u if a force is given."""
        if os.fspath(path).endswith(".npz"):
            W = self.W if isinstance(self.W, np.ndarray) else self.W.toarray()
            arrays = {"W": W, "q": self.q, "mu": self.mu}
            if r is not None:
                arrays["r"] = np.asarray(r, dtype=float)
            np.savez_compressed(path, **arrays)
        else:
            self.write_fclib(path, None if r is None else np.asarray(r, dtype=float))

    def __repr__(self) -> str:
        kind = "dense" if isinstance(self.W, np.ndarray) else "sparse"
        return f"<stickslip.Problem: {len(self)} contacts, {kind}>"


def _as_problem(W: Any, q: npt.ArrayLike, mu: npt.ArrayLike) -> _Problem:
    numbers = np.asarray(mu, dtype=float)
    return _Problem(W, np.asarray(q, dtype=float), numbers)


def solve(W: Any, q: npt.ArrayLike, mu: npt.ArrayLike, tolerance: float = 1e-8, *,
          solver: str = "auto", criterion: str = "plain", max_iterations: int = 100_000,
          time_limit: Optional[float] = None, start: Optional[npt.ArrayLike] = None, sides: int = 8,
          order: str = "fixed", seed: int = 0) -> Solution:
    """Finds the forces of a contact problem of m contacts.

    W: 3m x 3m, NumPy or SciPy sparse [m/N]; q: 3m [m]; mu: m. `tolerance` is on the natural-map
    error, `criterion` says which: "plain", or "rescaled" (lengths alone). `solver` is one of
    stickslip.solver_names; `sides` are those of pyramids. `time_limit` [s] ends the solve early;
    `start` (3m) [N] is a force to begin from; `order` of the contacts in a sweep is "fixed",
    "reversed" or "shuffled" by `seed`.

    The solution has r and u (3m each), error, status ("converged", "max_iterations", "deadline" or
    "failed"), iterations, seconds, message, laws. Raises InputError where the problem is not whole.
    """
    return _as_problem(W, q, mu).solve(
        tolerance, solver=solver, criterion=criterion, max_iterations=max_iterations,
        time_limit=time_limit, start=None if start is None else np.asarray(start, dtype=float),
        sides=sides, order=order, seed=seed)


def contact_error(W: Any, q: npt.ArrayLike, mu: npt.ArrayLike, r: npt.ArrayLike,
                  criterion: str = "plain") -> float:
    """The natural-map error of any force r (3m) [N], by code that no solver shares:
    |r - P(r - (u + mu |u_t| n))| / max(|q|, |r|, |u|), P the projection on the friction cones. It
    is "rescaled" where W/w, q, r w with w = trace(W)/3m take the places of W, q, r."""
    return _as_problem(W, q, mu).error(np.asarray(r, dtype=float), criterion)


def contact_laws(W: Any, q: npt.ArrayLike, mu: npt.ArrayLike, r: npt.ArrayLike) -> "dict[str, float]":
    """The worst violation of each law by a force r (3m) [N]: penetration_m, adhesion_N,
    force_across_gap_m, cone_excess_N, unopposed_slip_m."""
    return _as_problem(W, q, mu).laws(np.asarray(r, dtype=float))


def read_problem(path: Path) -> Problem:
    """A problem from FCLIB's HDF5, or from .npz with arrays W, q and mu."""
    return Problem.load(path)


def write_problem(path: Path, W: Any, q: npt.ArrayLike, mu: npt.ArrayLike,
                  r: Optional[npt.ArrayLike] = None) -> None:
    """Writes a problem, with a force if there is one, by the extension: .npz, or FCLIB's HDF5."""
    Problem(W, np.asarray(q, dtype=float), np.asarray(mu, dtype=float)).save(path, r)
