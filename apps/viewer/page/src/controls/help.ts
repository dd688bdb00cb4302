import { byId, make } from "../dom";
import type { Binding } from "./keys";

const mouse: [string, string][] = [
  ["Drag the tool", "grab it and move it in the plane of the screen"],
  ["Wheel, while dragging", "nearer, farther"],
  ["Shift, while dragging", "turn the tool"],
  ["Drag elsewhere", "orbit"],
  ["Right drag", "pan"],
  ["Wheel", "zoom"],
];

/** All keys, as they are bound. */
export class Help {
  private readonly dialog = byId<HTMLDialogElement>("help-panel");

  constructor() {
    byId("help").onclick = () => this.toggle();
  }

  fill(bindings: Binding[]): void {
    const columns = make("div", { class: "columns" });
    const section = (title: string, entries: [string, string][]) => {
      const list = make("dl");
      for (const [keys, what] of entries) {
        list.append(make("dt", {}, ...keys.split(" / ").map((k) => make("kbd", {}, k))), make("dd", {}, what));
      }
      columns.append(make("section", {}, make("h2", {}, title), list));
    };
    section("Mouse", mouse);
    for (const group of new Set(bindings.map((binding) => binding.group))) {
      section(group, bindings.filter((b) => b.group === group).map((b) => [b.shown, b.what]));
    }
    const close = make("button", { class: "primary" }, "Close");
    close.onclick = () => this.dialog.close();
    this.dialog.replaceChildren(columns, close);
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}
