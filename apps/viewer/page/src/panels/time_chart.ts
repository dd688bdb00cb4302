import uPlot from "uplot";
import { themeColour } from "../dom";

export interface Line {
  label: string;
  colour: string;
  width?: number;
  /** Filled down to the line before it: a stack. */
  isStacked?: boolean;
  scale?: "y" | "right";
}

export interface ChartOptions {
  height: number;
  lines: Line[];
  /** Drawn across as a dashed line, when it says a number. */
  limit?: () => number | null;
  /** Where the y axis ends at most: single peaks may run out of the picture. */
  atMost?: () => number;
  /** Least extent of the y axis. */
  atLeast?: [number, number];
  logarithmicRight?: boolean;
}

/** Lines over time. */
export class TimeChart {
  private readonly plot: uPlot;

  constructor(private readonly parent: HTMLElement, private readonly options: ChartOptions) {
    this.plot = new uPlot(this.plotOptions(), [[], ...options.lines.map(() => [])] as uPlot.AlignedData, parent);
    new ResizeObserver(() => this.resize()).observe(parent);
  }

  /** What is not a number is not drawn. */
  show(time: number[], values: number[][], from: number, to: number): void {
    const drawn = values.map((line) => line.map((value) => (Number.isFinite(value) ? value : null)));
    this.plot.batch(() => {
      this.plot.setData([time, ...drawn] as uPlot.AlignedData, true);
      this.plot.setScale("x", { min: from, max: to });
    });
  }

  retint(): void {
    this.plot.redraw(false, true);
  }

  private resize(): void {
    const width = this.parent.clientWidth;
    if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: this.options.height });
  }

  private plotOptions(): uPlot.Options {
    const { lines, height, logarithmicRight } = this.options;
    const axis = (extra: uPlot.Axis): uPlot.Axis => ({
      stroke: () => themeColour("muted"),
      grid: { stroke: () => themeColour("line"), width: 1 },
      ticks: { show: false },
      font: "11px system-ui, sans-serif",
      ...extra,
    });
    const hasRight = lines.some((line) => line.scale === "right");
    return {
      width: this.parent.clientWidth || 376,
      height,
      padding: [6, hasRight ? 0 : 8, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { size: 5 }, y: false },
      scales: {
        x: { time: false },
        y: { range: (_, low, high) => this.yRange(low, high) },
        ...(hasRight ? { right: logarithmicRight ? { distr: 3 as const, range: logRange } : {} } : {}),
      },
      axes: [
        axis({ size: 24, gap: 6, values: (_, splits) => splits.map((s) => `${Number(s.toFixed(2))} s`) }),
        axis({ size: 44, gap: 4, values: (_, splits) => splits.map(compact), space: 26 }),
        ...(hasRight ? [axis({
          side: 1, scale: "right", size: 44, gap: 4, grid: { show: false }, space: 22,
          values: (_: uPlot, splits: number[]) =>
            splits.map((s) => (s === null || (logarithmicRight && !isPowerOfTen(s)) ? "" : compact(s))),
        })] : []),
      ],
      series: [{}, ...lines.map((line): uPlot.Series => ({
        label: line.label,
        scale: line.scale ?? "y",
        stroke: () => themeColour(line.colour),
        width: line.width ?? 1.25,
        ...(line.isStacked ? { fill: () => `${themeColour(line.colour)}b0` } : {}),
        points: { show: false },
      }))],
      hooks: { draw: [(plot) => this.drawLimit(plot)] },
    };
  }

  private yRange(low: number, high: number): uPlot.Range.MinMax {
    const [least, most] = this.options.atLeast ?? [0, 0];
    const limit = this.options.limit?.() ?? 0;
    const bottom = Math.min(least, low ?? 0);
    const top = Math.max(most, Math.min(high ?? 0, this.options.atMost?.() ?? Infinity), limit * 1.08);
    const margin = (top - bottom) * 0.06;
    return [bottom < 0 ? bottom - margin : bottom, top + margin || 1];
  }

  private drawLimit(plot: uPlot): void {
    const limit = this.options.limit?.();
    if (limit === null || limit === undefined) return;
    const y = Math.round(plot.valToPos(limit, "y", true));
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = themeColour("bad");
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }
}

function logRange(_: uPlot, low: number, high: number): uPlot.Range.MinMax {
  const bottom = 10 ** Math.floor(Math.log10(Math.max(1e-16, low || 1e-12)));
  const top = 10 ** Math.ceil(Math.log10(Math.max(1e-15, high || 1e-6)));
  return [Math.min(bottom, top / 100), top];
}

function isPowerOfTen(value: number): boolean {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-6;
}

function compact(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-3) return value.toExponential(0).replace("e-", "e−");
  if (size >= 1e4) return `${Number((value / 1000).toPrecision(4))}k`;
  return String(Number(value.toPrecision(4)));
}
