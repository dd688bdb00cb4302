import { make, setText } from "../dom";
import { thinned } from "../history";
import { quantity } from "../numbers";
import { type Records, stepColumn } from "../records";
import type { Session } from "../session";
import { Panel, type Refreshing } from "./panel";
import { TimeChart } from "./time_chart";

const phases = [
  { label: "free motion", colour: "series-1" }, { label: "proximity", colour: "series-3" },
  { label: "contact space", colour: "series-5" }, { label: "W", colour: "series-4" },
  { label: "solve", colour: "series-2" }, { label: "correct", colour: "series-6" },
];
const window_s = 4;
const facts = ["longest step", "late steps", "ticks", "missed ticks", "tick, median", "tick, longest", "viewers"] as const;

/** Time of each phase of a step, stacked, below the deadline; ticks of the haptic loop and those missed. */
export class TimingPanel implements Refreshing {
  readonly panel: Panel;
  private readonly chart: TimeChart;
  private readonly facts = new Map<string, HTMLElement>();
  private top_us = 0;

  constructor(sheet: HTMLElement, private readonly records: Records, private readonly session: Session, height: number) {
    this.panel = new Panel(sheet, "timing", "Time per phase [µs]", phases);
    this.panel.node.classList.add("many-keys");
    // from the top of the stack down: each is drawn over the one before
    this.chart = new TimeChart(this.panel.body, {
      height, atLeast: [0, 100], atMost: () => this.top_us, limit: () => this.deadline_us,
      lines: [...phases].reverse().map((phase) => ({ ...phase, isStacked: true, width: 0.5 })),
    });
    const list = make("div", { class: "facts" });
    for (const name of facts) {
      const number = make("b", {}, "–");
      this.facts.set(name, number);
      list.append(make("span", {}, `${name} `, number));
    }
    this.panel.body.append(list);
  }

  refresh(): void {
    const { steps } = this.records;
    const total = stepColumn.phases + phases.length;
    const to = Math.max(window_s, steps.latest);
    const from = to - window_s;
    const rows = thinned(steps, from, 240, (row) => steps.at(total, row));
    const sums = rows.map((row) => {
      let sum = 0;
      return phases.map((_, p) => (sum += steps.at(stepColumn.phases + p, row)));
    });
    const totals = rows.map((row) => steps.at(total, row)).sort((a, b) => a - b);
    this.top_us = 1.5 * (totals[Math.floor(totals.length * 0.9)] ?? 0);
    this.chart.show(rows.map((row) => steps.at(0, row)), [...phases.keys()].reverse().map((p) => sums.map((s) => s[p])), from, to);
    this.showFacts(totals[totals.length - 1] ?? 0);
  }

  retint(): void {
    this.chart.retint();
  }

  private get deadline_us(): number | null {
    return this.session.hello?.scene.deadline_us ?? null;
  }

  private showFacts(longest_us: number): void {
    const { frame } = this.session;
    this.panel.value = this.deadline_us === null ? "" : `deadline ${quantity(this.deadline_us * 1e-6, "s")}`;
    if (!frame) return;
    const say = (name: (typeof facts)[number], text: string) => setText(this.facts.get(name)!, text);
    say("longest step", quantity(longest_us * 1e-6, "s"));
    say("late steps", String(frame.stepsLate));
    say("ticks", String(frame.ticks));
    say("missed ticks", String(frame.ticksMissed));
    say("tick, median", quantity(frame.tickMedian_us * 1e-6, "s"));
    say("tick, longest", quantity(frame.tickLongest_us * 1e-6, "s"));
    say("viewers", String(frame.viewers));
  }
}
