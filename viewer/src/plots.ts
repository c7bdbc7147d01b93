// Plots of the ledger: uPlot, with a line that moves with the animation.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { axis, scale, value } from "./axes";
import { doubles, type Columns, type PlotData, type RunReport } from "./data";
import { element } from "./dom";
import { colour, palette } from "./theme";

export interface Plot {
  data: PlotData;
  chart: uPlot;
  head: HTMLElement; // the line of the animation
  figure: HTMLElement;
}

type Aligned = (number | null | undefined)[][];

// The values of a curve: those of the column, or their relative drift from the first.
function shown(plot: PlotData, k: number, values: Float64Array, start: number): number[] {
  return Array.from(values, (value) => (plot.drift ? Math.abs(value - start) / plot.scales[k] : value));
}

export interface Curve {
  label: string;
  faint: boolean;
  shade: number;
  time: number[];
  values: number[];
}

export interface Drawing {
  curves: Curve[];
  log: boolean;
  table: Aligned; // common times, then the values of all curves
}

// Prepares the curves of a plot. A logarithmic scale shows positive values only; if there are none, the
// scale is linear.
export function drawing(plot: PlotData, columns: Columns): Drawing | undefined {
  const curves: Curve[] = [];
  plot.columns.forEach((name, k) => {
    const column = columns.get(name);
    if (!column || (plot.sparse && column.values.every((y) => y === 0))) return;
    const add = (series: typeof column, label: string, faint: boolean): void => {
      const values = shown(plot, k, series.values, column.values[0]);
      curves.push({ label, faint, shade: k, time: Array.from(series.time), values });
    };
    add(column, plot.labels[k], false);
    if (!plot.extremes) return;
    for (const side of ["min", "max"]) {
      const extreme = columns.get(`${name}.${side}`);
      if (extreme) add(extreme, `${plot.labels[k]} ${side}`, true);
    }
  });
  if (curves.length === 0) return undefined;
  const log = plot.log && curves.some(({ values }) => values.some((y) => y > 0));
  const tables = curves.map(({ time, values }): [number[], (number | null)[]] => [
    time,
    values.map((y) => (Number.isFinite(y) && (!log || y > 0) ? y : null)),
  ]);
  const first = tables[0][0];
  const same = tables.every(([time]) => time.length === first.length && time.every((t, i) => t === first[i]));
  const table: Aligned = same
    ? [first, ...tables.map(([, values]) => values)]
    : (uPlot.join(tables as unknown as uPlot.AlignedData[]) as unknown as Aligned);
  return { curves, log, table };
}

// Errors over the last eight powers of ten: what is smaller is zero.
const errorScale: uPlot.Scale = {
  ...scale(true),
  range: (_, low, high) => {
    const top = high > 0 ? Math.ceil(Math.log10(high)) : 0;
    const bottom = low > 0 ? Math.floor(Math.log10(low)) : top - 8;
    return [10 ** Math.min(Math.max(bottom, top - 8), top - 1), 10 ** top];
  },
};

// The plots of a page, whatever draws them.
export interface PlotView {
  readonly list: PlotData[];
  add(data: PlotData, time: number): void;
  setTime(time: number): void;
  resetZoom(): void;
  resize(): void;
  redraw(): void;
}

export class Plots implements PlotView {
  readonly open = new Map<string, Plot>();
  private zooming = false;
  readonly impacts: Float64Array;

  constructor(
    private report: RunReport,
    private columns: Columns,
    private host: HTMLElement,
    private seek: (time: number) => void,
  ) {
    this.impacts = doubles(report.impacts ?? "");
  }

  get list(): PlotData[] {
    return this.report.plots;
  }

  add(data: PlotData, time: number): void {
    if (this.open.has(data.name)) return;
    const found = drawing(data, this.columns);
    if (!found) return;
    const title = data.units ? `${data.title} [${data.units}]` : data.title;
    const close = element("button", { type: "button", class: "quiet", "aria-label": `Close ${data.title}`, title: "Close this plot" }, "×");
    const figure = element("figure", { class: "plot", "data-plot": data.name }, element("figcaption", {}, title, close));
    close.addEventListener("click", () => this.remove(data.name));
    this.host.append(figure);
    const head = element("div", { class: "playhead" });
    const chart = this.chart(found, figure);
    chart.over.append(head);
    chart.ctx.canvas.setAttribute("role", "img");
    const marked = this.impacts.length > 0 ? `; ${this.impacts.length} impacts are marked` : "";
    chart.ctx.canvas.setAttribute("aria-label", `${data.title} over ${this.report.axis || "time"}: ${found.curves.map((curve) => curve.label).join(", ")}${marked}`);
    this.seekOnClick(chart);
    const plot = { data, chart, head, figure };
    this.open.set(data.name, plot);
    this.mark(plot, time);
  }

  remove(name: string): void {
    const plot = this.open.get(name);
    plot?.chart.destroy();
    plot?.figure.remove();
    this.open.delete(name);
  }

  private chart(found: Drawing, figure: HTMLElement): uPlot {
    const colours = palette();
    const options: uPlot.Options = {
      width: Math.max(figure.clientWidth, 200),
      height: 168,
      scales: { x: scale(false), y: found.log ? errorScale : scale(false) },
      legend: { live: true },
      pxAlign: false,
      cursor: { drag: { x: true, y: false }, points: { size: 6 } },
      axes: [axis(false, 26), axis(found.log, 62)],
      series: [
        { label: this.report.axis || `t [${this.report.time_units}]`, value },
        ...found.curves.map(({ label, shade, faint }): uPlot.Series => ({
          label,
          stroke: colours[shade % colours.length] + (faint ? "66" : ""),
          width: faint ? 1 : 1.6,
          spanGaps: true,
          points: { show: false },
          value,
        })),
      ],
      hooks: { setScale: [(chart, key) => key === "x" && this.zoom(chart)], draw: [(chart) => this.markImpacts(chart)] },
    };
    return new uPlot(options, found.table as uPlot.AlignedData, figure);
  }

  // Ticks at the upper edge at the times of impacts.
  private markImpacts(chart: uPlot): void {
    if (this.impacts.length === 0) return;
    const { ctx, bbox } = chart;
    const ratio = bbox.height / Math.max(chart.over.clientHeight, 1);
    ctx.save();
    ctx.strokeStyle = colour("bad");
    ctx.globalAlpha = 0.8;
    ctx.lineWidth = ratio;
    ctx.beginPath();
    for (const time of this.impacts) {
      const x = chart.valToPos(time, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + 7 * ratio);
    }
    ctx.stroke();
    ctx.restore();
  }

  // A click moves the animation to that time.
  private seekOnClick(chart: uPlot): void {
    let down = 0;
    chart.over.addEventListener("pointerdown", (event) => (down = event.clientX));
    chart.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - down) < 4) this.seek(chart.posToVal(event.offsetX, "x"));
    });
  }

  // All plots show the same interval of time.
  private zoom(from: uPlot): void {
    if (this.zooming) return;
    this.zooming = true;
    const { min, max } = from.scales.x;
    for (const { chart } of this.open.values())
      if (chart !== from && min !== undefined && max !== undefined && min !== null && max !== null)
        chart.setScale("x", { min, max });
    this.zooming = false;
    for (const plot of this.open.values()) this.mark(plot, this.last);
  }

  private last = 0;

  private mark(plot: Plot, time: number): void {
    const { chart, head } = plot;
    const x = chart.valToPos(time, "x");
    head.style.transform = `translateX(${x}px)`;
    head.style.visibility = x >= 0 && x <= chart.over.clientWidth ? "visible" : "hidden";
    head.dataset.time = String(time);
    const times = chart.data[0];
    if (!chart.over.matches(":hover") && times.length > 0)
      chart.setLegend({ idx: nearest(times, time) }, false);
  }

  setTime(time: number): void {
    this.last = time;
    for (const plot of this.open.values()) this.mark(plot, time);
  }

  resetZoom(): void {
    for (const { chart } of this.open.values()) {
      const times = chart.data[0];
      chart.setScale("x", { min: times[0], max: times[times.length - 1] });
    }
  }

  resize(): void {
    for (const { chart, figure } of this.open.values()) {
      const width = Math.max(figure.clientWidth, 200);
      if (Math.abs(chart.width - width) > 1) chart.setSize({ width, height: chart.height });
    }
    this.setTime(this.last);
  }

  // Draws all plots again with the colours of the theme.
  redraw(): void {
    const names = [...this.open.values()].map((plot) => plot.data);
    for (const data of names) this.remove(data.name);
    for (const data of names) this.add(data, this.last);
  }
}

function nearest(times: ArrayLike<number | null | undefined>, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle;
    else high = middle;
  }
  return Math.abs((times[low] ?? 0) - time) <= Math.abs((times[high] ?? 0) - time) ? low : high;
}
