import { roundUp } from "./colour_map";

const sinks_s = 2;

/** Top of a scale, in round numbers: follows the largest value at once and sinks slowly. */
export class SinkingScale {
  top = 0;
  private held = 0;
  private last = 0;

  forget(): void {
    this.held = this.top = 0;
  }

  follow(value: number): void {
    const now = performance.now() / 1000;
    this.held = Math.max(value, this.held * Math.exp((this.last - now) / sinks_s));
    this.last = now;
    this.top = this.held > 1e-12 ? roundUp(this.held) : 0;
  }
}
