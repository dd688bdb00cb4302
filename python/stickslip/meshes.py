"""Meshes: tetrahedra with named regions, or surfaces of triangles."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from stickslip._core import MeshData

Path = Union[str, "os.PathLike[str]"]
Floats = npt.NDArray[np.float64]


class Finding(NamedTuple):
    """One kind of fault in a mesh, however often it occurs; docs/command_line.md has the codes."""

    code: str
    severity: str  #: "error": it cannot be simulated; "warning": a user should decide
    where: str
    message: str
    remedy: str


class Mesh(MeshData):
    """Tetrahedra of four or ten nodes with named regions, or a surface. Lengths in metres.

    `nodes` (n x 3), `elements` (m x 4, 10 or 3, indices from 0) and the node indices in `regions`
    are in the memory of the engine, read-only. `element_type` is "tet4", "tet10" or "triangle";
    `qualities` (m) are 1 for a regular element, 0 for a flat one; `volume` [m^3] is None where a
    surface has holes.
    """

    @classmethod
    def _take(cls, data: MeshData) -> "Mesh":
        made = cls.__new__(cls)
        MeshData.__init__(made, data)
        return made

    @classmethod
    def load(cls, path: Path) -> "Mesh":
        """A mesh that can be simulated, from gmsh's .msh, or a surface from .obj or .stl. Raises
        InputError."""
        return cls._take(MeshData._load(path))

    @classmethod
    def box(cls, size: Sequence[float], cells: Sequence[int], order: int = 1) -> "Mesh":
        """A box [m] from the origin on, six tetrahedra a cell, of four nodes, or ten with order 2;
        its sides are regions x0, x1, y0, y1, z0, z1."""
        return cls._take(MeshData._box(list(size), list(cells), order))

    @classmethod
    def from_arrays(cls, nodes: npt.ArrayLike, elements: npt.ArrayLike,
                    regions: Optional[Mapping[str, npt.ArrayLike]] = None) -> "Mesh":
        """From nodes (n x 3) [m], elements (m x 3, 4 or 10) and nodes of regions by name."""
        named = {name: np.asarray(members).tolist() for name, members in (regions or {}).items()}
        return cls(np.asarray(nodes, dtype=float), np.asarray(elements), named)

    @staticmethod
    def check(path: Path) -> List[Finding]:
        """What is wrong with the mesh in a file, sound or not; empty where nothing was found.
        Raises InputError where the file cannot be read."""
        return [Finding(*finding) for finding in MeshData._check(path)]

    def findings(self) -> List[Finding]:
        """The same of this mesh."""
        return [Finding(*finding) for finding in self._findings()]

    def surface(self) -> "Mesh":
        """The boundary, as triangles."""
        return self._take(self._surface())

    @property
    def area(self) -> float:
        """Of the surface [m^2]."""
        return self._area()

    def mass_properties(self, density: float) -> Tuple[float, Floats, Floats]:
        """Mass [kg], centre of mass (3) [m] and inertia about it (3 x 3) [kg m^2], of a density
        [kg/m^3]."""
        return self._mass(density)

    def info(self) -> Dict[str, Any]:
        """Nodes, elements, element_type, volume_m3, area_m2, bounding_box_m, regions, quality, as
        `stickslip mesh info --json` names them."""
        qualities = self.qualities
        return {
            "nodes": len(self.nodes),
            "elements": len(self.elements),
            "element_type": self.element_type,
            "volume_m3": self.volume,
            "area_m2": self.area,
            "bounding_box_m": {"min": self.nodes.min(axis=0).tolist(),
                               "max": self.nodes.max(axis=0).tolist()},
            "regions": list(self.regions),
            "quality": {"min": float(qualities.min()), "mean": float(qualities.mean())},
        }

    def __repr__(self) -> str:
        return f"<stickslip.Mesh: {len(self.nodes)} nodes, {len(self.elements)} {self.element_type}>"
