import { thinned } from "../history";
import { quantity } from "../numbers";
import { handAt } from "../protocol";
import { type Records, stepColumn, tickColumn } from "../records";
import type { Session } from "../session";
import { window_s } from "./force";
import { Panel, type Refreshing } from "./panel";
import { TimeChart } from "./time_chart";

const lines = [
  { label: "bodies", colour: "series-1" }, { label: "work", colour: "series-3" },
  { label: "friction", colour: "series-2" }, { label: "hand", colour: "series-4" },
];

/** The book of energy, and what the passivity observer says of the hand. */
export class EnergyPanel implements Refreshing {
  readonly panel: Panel;
  private readonly chart: TimeChart;

  constructor(sheet: HTMLElement, private readonly records: Records, private readonly session: Session, height: number) {
    this.panel = new Panel(sheet, "energy", "Energy [mJ]", lines);
    this.panel.node.classList.add("many-keys");
    this.chart = new TimeChart(this.panel.body, { height, lines, atLeast: [0, 1] });
  }

  refresh(): void {
    const { steps, ticks } = this.records;
    const { hasHand } = this.session;
    const to = Math.max(window_s, steps.latest);
    const from = to - window_s;
    const rows = thinned(steps, from, 300, (row) => steps.at(stepColumn.energy, row));
    const column = (c: number) => rows.map((row) => 1e3 * steps.at(c, row));
    const hand = rows.map((row) => {
      const tick = Math.min(ticks.count - 1, ticks.rowAt(steps.at(0, row)));
      return tick < 0 || !hasHand ? NaN : 1e3 * ticks.at(tickColumn.energy, tick);
    });
    this.chart.show(rows.map((row) => steps.at(0, row)),
      [column(stepColumn.energy), column(stepColumn.workSum), column(stepColumn.frictionSum), hand], from, to);
    this.panel.showKey("hand", hasHand);
    this.panel.value = "";
    if (!hasHand) return;
    const isActing = this.session.handNumber(handAt.isPassivityActing) > 0;
    this.panel.value = `passivity took ${quantity(this.session.handNumber(handAt.energyRemoved), "J")}${isActing ? ", acts" : ""}`;
  }

  retint(): void {
    this.chart.retint();
  }
}
