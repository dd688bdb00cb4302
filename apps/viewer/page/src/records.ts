import { History } from "./history";
import { contactAt, type Frame, stepAt, stepWidth, tickHandWidth } from "./protocol";
import type { Session } from "./session";

/** Columns of `ticks`: time, then those of the hand (force, torque, position, energy). */
export const tickColumn = { time: 0, force: 1, torque: 4, position: 7, energy: 10 } as const;
/** Columns of `steps`: those of the protocol, then sums since the start. */
export const stepColumn = { ...stepAt, workSum: stepWidth, frictionSum: stepWidth + 1 } as const;

/**
 * What the panels draw: everything that frames brought since the scene began. Of a recording that is
 * its whole course, shown up to the frame that is looked at.
 */
export class Records {
  readonly ticks = new History(1 + tickHandWidth, 16_384);
  readonly steps = new History(stepWidth + 2, 16_384);
  missedDeadlines = 0;
  private work = 0;
  private friction = 0;

  constructor(private readonly session: Session) {
    session.on("hello", () => this.clear());
    session.on("rows", (frame) => this.add(frame));
  }

  clear(): void {
    this.ticks.clear();
    this.steps.clear();
    this.missedDeadlines = this.work = this.friction = 0;
  }

  private add(frame: Frame): void {
    this.addTicks(frame);
    this.addSteps(frame);
    // rows have their times in single precision
    const scene = this.session.hello?.scene;
    if (scene?.is_recording) this.ticks.until = this.steps.until = frame.time_s + scene.dt_s / 2;
  }

  private addTicks(frame: Frame): void {
    const { hand } = this.session;
    if (hand >= frame.handCount) return;
    for (let t = 0; t < frame.tickCount; ++t) {
      const at = t * frame.tickWidth;
      const mine = at + 1 + hand * tickHandWidth;
      this.ticks.add([frame.ticksFrom_s + frame.tickRows[at], ...frame.tickRows.subarray(mine, mine + tickHandWidth)]);
    }
  }

  private addSteps(frame: Frame): void {
    for (let s = 0; s < frame.stepCount; ++s) {
      const row = frame.stepRows.subarray(s * stepWidth, (s + 1) * stepWidth);
      const time = frame.stepsFrom_s + row[0];
      if (this.steps.count > 0 && time <= this.steps.latest) this.work = this.friction = 0;
      this.work += row[stepAt.workIn];
      this.friction += row[stepAt.friction];
      const total = row[stepAt.phases + 6];
      if (total > (this.session.hello?.scene.deadline_us ?? Infinity)) ++this.missedDeadlines;
      this.steps.add([time, ...row.subarray(1), this.work, this.friction]);
    }
  }
}

export function normalForce(frame: Frame, at: number): number {
  const n = at + contactAt.normal;
  const f = at + contactAt.force;
  const c = frame.contacts;
  return c[n] * c[f] + c[n + 1] * c[f + 1] + c[n + 2] * c[f + 2];
}
