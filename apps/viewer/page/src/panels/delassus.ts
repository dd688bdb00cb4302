import { make } from "../dom";
import { quantity } from "../numbers";
import type { Delassus } from "../protocol";
import type { Session } from "../session";
import { Panel, type Refreshing } from "./panel";

/**
 * The Delassus operator as a picture (paper, Figs. 9 and 11): a pixel is a pair of contacts, red
 * their coupling along the normals, green and blue along the two tangents, each relative to its largest.
 */
export class DelassusPanel implements Refreshing {
  readonly panel: Panel;
  private readonly canvas = make("canvas", { class: "delassus", width: "1", height: "1", "aria-label": "Delassus operator" });
  private newest: Delassus | null = null;
  private isSubscribed = false;

  constructor(sheet: HTMLElement, private readonly session: Session) {
    this.panel = new Panel(sheet, "delassus", "Delassus operator W", [
      { label: "normal", colour: "delassus-normal" }, { label: "tangent 1", colour: "delassus-first" },
      { label: "tangent 2", colour: "delassus-second" },
    ]);
    this.panel.node.classList.add("many-keys");
    this.panel.body.append(this.canvas);
    session.on("delassus", (delassus) => { this.newest = delassus; });
    session.on("hello", () => { this.newest = null; });
    session.on("link", () => { this.isSubscribed = false; });
  }

  /** Called whether it can be seen or not: the server sends W only to those who look. */
  subscribe(): void {
    const wanted = this.panel.isVisible && this.session.link === "open";
    if (wanted === this.isSubscribed) return;
    this.isSubscribed = wanted;
    this.session.send({ type: "show", delassus: wanted });
  }

  refresh(): void {
    const m = this.newest?.contacts ?? 0;
    this.canvas.hidden = m === 0;
    if (!this.newest || m === 0) {
      this.panel.value = this.session.frame?.contactCount ? "comes with the next step" : "no contacts";
      return;
    }
    const { W } = this.newest;
    const entry = (i: number, j: number, axis: number) => Math.abs(W[(3 * i + axis) * 3 * m + 3 * j + axis]);
    // each direction relative to its own largest
    const largest = [0, 1, 2].map((axis) => {
      let most = 0;
      for (let i = 0; i < m; ++i) most = Math.max(most, entry(i, i, axis));
      return most || 1;
    });
    this.canvas.width = this.canvas.height = m;
    const pen = this.canvas.getContext("2d")!;
    const picture = pen.createImageData(m, m);
    for (let i = 0; i < m; ++i) {
      for (let j = 0; j < m; ++j) {
        const at = 4 * (i * m + j);
        for (let axis = 0; axis < 3; ++axis) picture.data[at + axis] = (255 * entry(i, j, axis)) / largest[axis];
        picture.data[at + 3] = 255;
      }
    }
    pen.putImageData(picture, 0, 0);
    this.panel.value = `${m} contacts, normal to ${quantity(largest[0], "m/N")}`;
  }
}
