import { thinned } from "../history";
import { quantity } from "../numbers";
import { frameColumn, type Records, tickColumn } from "../records";
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

  constructor(sheet: HTMLElement, private readonly records: Records, private readonly what: "force" | "torque",
              height: number) {
    this.panel = new Panel(sheet, what, what === "force" ? "Force" : "Torque", [...axes, whole]);
    this.chart = new TimeChart(this.panel.body, {
      height, atLeast: what === "force" ? [-0.5, 1] : [-0.005, 0.01], lines: [whole, ...axes],
    });
  }

  refresh(): void {
    const { ticks, frames } = this.records;
    const history = ticks.count > 0 ? ticks : frames;
    const to = Math.max(window_s, history.latest);
    const from = to - window_s;
    const first = ticks.count > 0 ? tickColumn[this.what] : frameColumn.normalForce;
    const amount = (row: number) => ticks.count > 0
      ? Math.hypot(ticks.at(first, row), ticks.at(first + 1, row), ticks.at(first + 2, row))
      : this.what === "force" ? frames.at(first, row) : 0;
    const rows = thinned(history, from, buckets, amount);
    const parts = [0, 1, 2].map((axis) => rows.map((row) => (ticks.count > 0 ? ticks.at(first + axis, row) : NaN)));
    this.chart.show(rows.map((row) => history.at(0, row)), [rows.map(amount), ...parts], from, to);
    const now = history.count > 0 ? amount(history.count - 1) : 0;
    this.panel.value = quantity(now, this.what === "force" ? "N" : "N m");
  }

  retint(): void {
    this.chart.retint();
  }
}
