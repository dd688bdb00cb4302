"""Scenes: bodies in contact, step by step."""

from __future__ import annotations

import json
import os
import pathlib
import sys
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from stickslip import pictures
from stickslip._core import Body, SceneRun, SceneSource
from stickslip.problems import Problem

Path = Union[str, "os.PathLike[str]"]
Overrides = Union[Mapping[str, Any], Sequence[str], None]
Progress = Union[bool, Callable[[float], None]]
Floats = npt.NDArray[np.float64]


class ProbeReading(NamedTuple):
    """A point of a body after a step, and the contact forces on the whole body. Rows of three."""

    position: Floats  #: [m]
    velocity: Floats  #: of a point of the surface its mean over the step [m/s]
    angular_velocity: Floats  #: of the frame of its body [rad/s]
    force: Floats  #: of all contacts on the body [N]
    torque: Floats  #: of the same, about the probe [N m]


class HandReading(NamedTuple):
    """A hand after the last tick. Rows of three."""

    position: Floats  #: of its device, in the world [m]
    force: Floats  #: on the hand, in the axes of its device [N]
    torque: Floats  #: the same [N m]
    energy: float  #: that the hand has put in [J]


def value_text(value: Any) -> str:
    """A value as TOML has it."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(value_text(item) for item in value) + "]"
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(str(key))} = {value_text(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }"
    return json.dumps(os.fspath(value), ensure_ascii=False).replace("\x7f", "\\u007F")


def override_texts(overrides: Overrides) -> List[str]:
    """{"simulation.dt": 1e-3}, or the "path=value" of `--set`, as a list of the latter."""
    if overrides is None:
        return []
    if isinstance(overrides, Mapping):
        return [f"{path}={value_text(value)}" for path, value in overrides.items()]
    if isinstance(overrides, str):
        return [overrides]
    return list(overrides)


class Bar:
    """A line on standard error that tells how far something is."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._percent = -1

    def __call__(self, share: float) -> None:
        percent = int(100 * share)
        if percent == self._percent:
            return
        self._percent = percent
        filled = percent * 30 // 100
        end = "\n" if share >= 1 else ""
        print(f"\r{self._label} [{'#' * filled}{' ' * (30 - filled)}] {percent:3d} %", end=end,
              file=sys.stderr, flush=True)


def teller(progress: Progress, label: str) -> Optional[Callable[[float], None]]:
    """What `progress` asks for: a bar, a function of the caller, or nothing."""
    if progress is True:
        return Bar(label)
    return progress if callable(progress) else None


class Scene(SceneRun):
    """Bodies in contact, at one moment of their time.

    Scene.load, Scene.from_toml and Scene.from_dict make one; step() and run() move it on. After
    each step `bodies`, `contacts`, `probes`, `energy` and `problem()` tell of it. One thread uses a
    scene at a time; the interpreter's lock is free while the engine steps.

    A scene with hands is in those of the operators that it names, as in `stickslip run`: with
    simulated devices, ticked between the steps.
    """

    @classmethod
    def load(cls, path: Path, overrides: Overrides = None, *, resolve_start: bool = False,
             threads: int = 0, use_cache: bool = True) -> "Scene":
        """A scene from a TOML file (docs/scene_format.md has every key).

        `overrides` replace its values, as `--set` does: {"simulation.dt": 1e-3,
        "body.block.mass": 0.1}. `resolve_start` pulls bodies apart that overlap at the start;
        `threads` precompute (0: as many as there are processors); `use_cache` of compliances.
        Raises InputError in one line with file, line, key, value and remedy."""
        source = SceneSource.of_file(path, override_texts(overrides))
        return cls(source, resolve_start=resolve_start, threads=threads, use_cache=use_cache)

    @classmethod
    def from_toml(cls, text: str, folder: Path = ".", overrides: Overrides = None, *,
                  resolve_start: bool = False, threads: int = 0, use_cache: bool = True) -> "Scene":
        """The same from a text; meshes are looked for from `folder` on."""
        source = SceneSource.of_text(text, folder, override_texts(overrides))
        return cls(source, resolve_start=resolve_start, threads=threads, use_cache=use_cache)

    @classmethod
    def from_dict(cls, tables: Mapping[str, Any], folder: Path = ".", overrides: Overrides = None, *,
                  resolve_start: bool = False, threads: int = 0, use_cache: bool = True) -> "Scene":
        """The same from dictionaries and lists with the keys of a scene file, as tomllib reads
        them: {"body": [{"name": "floor", "kind": "fixed", "shape": "plane", "size": [1, 1]}]}."""
        source = SceneSource.of_tables(dict(tables), folder, override_texts(overrides))
        return cls(source, resolve_start=resolve_start, threads=threads, use_cache=use_cache)

    def to_toml(self, folder: Path = ".") -> str:
        """The scene as it was loaded, overrides among its own values, as the text of a file that
        lies in `folder`. Comments are not kept."""
        return self._text(folder)

    def save(self, path: Path) -> None:
        """Writes that text to a file, from which its meshes are found where they are."""
        place = pathlib.Path(path)
        text = self.to_toml(place.parent)
        place.write_text(text, encoding="utf-8")

    def run(self, duration: Optional[float] = None, progress: Progress = False) -> Dict[str, Any]:
        """Steps for `duration` [s], or as long as the scene says in all, and tells about it with
        the keys of `stickslip run --json`, and "warnings", a line each.

        `progress` is True for a bar on standard error, or a function that is told the share done,
        from 0 to 1. Ctrl-C raises KeyboardInterrupt after a whole step; the scene can go on."""
        if duration is None:
            count = round(self.duration / self.dt) - self.steps
        else:
            count = round(duration / self.dt)
        return self._run(max(1, count), teller(progress, self.name))

    @property
    def bodies(self) -> Dict[str, Body]:
        """The bodies by name, in the order of the scene (body_1 and body_2 of contacts)."""
        known = self.__dict__.get("_known_bodies")
        if known is None:
            known = {body.name: body for body in self._bodies()}
            self.__dict__["_known_bodies"] = known
        return dict(known)

    @property
    def probes(self) -> Dict[str, ProbeReading]:
        """What the probes of the scene read after the last step; without any in the file, the
        centres of mass of all that can move."""
        return {name: ProbeReading(*values) for name, *values in self._probes()}

    @property
    def hands(self) -> Dict[str, HandReading]:
        """Where the hands of the scene are, and what they feel."""
        return {name: HandReading(*values) for name, *values in self._hands()}

    def problem(self, group: Optional[int] = None) -> Problem:
        """The contact problem of the last step as it was solved last, with the forces in `r`: of
        all contacts that the step solved for, or of one group of bodies that touch (0 to
        group_count - 1). `contacts` of it says which of scene.contacts they are."""
        return Problem._take(super().problem(group))

    def plot(self, ax: Any = None, force_scale: Optional[float] = None) -> Any:
        """Draws surfaces and contact forces by matplotlib, into 3D axes if given; returns the axes.
        `force_scale` is how long a newton is drawn [m/N]."""
        return pictures.draw_scene(self, ax, force_scale)

    def _repr_html_(self) -> str:
        return pictures.scene_html(self)

    def __repr__(self) -> str:
        return f"<stickslip.Scene {self.name}: {len(self._bodies())} bodies, {self.time:g} s>"

