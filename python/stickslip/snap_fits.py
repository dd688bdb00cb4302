"""Snap fits: force against displacement, in and out."""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Union

from stickslip import _core, pictures
from stickslip.scenes import Overrides, Progress, override_texts, teller

Path = Union[str, "os.PathLike[str]"]
Held = Union[str, Sequence[float]]


class SnapFit(_core.SnapFitData):
    """What a snap fit measured.

    Insertion: peak [N], peak_at [m], work [J]. Snap: snaps, snap_at [m], snap_time, snap_duration
    [s], pull_in [N]. Withdrawal: holds, lets_go, retention [N], retention_at, release_at [m].
    Energies [J]: stored, friction_loss, lost, largest_gain. penetration, penetration_in_snap [m];
    max_strain, max_relative_rotation [rad]; warnings, a line each; steps_not_converged.

    `curve` has a row a step: time [s], moved [m], force, normal_force [N], stored, friction_loss,
    left_over [J], penetration [m], loaded_contacts. Rows from `withdrawal` on go back.
    """

    def plot(self, ax: Any = None, **look: Any) -> Any:
        """Draws force against displacement by matplotlib, into axes if given; returns the axes."""
        return pictures.draw_snap_fit(self, ax, **look)

    def _repr_html_(self) -> str:
        return pictures.snap_fit_html(self)

    def __repr__(self) -> str:
        what = "snaps in" if self.snaps else "does not snap in"
        return (f"<stickslip.SnapFit: friction {self.friction:g}, {what}, insertion {self.peak:.3g} N, "
                f"retention {self.retention:.3g} N>")


def snapfit(scene_or_part: Path, counterpart: Optional[Path] = None, *,
            friction: Optional[float] = None, speed: float = 0.02, dwell: float = 0.1,
            travel: Optional[float] = None, offset: Sequence[float] = (0, 0, 0),
            tilt_deg: Sequence[float] = (0, 0, 0), overrides: Overrides = None,
            handle: Held = "handle", hold: Optional[Held] = None, axis: Sequence[float] = (0, -1, 0),
            overtravel: float = 0.0, young: float = 700e6, poisson: float = 0.35,
            density: float = 950.0, dt: float = 3e-3, stiffness: float = 2000.0,
            progress: Progress = False) -> SnapFit:
    """Pushes a part in at a constant speed [m/s] and withdraws it after `dwell` [s].

    Either of a scene file with one hand or drive that leads a part in, with `overrides` as of
    Scene.load; or of two meshes, part and counterpart, as they lie when assembled. `friction` is for
    all pairs; the part starts beside its line by `offset` (3) [m], turned about its handle by
    `tilt_deg`, a rotation vector (3) [degrees]; `travel` is the way of the mover [m].

    For two meshes: `handle` and `hold` are what is held of the part and of the counterpart (rigid
    where None), regions or boxes x0, y0, z0, x1, y1, z1 [m]; `axis` leads in; `overtravel` [m] goes
    beyond the seat; young [Pa], poisson, density [kg/m^3], dt [s], stiffness of the hand [N/m].
    """
    if counterpart is None:
        texts = override_texts(overrides)
        if friction is not None:
            texts.append(f"contact.friction={friction!r}")
        scene = _core.SnapFitScene(_core.SceneSource.of_file(scene_or_part, texts))
    else:
        if overrides:
            raise _core.InputError("overrides: two meshes have no scene file to set them in; use the "
                                   "arguments of snapfit, or write a scene")
        options = {"handle": handle, "axis": tuple(axis), "overtravel": overtravel, "young": young,
                   "poisson": poisson, "density": density, "dt": dt, "stiffness": stiffness}
        for name, value in (("hold", hold), ("friction", friction), ("travel", travel)):
            if value is not None:
                options[name] = value
        scene = _core.SnapFitScene(scene_or_part, counterpart, options)
    label = os.path.basename(os.fspath(scene_or_part))
    measured = _core.snapfit(scene, speed, dwell, travel if counterpart is None else None,
                             tuple(offset), tuple(tilt_deg), teller(progress, label))
    made = SnapFit.__new__(SnapFit)
    _core.SnapFitData.__init__(made, measured)
    return made
