"""The engine. `import stickslip` has what is meant to be used of it."""

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

Path = Union[str, "os.PathLike[str]"]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int32]
Table = np.recarray[Any, Any]

__version__: str
solver_names: Tuple[str, ...]

class InputError(ValueError):
    """Bad input: one line with the file or field, the value, what is allowed and the remedy."""

class Solution:
    """The forces of a contact problem, and how good they are."""

    @property
    def r(self) -> Floats:
        """3m: normal, tangent 1, tangent 2 of each contact [N]."""
    @property
    def u(self) -> Floats:
        """3m: W r + q [m]."""
    @property
    def error(self) -> float:
        """Natural-map error, by the criterion that was asked for and code that no solver shares."""
    @property
    def error_plain(self) -> float:
        """Of the problem as it is: newtons beside metres."""
    @property
    def error_rescaled(self) -> float:
        """Lengths alone."""
    @property
    def status(self) -> str:
        """ "converged", "max_iterations", "deadline" or "failed"."""
    @property
    def iterations(self) -> int:
        """Sweeps or pivots."""
    @property
    def seconds(self) -> float:
        """That the solve took [s]."""
    @property
    def message(self) -> str:
        """Why it failed, or empty."""
    @property
    def solver(self) -> str:
        """Its name."""
    @property
    def laws(self) -> Dict[str, float]:
        """The worst violation of each law."""

class Problem:
    @overload
    def __init__(self, W: Any, q: npt.ArrayLike, mu: npt.ArrayLike) -> None: ...
    @overload
    def __init__(self, same: Problem) -> None: ...
    @property
    def W(self) -> Any:
        """3m x 3m [m/N]: NumPy, or scipy.sparse.bsr_matrix where it is sparse."""
    @property
    def q(self) -> Floats:
        """3m: gaps and slips without forces [m]."""
    @property
    def mu(self) -> Floats:
        """m: coefficients of friction."""
    @property
    def contacts(self) -> Integers:
        """Of a scene: which of scene.contacts these are."""
    @property
    def title(self) -> str:
        """Of the file, or scene and step."""
    @property
    def description(self) -> str:
        """Of the file, or the time of the scene."""
    @property
    def r(self) -> Optional[Floats]:
        """Forces that came with it, 3m [N], or None."""
    def __len__(self) -> int: ...
    def error(self, r: npt.ArrayLike, criterion: str = "plain") -> float:
        """The natural-map error of any force r (3m) [N]; criterion "plain" or "rescaled"."""
    def laws(self, r: npt.ArrayLike) -> Dict[str, float]:
        """The worst violation of each law by a force r (3m) [N]."""
    def solve(self, tolerance: float = 1e-8, *, solver: str = "auto", criterion: str = "plain",
              max_iterations: int = 100_000, time_limit: Optional[float] = None,
              start: Optional[npt.ArrayLike] = None, sides: int = 8, order: str = "fixed",
              seed: int = 0) -> Solution:
        """Finds the forces, as stickslip.solve does."""
    @staticmethod
    def _read(path: Path) -> Problem: ...
    def write_fclib(self, path: Path, r: Optional[npt.ArrayLike] = None) -> None:
        """Writes FCLIB's layout (HDF5)."""

class MeshData:
    @overload
    def __init__(self, nodes: npt.ArrayLike, elements: npt.ArrayLike,
                 regions: Mapping[str, Sequence[int]] = ...) -> None: ...
    @overload
    def __init__(self, same: MeshData) -> None: ...
    @staticmethod
    def _load(path: Path) -> MeshData: ...
    @staticmethod
    def _check(path: Path) -> List[Tuple[str, str, str, str, str]]: ...
    @staticmethod
    def _box(size: Sequence[float], cells: Sequence[int], order: int) -> MeshData: ...
    def _findings(self) -> List[Tuple[str, str, str, str, str]]: ...
    def _surface(self) -> MeshData: ...
    def _area(self) -> float: ...
    def _mass(self, density: float) -> Tuple[float, Floats, Floats]: ...
    @property
    def nodes(self) -> Floats:
        """n x 3 [m]."""
    @property
    def elements(self) -> Integers:
        """Nodes of each, from 0: m x 4, 10 or 3."""
    @property
    def element_type(self) -> str:
        """ "tet4", "tet10" or "triangle"."""
    @property
    def regions(self) -> Dict[str, Integers]:
        """Nodes of each by its name."""
    @property
    def qualities(self) -> Floats:
        """m: 1 for a regular element, 0 for a flat one."""
    @property
    def volume(self) -> Optional[float]:
        """[m^3]; None where a surface has holes."""
    def save(self, path: Path, *, binary: bool = False) -> None:
        """Writes .msh or .vtu, or the surface as .obj or .stl, by the extension."""

class Body:
    """One body of a scene, as it is now. Vectors in world axes."""

    @property
    def name(self) -> str:
        """As the scene has it."""
    @property
    def kind(self) -> str:
        """ "fixed", "rigid", "deformable", "corotational", "quasi-rigid" or "nonlinear"."""
    @property
    def material(self) -> str:
        """Its name, or empty."""
    @property
    def mass(self) -> float:
        """Of what moves by forces [kg]; 0 where its frame is held."""
    @property
    def position(self) -> Floats:
        """Of the centre of mass, where the origin of the frame is (3) [m]."""
    @property
    def orientation(self) -> Floats:
        """Of the frame: quaternion x, y, z, w."""
    @property
    def velocity(self) -> Floats:
        """Of the frame (3) [m/s]."""
    @property
    def angular_velocity(self) -> Floats:
        """Of the frame (3) [rad/s]."""
    @property
    def surface(self) -> Floats:
        """Points of the surface where they are now, n x 3 [m]: an array of its own at each call."""
    @property
    def rest_surface(self) -> Floats:
        """The same undeformed, in the axes of the frame about its origin, n x 3 [m]; read-only, in
        the memory of the engine."""
    @property
    def displacement(self) -> Floats:
        """Of those points within the frame, by deformation, n x 3 [m]; read-only, in the memory of
        the engine. It keeps its values when the scene goes on."""
    @property
    def triangles(self) -> Integers:
        """Of the surface, points of each, outward by the right-hand rule, k x 3; read-only, in the
        memory of the engine."""
    @property
    def strain(self) -> Dict[str, Any]:
        """max_strain, max_relative_rotation_rad, is_past: whether linear elasticity has ended."""

class StepReport:
    """What a step says about itself."""

    @property
    def contacts(self) -> int:
        """That the step knew."""
    @property
    def loaded_contacts(self) -> int:
        """Those that carry force."""
    @property
    def iterations(self) -> int:
        """Of all solves."""
    @property
    def passes(self) -> int:
        """Rounds of detection and solve."""
    @property
    def error(self) -> float:
        """Rescaled, of the forces at the end, the worst group's."""
    @property
    def penetration(self) -> float:
        """Deepest overlap found at the beginning of the step [m]."""
    @property
    def adhesion(self) -> float:
        """Strongest pull of a contact [N]."""
    @property
    def cone_excess(self) -> float:
        """Of friction over its limit, the worst [N]."""
    @property
    def stick_drift(self) -> float:
        """Largest slip of a contact below that limit [m]."""
    @property
    def imbalance(self) -> float:
        """Largest force left unbalanced on a node of a nonlinear body [N]."""
    @property
    def converged(self) -> bool:
        """Every solve reached the tolerance."""
    @property
    def met_deadline(self) -> bool:
        """No solve was stopped by it."""
    @property
    def restored(self) -> bool:
        """A number was not finite: bodies stand where they were, at rest."""
    @property
    def held_back(self) -> bool:
        """Bodies that no forces kept apart were stopped where they met."""
    @property
    def energy(self) -> float:
        """Kinetic, elastic and potential, at the end of the step [J]."""
    @property
    def work_in(self) -> float:
        """By the drives, over the step [J]."""
    @property
    def friction_loss(self) -> float:
        """Over the step [J]."""
    @property
    def phases_us(self) -> Dict[str, float]:
        """What each stage took, and "total" [us]."""

class SceneSource:
    @staticmethod
    def of_file(path: Path, overrides: Sequence[str]) -> SceneSource: ...
    @staticmethod
    def of_text(text: str, folder: Path, overrides: Sequence[str]) -> SceneSource: ...
    @staticmethod
    def of_tables(tables: Dict[str, Any], folder: Path, overrides: Sequence[str]) -> SceneSource: ...

class SceneRun:
    @overload
    def __init__(self, source: SceneSource, *, resolve_start: bool = False, threads: int = 0,
                 use_cache: bool = True) -> None: ...
    @overload
    def __init__(self, recording: RecordingFile) -> None: ...
    @property
    def name(self) -> str:
        """As the scene has it."""
    @property
    def dt(self) -> float:
        """Of a step [s]."""
    @property
    def duration(self) -> float:
        """That the scene asks for [s]."""
    @property
    def time(self) -> float:
        """[s]"""
    @property
    def steps(self) -> int:
        """Since the start of the scene."""
    @property
    def energy(self) -> float:
        """Kinetic, elastic and potential [J]; not a number between a state that was set and the
        next step."""
    @property
    def report(self) -> StepReport:
        """Of the last step."""
    def step(self, n: int = 1) -> StepReport:
        """Makes n steps; tells about the last one."""
    def reset(self) -> None:
        """Back to the start; drives follow their tables again."""
    @property
    def state(self) -> Floats:
        """All that is needed to go on from here, as a row of numbers (docs/recordings.md); set it to
        go back there. Hands, devices and operators begin anew then; drives keep what they were
        given."""
    @state.setter
    def state(self, numbers: npt.ArrayLike) -> None: ...
    @property
    def hash(self) -> int:
        """Of the state: equal states have equal ones, bit by bit."""
    @property
    def contacts(self) -> Table:
        """The contacts of the last step, where they are now, a row each: body_1, body_2 (in the
        order of `bodies`), P on body_1 and Q on body_2 (3) [m], normal toward body_1 (3), gap along
        it [m], force on body_1 (3) [N], sticks. Columns are attributes, as contacts.force (n x 3)."""
    @property
    def friction(self) -> Floats:
        """Coefficient of each pair of bodies, in the order of `bodies`; read-only."""
    @property
    def drives(self) -> List[str]:
        """Names of the drives; one without has its number, from 1."""
    def drive(self, name: str, value: Optional[npt.ArrayLike] = None) -> None:
        """Gives a drive its value from now on, in place of its table: a force [N] and torque [N m],
        or a translation [m] and rotation vector [rad], 3 or 6 numbers. None: the table again."""
    @property
    def group_count(self) -> int:
        """Groups of bodies that touch, in the last step."""
    def problem(self, group: Optional[int] = None) -> Problem: ...
    def _run(self, count: int, told: Optional[Callable[[float], None]]) -> Dict[str, Any]: ...
    def _probes(self) -> List[Tuple[Any, ...]]: ...
    def _hands(self) -> List[Tuple[Any, ...]]: ...
    def _bodies(self) -> List[Body]: ...
    def _text(self, folder: Path) -> str: ...

class RecordingFile:
    def __init__(self, path: Path) -> None: ...
    @property
    def path(self) -> str:
        """Of the file."""
    @property
    def dt(self) -> float:
        """Of a step [s]."""
    @property
    def bodies(self) -> List[str]:
        """Their names, in the order of frames."""
    @property
    def version(self) -> str:
        """Of the program that stepped it."""
    def __len__(self) -> int: ...
    @property
    def step(self) -> npt.NDArray[np.int64]:
        """That each row is the end of."""
    @property
    def time(self) -> Floats:
        """Of each row [s]."""
    @property
    def hash(self) -> npt.NDArray[np.uint64]:
        """Of the state at each row."""
    @property
    def inputs(self) -> Floats:
        """What the drives were told: rows x drives x 6."""
    @property
    def state_steps(self) -> npt.NDArray[np.int64]:
        """After which full states were kept."""
    def state(self, index: int = 0) -> Floats:
        """A full state, from the last with -1; what scene.state takes."""
    def _details(self, first: int, count: int) -> Dict[str, Any]: ...

class SnapFitData:
    def __init__(self, same: SnapFitData) -> None: ...
    @property
    def peak(self) -> float:
        """Of the force of insertion [N]."""
    @property
    def peak_at(self) -> float:
        """Displacement at it [m]."""
    @property
    def work(self) -> float:
        """Of insertion, until the part is open widest [J]."""
    @property
    def snaps(self) -> bool:
        """It is drawn in and gives back most of what it stored."""
    @property
    def snap_at(self) -> float:
        """Displacement where it is open widest [m]."""
    @property
    def snap_time(self) -> float:
        """When that is [s]."""
    @property
    def snap_duration(self) -> float:
        """While what is given back goes from a tenth to nine tenths [s]."""
    @property
    def pull_in(self) -> float:
        """With which the part draws itself in [N]."""
    @property
    def holds(self) -> bool:
        """Contacts pull at it on its way back."""
    @property
    def lets_go(self) -> bool:
        """It held, and nothing touches at the end."""
    @property
    def retention(self) -> float:
        """Largest force on the way back [N]."""
    @property
    def retention_at(self) -> float:
        """Displacement at it [m]."""
    @property
    def release_at(self) -> float:
        """Where it is open widest on its way out [m]."""
    @property
    def stored(self) -> float:
        """At the most [J]."""
    @property
    def friction_loss(self) -> float:
        """In all [J]."""
    @property
    def lost(self) -> float:
        """To impacts, and to the size of the steps [J]."""
    @property
    def largest_gain(self) -> float:
        """In one step [J]."""
    @property
    def penetration(self) -> float:
        """But for that in a snap [m]."""
    @property
    def penetration_in_snap(self) -> float:
        """Within five steps of a snap [m]."""
    @property
    def max_strain(self) -> float:
        """Of all bodies, the largest."""
    @property
    def max_relative_rotation(self) -> float:
        """The same [rad]."""
    @property
    def withdrawal(self) -> int:
        """The first row of the curve that goes back."""
    @property
    def steps_not_converged(self) -> int:
        """So many."""
    @property
    def friction(self) -> float:
        """Between all pairs."""
    @property
    def dt(self) -> float:
        """Of a step [s]."""
    @property
    def warnings(self) -> List[str]:
        """Where the linear model ends, a line each."""
    @property
    def curve(self) -> Table:
        """A row a step: time [s], moved [m], force, normal_force [N], stored, friction_loss, left_over [J],
        penetration [m], loaded_contacts; read-only, in the memory of the engine."""

class SnapFitScene:
    @overload
    def __init__(self, source: SceneSource) -> None: ...
    @overload
    def __init__(self, part: Path, counterpart: Path, options: Dict[str, Any]) -> None: ...

def snapfit(scene: SnapFitScene, speed: float, dwell: float, travel: Optional[float],
            offset: Tuple[float, ...], tilt_deg: Tuple[float, ...],
            told: Optional[Callable[[float], None]]) -> SnapFitData: ...
