"""Recordings of runs (`stickslip run --record`) as arrays."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from stickslip._core import RecordingFile
from stickslip.scenes import Scene


class Rows:
    """Some rows of a recording, one a step, at its end.

    frames: rows x bodies x 7, centre of mass [m] and orientation x, y, z, w; energy: rows x 3,
    total, work put in, lost to friction [J]; error, penetration [m], total_us, iterations, flags (1
    not converged, 2 deadline, 4 restored): one a row. contact_start: rows + 1, where the contacts of
    each row begin in contact_bodies (n x 2), contact_P, contact_Q [m], contact_normal, contact_force
    [N] (n x 3 each), contact_gap [m], contact_sticks.
    """

    frames: npt.NDArray[np.float64]
    energy: npt.NDArray[np.float64]
    error: npt.NDArray[np.float64]
    penetration: npt.NDArray[np.float64]
    total_us: npt.NDArray[np.float64]
    iterations: npt.NDArray[np.uint64]
    flags: npt.NDArray[np.uint64]
    contact_start: npt.NDArray[np.int64]
    contact_bodies: npt.NDArray[np.int32]
    contact_P: npt.NDArray[np.float64]
    contact_Q: npt.NDArray[np.float64]
    contact_normal: npt.NDArray[np.float64]
    contact_gap: npt.NDArray[np.float64]
    contact_force: npt.NDArray[np.float64]
    contact_sticks: npt.NDArray[np.bool_]

    def __init__(self, arrays: "dict[str, Any]") -> None:
        self.__dict__.update(arrays)


class Recording(RecordingFile):
    """A recorded run, also one that is still written or whose writer was killed.

    len() is the number of rows, one a step; `step`, `time` [s], `hash` (of the states) have one
    number each, `inputs` six a drive (rows x drives x 6). `bodies` are names in the order of
    `frames`; `state_steps` are the steps after which full states were kept.
    """

    def rows(self, first: int = 0, count: Optional[int] = None) -> Rows:
        """What else there is of `count` rows from `first` on; all without one."""
        return Rows(self._details(first, len(self) - first if count is None else count))

    def scene(self) -> Scene:
        """The scene that was recorded, at its first state; `scene.state = recording.state(k)` takes
        it to another. Its meshes are in the recording."""
        return Scene(self)

    def __repr__(self) -> str:
        return f"<stickslip.Recording {self.path}: {len(self)} steps of {self.dt:g} s>"
