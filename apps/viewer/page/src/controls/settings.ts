import { byId, make } from "../dom";
import { plain, quantity } from "../numbers";
import type { Parameter } from "../protocol";
import type { Session } from "../session";

const steps = 1000;

/** Sliders and lists of what can be changed; each says whether the scene goes on or restarts. */
export class Settings {
  private readonly sheet = byId("settings");
  private readonly setters = new Map<string, (parameter: Parameter) => void>();

  constructor(private readonly session: Session) {
    session.on("hello", (hello) => this.build(hello.parameters));
    session.on("message", (message) => {
      // what was refused is shown as it was
      const isRefused = message.type === "error" && message.about === "set";
      if (message.type !== "parameters" && !isRefused) return;
      for (const parameter of session.hello?.parameters ?? []) this.setters.get(parameter.path)?.(parameter);
    });
    session.on("controls", () => this.enable());
  }

  private build(parameters: Parameter[]): void {
    this.setters.clear();
    this.sheet.replaceChildren(...parameters.map((parameter) => this.row(parameter)));
    if (parameters.length === 0) this.sheet.append(make("p", { class: "muted" }, "Nothing to change here."));
    this.enable();
  }

  private enable(): void {
    for (const input of this.sheet.querySelectorAll<HTMLInputElement>("input, select")) input.disabled = !this.session.hasControls;
  }

  private row(parameter: Parameter): HTMLElement {
    const id = `setting-${parameter.path}`;
    const shown = make("output", { for: id });
    const input = parameter.kind === "choice" ? this.list(parameter, id) : this.slider(parameter, id, shown);
    const note = parameter.restarts
      ? make("span", { class: "note restarts" }, "restarts the scene")
      : make("span", { class: "note" }, "acts at once");
    return make("div", { class: "setting" }, make("label", { for: id }, parameter.label), shown, input, note);
  }

  private list(parameter: Parameter, id: string): HTMLElement {
    const list = make("select", { id });
    const fill = (now: Parameter) => {
      list.replaceChildren(...(now.choices ?? []).map((choice) => make("option", { value: choice }, choice)));
      list.value = String(now.value);
    };
    fill(parameter);
    list.onchange = () => this.set(parameter, list.value);
    this.setters.set(parameter.path, fill);
    return list;
  }

  private slider(parameter: Parameter, id: string, shown: HTMLElement): HTMLElement {
    const { min = 0, max = 1, kind } = parameter;
    const isLog = kind === "log";
    const place = (value: number) => steps * (isLog ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min));
    const value = (at: number) => {
      const exact = isLog ? min * (max / min) ** (at / steps) : min + (max - min) * (at / steps);
      return Math.min(max, Math.max(min, Number(exact.toPrecision(3))));
    };
    const say = (v: number) => { shown.textContent = parameter.unit ? quantity(v, parameter.unit) : plain(v); };
    const input = make("input", { id, type: "range", min: "0", max: String(steps), step: "1" });
    input.value = String(Math.round(place(Number(parameter.value))));
    say(Number(parameter.value));
    let isDragged = false;
    input.oninput = () => {
      isDragged = true;
      say(value(Number(input.value)));
      if (!parameter.restarts) this.set(parameter, value(Number(input.value)));
    };
    input.onchange = () => {
      isDragged = false;
      this.set(parameter, value(Number(input.value)));
    };
    this.setters.set(parameter.path, (changed) => {
      if (isDragged) return;
      input.value = String(Math.round(place(Number(changed.value))));
      say(Number(changed.value));
    });
    return input;
  }

  private set(parameter: Parameter, value: number | string): void {
    this.session.send({ type: "set", path: parameter.path, value });
  }
}
