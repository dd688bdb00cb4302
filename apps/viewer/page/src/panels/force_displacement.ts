import { themeColour } from "../dom";
import { thinned } from "../history";
import { type Records, tickColumn } from "../records";
import type { Session } from "../session";
import { Panel, type Refreshing } from "./panel";

const axes = ["x", "y", "z"];
const margin = { left: 44, right: 8, top: 6, bottom: 20 };

/** Force against displacement, along the axis on which the hand has moved most. */
export class ForceDisplacementPanel implements Refreshing {
  readonly panel: Panel;
  private readonly canvas = document.createElement("canvas");

  constructor(sheet: HTMLElement, private readonly records: Records, private readonly session: Session,
              private readonly height: number) {
    this.panel = new Panel(sheet, "force-displacement", "Force against displacement");
    this.canvas.style.width = "100%";
    this.canvas.style.height = `${height}px`;
    this.canvas.style.display = "block";
    this.panel.body.append(this.canvas);
  }

  isWanted(): boolean {
    return this.session.hasHand;
  }

  refresh(): void {
    const { ticks } = this.records;
    const rows = thinned(ticks, Math.max(0, ticks.latest - 14), 1200, (row) => Math.abs(ticks.at(tickColumn.force, row)));
    const ranges = axes.map((_, a) => extent(rows.map((row) => ticks.at(tickColumn.position + a, row))));
    const widest = ranges.reduce((best, range, a) => (range[1] - range[0] > ranges[best][1] - ranges[best][0] ? a : best), 0);
    const x = rows.map((row) => ticks.at(tickColumn.position + widest, row) * 1e3);
    const y = rows.map((row) => ticks.at(tickColumn.force + widest, row));
    this.panel.value = `along ${axes[widest]} [mm, N]`;
    this.draw(x, y);
  }

  private draw(x: number[], y: number[]): void {
    const ratio = devicePixelRatio;
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    const pen = this.canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    const [x0, x1] = padded(extent(x), 1);
    const [y0, y1] = padded(extent(y), 1);
    const px = (v: number) => margin.left + ((v - x0) / (x1 - x0)) * (width - margin.left - margin.right);
    const py = (v: number) => this.height - margin.bottom - ((v - y0) / (y1 - y0)) * (this.height - margin.top - margin.bottom);
    this.drawGrid(pen, [x0, x1], [y0, y1], px, py, width);

    // older parts of the way are paler
    pen.lineWidth = 1.6;
    pen.strokeStyle = themeColour("series-1");
    pen.lineJoin = "round";
    const pieces = 12;
    for (let p = 0; p < pieces; ++p) {
      const first = Math.floor((p * x.length) / pieces);
      const last = Math.min(x.length - 1, Math.floor(((p + 1) * x.length) / pieces));
      pen.globalAlpha = 0.25 + (0.75 * (p + 1)) / pieces;
      pen.beginPath();
      for (let i = first; i <= last; ++i) pen.lineTo(px(x[i]), py(y[i]));
      pen.stroke();
    }
    pen.globalAlpha = 1;
    if (x.length === 0) return;
    pen.fillStyle = themeColour("bad");
    pen.beginPath();
    pen.arc(px(x[x.length - 1]), py(y[y.length - 1]), 3.5, 0, 2 * Math.PI);
    pen.fill();
  }

  private drawGrid(pen: CanvasRenderingContext2D, xs: [number, number], ys: [number, number],
                   px: (v: number) => number, py: (v: number) => number, width: number): void {
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = themeColour("muted");
    pen.strokeStyle = themeColour("line");
    pen.textAlign = "center";
    for (const v of ticksOf(xs, 6)) {
      pen.beginPath();
      pen.moveTo(px(v), margin.top);
      pen.lineTo(px(v), this.height - margin.bottom);
      pen.stroke();
      pen.fillText(String(Number(v.toPrecision(4))), px(v), this.height - 6);
    }
    pen.textAlign = "right";
    for (const v of ticksOf(ys, 5)) {
      pen.beginPath();
      pen.moveTo(margin.left, py(v));
      pen.lineTo(width - margin.right, py(v));
      pen.stroke();
      pen.fillText(String(Number(v.toPrecision(4))), margin.left - 5, py(v) + 4);
    }
  }
}

function extent(values: number[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : [0, 0];
}

function padded([low, high]: [number, number], least: number): [number, number] {
  const size = Math.max(high - low, least);
  const middle = (low + high) / 2;
  return [middle - size * 0.54, middle + size * 0.54];
}

function ticksOf([low, high]: [number, number], count: number): number[] {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10);
  const ticks: number[] = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) ticks.push(Math.round(v / step) * step);
  return ticks;
}
