import { byId, make } from "../dom";

/** A line over the view that goes away by itself. */
export function notice(text: string, kind: "info" | "bad" = "info", seconds = 4): HTMLElement {
  const line = make("div", { class: "notice", "data-kind": kind }, text);
  byId("notices").append(line);
  if (Number.isFinite(seconds)) setTimeout(() => line.remove(), seconds * 1000);
  return line;
}
