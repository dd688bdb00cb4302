import { thinned } from "../history";
import { plain } from "../numbers";
import { type Records, stepColumn } from "../records";
import { Panel, type Refreshing } from "./panel";
import { TimeChart } from "./time_chart";

const window_s = 4;
const lines = [
  { label: "iterations", colour: "series-1" },
  { label: "error", colour: "series-2", scale: "right" as const },
];

/** Iterations of the solver and the error it left, on a logarithmic axis. */
export class SolverPanel implements Refreshing {
  readonly panel: Panel;
  private readonly chart: TimeChart;

  constructor(sheet: HTMLElement, private readonly records: Records, height: number) {
    this.panel = new Panel(sheet, "solver", "Solver", lines);
    this.chart = new TimeChart(this.panel.body, { height, atLeast: [0, 10], lines, logarithmicRight: true });
  }

  refresh(): void {
    const { steps } = this.records;
    const to = Math.max(window_s, steps.latest);
    const from = to - window_s;
    const rows = thinned(steps, from, 240, (row) => steps.at(stepColumn.iterations, row));
    const errors = rows.map((row) => steps.at(stepColumn.error, row));
    this.chart.show(rows.map((row) => steps.at(0, row)),
      [rows.map((row) => steps.at(stepColumn.iterations, row)), errors.map((error) => (error > 0 ? error : NaN))], from, to);
    const last = steps.count - 1;
    if (last >= 0) {
      this.panel.value = `${Math.round(steps.at(stepColumn.iterations, last))}, ${plain(steps.at(stepColumn.error, last))}`;
    }
  }

  retint(): void {
    this.chart.retint();
  }
}
