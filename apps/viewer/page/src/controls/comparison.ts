import { byId, make } from "../dom";
import { plain, quantity } from "../numbers";
import type { Method, ServerMessage } from "../protocol";
import type { Session } from "../session";
import type { Stage } from "../view/stage";

type Comparison = Extract<ServerMessage, { type: "comparison" }>;

const names: Record<string, string> = {
  exact: "Exact cone (auto)", "gauss-seidel": "Exact cone, Gauss-Seidel", "pyramid-4": "Pyramid, k = 4",
  "pyramid-8": "Pyramid, k = 8", "pyramid-16": "Pyramid, k = 16", "penalty-explicit": "Penalty, explicit",
  "penalty-implicit": "Penalty, implicit", "imposed-motion": "Imposed motion", "explicit-friction": "Explicit friction",
};

interface Column {
  title: string;
  about: string;
  text(method: Method): string;
}

const least = 1e-9;
const amount = (value: number | null, unit: string) =>
  value === null ? "–" : value !== 0 && Math.abs(value) < least ? `< 1 n${unit}` : quantity(value, unit);
const columns: Column[] = [
  { title: "normal", about: "sum of the normal forces", text: (m) => amount(m.normal_force_N, "N") },
  { title: "friction", about: "sum of the friction forces", text: (m) => amount(m.friction_force_N, "N") },
  { title: "off by", about: "difference of the forces to exact ones", text: (m) => (m.difference_percent === null ? "–" : `${plain(m.difference_percent)} %`) },
  { title: "error", about: "of Signorini's and Coulomb's laws, rescaled", text: (m) => (m.error === null ? "–" : plain(m.error)) },
  { title: "overlap", about: "deepest, after the step", text: (m) => amount(m.penetration_m, "m") },
  { title: "loaded", about: "contacts that carry force", text: (m) => `${m.loaded_contacts}/${m.contacts}` },
  { title: "iterations", about: "marked: not converged", text: (m) => `${m.iterations}${m.converged ? "" : " ✗"}` },
  { title: "solve", about: "time of the solve", text: (m) => (m.solve_us === null ? "–" : `${m.in_time ? "" : "stopped at "}${quantity(m.solve_us * 1e-6, "s")}`) },
];

/** "Compare on this frame": the frozen frame by every method, side by side, row by row as they come. */
export class ComparisonPanel {
  private readonly card = byId("comparison");
  private isAwaited = false;

  constructor(private readonly session: Session, private readonly stage: Stage) {
    byId("compare").onclick = () => this.ask();
    session.on("message", (message) => {
      if (message.type === "comparison" && this.isAwaited) this.show(message);
      if (message.type === "error" && message.about === "compare") this.isAwaited = false;
    });
    session.on("hello", () => this.close());
    session.on("controls", (hasControls) => { byId<HTMLButtonElement>("compare").disabled = !hasControls; });
  }

  ask(): void {
    if (this.close()) return;
    this.isAwaited = true;
    this.session.send({ type: "compare" });
  }

  /** What is not done is given up. Says whether there was something to close. */
  close(): boolean {
    const wasOpen = this.isAwaited || !this.card.hidden;
    if (this.isAwaited) this.session.send({ type: "cancel" });
    this.isAwaited = false;
    this.card.hidden = true;
    this.stage.coverBottom(0);
    return wasOpen;
  }

  private show(comparison: Comparison): void {
    const { methods, next, of } = comparison;
    this.isAwaited = next !== null;
    const close = make("button", {}, next === null ? "Close" : "Cancel");
    close.onclick = () => this.close();
    const title = make("strong", {}, next === null ? "Compared on this frame" : "Comparing on this frame");
    const standing = next !== null ? `; ${methods.length} of ${of} methods` : methods.length < of ? `; given up after ${methods.length} of ${of} methods` : "";
    const when = make("span", { class: "muted" }, `step ${comparison.step}, ${comparison.time_s.toFixed(3)} s; the scene is paused${standing}`);
    const head = make("tr", {}, make("th", {}, "method"), ...columns.map((c) => make("th", { title: c.about }, c.title)));
    const rows = methods.map((method) => this.row(method));
    if (next !== null) rows.push(make("tr", { class: "muted" }, make("td", { colspan: String(1 + columns.length) }, `${names[next] ?? next} …`)));
    this.card.replaceChildren(
      make("header", {}, title, when, make("span", { class: "spacer" }), close),
      make("table", { class: "rows" }, make("thead", {}, head), make("tbody", {}, ...rows)));
    if (next === null && !methods.some((method) => method.loaded_contacts > 0)) {
      this.card.append(make("p", { class: "muted" }, "Nothing touches in this frame: push the bodies together and compare again."));
    }
    this.card.hidden = false;
    this.stage.coverBottom(this.card.offsetHeight);
  }

  private row(method: Method): HTMLElement {
    const row = make("tr", { class: method.name === "exact" ? "reference" : "", "data-method": method.name },
      make("td", {}, names[method.name] ?? method.name), ...columns.map((c) => make("td", {}, c.text(method))));
    const off = row.children[3] as HTMLElement;
    const percent = method.difference_percent ?? 0;
    if (percent > 20) off.classList.add("bad");
    else if (percent > 2) off.classList.add("slip");
    return row;
  }
}
