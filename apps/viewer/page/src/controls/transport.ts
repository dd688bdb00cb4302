import { byId, make, setPressed } from "../dom";
import type { Session } from "../session";

const speeds = [0.05, 0.1, 0.2, 0.5, 1, 2, 4, 8];

/** Time: pause, one step, back to the start, slow motion, and which scene. */
export class Transport {
  private readonly speed = byId<HTMLSelectElement>("speed");
  /** What was asked for and is not told by frames yet, and until when that is waited for [ms]. */
  private asked: { speed: number; until: number } | null = null;
  private readonly scene = byId<HTMLSelectElement>("scene");

  constructor(private readonly session: Session) {
    byId("pause").onclick = () => this.pause();
    byId("step").onclick = () => this.step();
    byId("reset").onclick = () => this.reset();
    this.speed.onchange = () => this.askSpeed();
    this.scene.onchange = () => session.send({ type: "scene", name: this.scene.value });
    session.on("hello", () => this.fill());
    session.on("message", (message) => {
      if (message.type === "recording") this.fill();
    });
    session.on("draw", (frame) => {
      setPressed(byId("pause"), !session.runs);
      if (this.asked && (Math.abs(this.asked.speed - frame.speed) < 1e-3 || performance.now() > this.asked.until)) this.asked = null;
      if (this.asked) return;
      const nearest = [...this.speed.options].find((option) => Math.abs(Number(option.value) - frame.speed) < 1e-3);
      if (nearest && document.activeElement !== this.speed) this.speed.value = nearest.value;
    });
    session.on("controls", (hasControls) => {
      for (const id of ["pause", "step", "reset", "speed", "scene"]) byId<HTMLButtonElement>(id).disabled = !hasControls;
    });
  }

  pause(): void {
    this.session.send({ type: this.session.runs ? "pause" : "run" });
  }

  step(): void {
    this.session.send({ type: "step", count: 1 });
  }

  reset(): void {
    this.session.send({ type: "reset" });
  }

  /** From the start, the operator at work. */
  watchAgain(): void {
    this.reset();
    if (!this.session.runs) this.session.send({ type: "run" });
  }

  /** The next slower (-1) or faster (1) of the speeds. */
  changeSpeed(by: number): void {
    const next = this.speed.selectedIndex + by;
    if (next < 0 || next >= this.speed.options.length) return;
    this.speed.selectedIndex = next;
    this.askSpeed();
  }

  private askSpeed(): void {
    const speed = Number(this.speed.value);
    this.asked = { speed, until: performance.now() + 1000 };
    this.session.send({ type: "speed", speed });
  }

  private fill(): void {
    const { hello, recording } = this.session;
    if (!hello) return;
    this.scene.replaceChildren(...hello.scenes.map((name) => make("option", { value: name }, name)));
    if (!hello.scenes.includes(hello.scene.name)) this.scene.prepend(make("option", { value: hello.scene.name }, hello.scene.name));
    this.scene.value = hello.scene.name;
    this.scene.title = hello.scene.title || "Scene";
    const [slowest, fastest] = recording ? [0.05, 8] : hello.speeds;
    const possible = speeds.filter((speed) => speed >= slowest - 1e-9 && speed <= fastest + 1e-9);
    this.speed.replaceChildren(...possible.map((speed) => make("option", { value: String(speed) }, `${speed} ×`)));
    this.speed.value = "1";
    this.asked = null;
  }
}
