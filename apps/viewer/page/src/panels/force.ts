import { thinned } from "../history";
import { quantity } from "../numbers";
import { type Records, stepColumn, tickColumn } from "../records";
import type { Session } from "../session";
import { Panel, type Refreshing } from "./panel";
import { TimeChart } from "./time_chart";

export const window_s = 8;
const buckets = 360;
const axes = [
  { label: "x", colour: "series-2" }, { label: "y", colour: "series-3" }, { label: "z", colour: "series-1" },
];
const whole = { label: "amount", colour: "amount", width: 3 };

/** Force or torque that the hand feels, tick by tick; without a hand, the normal forces of all contacts. */
export class ForcePanel implements Refreshing {
  readonly panel: Panel;
  private readonly chart: TimeChart;

  constructor(sheet: HTMLElement, private readonly records: Records, private readonly session: Session,
              private readonly what: "force" | "torque", height: number) {
    this.panel = new Panel(sheet, what, "", [...axes, whole]);
    this.chart = new TimeChart(this.panel.body, {
      height, atLeast: what === "force" ? [-0.5, 1] : [-0.005, 0.01], lines: [whole, ...axes],
    });
  }

  isWanted(): boolean {
    return this.what === "force" || this.session.hasHand;
  }

  refresh(): void {
    const { ticks, steps } = this.records;
    const { hasHand } = this.session;
    this.panel.title = this.what === "torque" ? "Torque" : hasHand ? "Force" : "Normal forces";
    this.panel.areKeysShown = hasHand;
    const history = hasHand ? ticks : steps;
    const to = Math.max(window_s, history.latest);
    const from = to - window_s;
    const first = tickColumn[this.what];
    const amount = (row: number) => hasHand
      ? Math.hypot(ticks.at(first, row), ticks.at(first + 1, row), ticks.at(first + 2, row))
      : steps.at(stepColumn.normalForce, row);
    const rows = thinned(history, from, buckets, amount);
    const parts = [0, 1, 2].map((axis) => rows.map((row) => (hasHand ? ticks.at(first + axis, row) : NaN)));
    this.chart.show(rows.map((row) => history.at(0, row)), [rows.map(amount), ...parts], from, to);
    const now = history.count > 0 ? amount(history.count - 1) : 0;
    this.panel.value = quantity(now, this.what === "force" ? "N" : "N m") + (hasHand ? "" : " in all contacts");
  }

  retint(): void {
    this.chart.retint();
  }
}
