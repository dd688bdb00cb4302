import { thinned } from "../history";
import { type Records, stepColumn } from "../records";
import type { Session } from "../session";
import { window_s } from "./force";
import { Panel, type Refreshing } from "./panel";
import { TimeChart } from "./time_chart";

const lines = [
  { label: "slip", colour: "warn", isStacked: true }, { label: "stick", colour: "good", isStacked: true },
];

/** How many contacts carry force, stacked: those that stick on those that slip. */
export class ContactCountPanel implements Refreshing {
  readonly panel: Panel;
  private readonly chart: TimeChart;

  constructor(sheet: HTMLElement, private readonly records: Records, private readonly session: Session, height: number) {
    this.panel = new Panel(sheet, "contacts", "Contacts under force", [...lines].reverse());
    // the taller one is drawn first, the lower one covers it
    this.chart = new TimeChart(this.panel.body, { height, atLeast: [0, 4], lines: [...lines].reverse() });
  }

  refresh(): void {
    const { steps } = this.records;
    const to = Math.max(window_s, steps.latest);
    const from = to - window_s;
    const rows = thinned(steps, from, 300, (row) => steps.at(stepColumn.loaded, row));
    const column = (c: number) => rows.map((row) => steps.at(c, row));
    this.chart.show(column(0), [column(stepColumn.loaded), column(stepColumn.slipping)], from, to);
    const last = steps.count - 1;
    const near = this.session.frame?.contactCount ?? 0;
    this.panel.value = last < 0 ? "" : `${steps.at(stepColumn.loaded, last)} of ${near} found`;
  }

  retint(): void {
    this.chart.retint();
  }
}
