"""Pictures of scenes and curves, by matplotlib, which is looked for when one is drawn."""

from __future__ import annotations

import base64
import html
import io
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np

if TYPE_CHECKING:
    from stickslip.scenes import Scene
    from stickslip.snap_fits import SnapFit

COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#9d755d")
FIXED = "#c8c8c8"
#: more triangles than that take matplotlib too long; every n-th is drawn then
MOST_TRIANGLES = 6000


def new_axes(three: bool) -> Any:
    from matplotlib import pyplot

    figure = pyplot.figure()
    return figure.add_subplot(projection="3d" if three else None)


def draw_scene(scene: "Scene", ax: Any = None, force_scale: Optional[float] = None) -> Any:
    """Surfaces, and the forces on the first body of each contact."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    if ax is None:
        ax = new_axes(True)
    movers = []
    number = 0
    for body in scene.bodies.values():
        points, triangles = body.surface, body.triangles
        every = 1 + len(triangles) // MOST_TRIANGLES
        is_fixed = body.kind == "fixed"
        colour = FIXED if is_fixed else COLOURS[number % len(COLOURS)]
        ax.add_collection3d(Poly3DCollection(points[triangles[::every]], facecolor=colour,
                                             edgecolor="#00000030", linewidth=0.3,
                                             alpha=0.35 if is_fixed else 0.9))
        if not is_fixed:
            number += 1
            movers.append(points)

    # as far as what can move, and a little beyond
    shown = np.concatenate(movers or [body.surface for body in scene.bodies.values()])
    middle = (shown.max(axis=0) + shown.min(axis=0)) / 2
    reach = 0.6 * float((shown.max(axis=0) - shown.min(axis=0)).max()) or 1.0
    for centre, limit in zip(middle, (ax.set_xlim, ax.set_ylim, ax.set_zlim)):
        limit(centre - reach, centre + reach)
    ax.set_box_aspect((1, 1, 1))

    contacts = scene.contacts
    sizes = np.linalg.norm(contacts.force, axis=1)
    loaded = contacts[sizes > 0]
    if len(loaded):
        scale = force_scale if force_scale is not None else 0.8 * reach / sizes.max()
        ax.quiver(*loaded.P.T, *(scale * loaded.force).T, color="#d62728", linewidth=1)
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
    ax.set_zlabel("z [m]")
    ax.set_title(f"{scene.name}, {scene.time:.3g} s")
    return ax


def draw_snap_fit(fit: "SnapFit", ax: Any = None, **look: Any) -> Any:
    """Force against displacement, dashed on the way back."""
    if ax is None:
        ax = new_axes(False)
    curve = fit.curve
    way_in, way_out = curve[:fit.withdrawal], curve[fit.withdrawal:]
    look.setdefault("label", f"friction {fit.friction:g}")
    line, = ax.plot(1e3 * way_in.moved, way_in.force, **look)
    ax.plot(1e3 * way_out.moved, way_out.force, "--", color=line.get_color())
    ax.axhline(0, color="#00000040", linewidth=0.8)
    ax.set_xlabel("displacement [mm]")
    ax.set_ylabel("force against the way in [N]")
    ax.legend()
    return ax


def png_tag(draw: Callable[[Any], Any], three: bool) -> str:
    """An <img> of what `draw` draws into axes; empty without matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        import mpl_toolkits.mplot3d  # noqa: F401  the 3D axes
    except ImportError:
        return ""
    figure = Figure(figsize=(5, 4))
    FigureCanvasAgg(figure)
    draw(figure.add_subplot(projection="3d" if three else None))
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=90)
    return f'<img src="data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}">'


def table(rows: "list[tuple[str, str]]") -> str:
    cells = (f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
             for name, value in rows)
    return f"<table>{''.join(cells)}</table>"


def scene_html(scene: "Scene") -> str:
    bodies = ", ".join(f"{body.name} ({body.kind})" for body in scene.bodies.values())
    contacts = scene.contacts
    loaded = int((np.abs(contacts.force).max(axis=1, initial=0) > 0).sum())
    return (f"<b>{html.escape(scene.name)}</b>"
            + png_tag(lambda ax: draw_scene(scene, ax), True)
            + table([("time", f"{scene.time:g} s"), ("step", f"{scene.dt:g} s"), ("bodies", bodies),
                     ("contacts", f"{len(contacts)}, {loaded} with force"),
                     ("energy", f"{scene.energy:.6g} J")]))


def snap_fit_html(fit: "SnapFit") -> str:
    return (png_tag(lambda ax: draw_snap_fit(fit, ax), False)
            + table([("friction", f"{fit.friction:g}"), ("snaps in", "yes" if fit.snaps else "no"),
                     ("insertion", f"{fit.peak:.4g} N at {1e3 * fit.peak_at:.4g} mm"),
                     ("retention", f"{fit.retention:.4g} N at {1e3 * fit.retention_at:.4g} mm"),
                     ("largest strain", f"{100 * fit.max_strain:.3g} %")]))
