// Plots over an axis that turns back, such as the load factor of a path of equilibria through limit points: curves
// in the order of the path, with marks that move with the animation. uPlot needs an axis that increases.
import type { Columns, PlotData, RunReport } from "./data";
import { element, pretty } from "./dom";
import { type Curve, drawing, type PlotView } from "./plots";
import { palette } from "./theme";

const HEIGHT = 190;
const LEFT = 62;
const BOTTOM = 34;
const TOP = 8;

const SVG = "http://www.w3.org/2000/svg";

function shape(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

// Round ticks that cover a range.
function ticks(low: number, high: number, most: number): number[] {
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((digit) => digit * power >= raw) ?? 10);
  const found: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(i * step);
  return found;
}

function range(values: number[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values)
    if (Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (!(low <= high)) return [0, 1];
  const margin = high > low ? 0.04 * (high - low) : Math.abs(high) || 1;
  return [low - margin, high + margin];
}

interface Figure {
  data: PlotData;
  figure: HTMLElement;
  curves: Curve[];
  svg: SVGElement;
  marks: SVGElement[];
  pointAt: (curve: Curve, at: number) => [number, number];
}

export class CurvePlots implements PlotView {
  readonly open = new Map<string, Figure>();
  private part = 0; // of the path, from 0 to 1

  constructor(
    private report: RunReport,
    private columns: Columns,
    private host: HTMLElement,
    private frames: number,
    private seek: (time: number) => void,
  ) {}

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
    const made: Figure = { data, figure, curves: found.curves, svg: shape("svg", {}), marks: [], pointAt: () => [0, 0] };
    figure.append(made.svg);
    this.open.set(data.name, made);
    this.draw(made);
    this.setTime(time);
  }

  remove(name: string): void {
    this.open.get(name)?.figure.remove();
    this.open.delete(name);
  }

  private draw(made: Figure): void {
    const width = Math.max(made.figure.clientWidth, 200);
    const [x0, x1] = range(made.curves.flatMap((curve) => curve.time));
    const [y0, y1] = range(made.curves.flatMap((curve) => curve.values));
    const across = (x: number): number => LEFT + ((x - x0) / (x1 - x0)) * (width - LEFT - 8);
    const down = (y: number): number => TOP + ((y1 - y) / (y1 - y0)) * (HEIGHT - TOP - BOTTOM);
    const svg = shape("svg", { class: "curves", width, height: HEIGHT, role: "img" });
    svg.setAttribute("aria-label", `${made.data.title} over ${this.report.axis}: ${made.curves.map((curve) => curve.label).join(", ")}`);
    const label = (text: string, x: number, y: number, anchor: string): void => {
      const made = shape("text", { x, y, "text-anchor": anchor });
      made.textContent = text;
      svg.append(made);
    };
    for (const x of ticks(x0, x1, 6)) {
      svg.append(shape("line", { x1: across(x), x2: across(x), y1: TOP, y2: HEIGHT - BOTTOM }));
      label(pretty(x), across(x), HEIGHT - BOTTOM + 14, "middle");
    }
    for (const y of ticks(y0, y1, 4)) {
      svg.append(shape("line", { x1: LEFT, x2: width - 8, y1: down(y), y2: down(y) }));
      label(pretty(y), LEFT - 5, down(y) + 4, "end");
    }
    label(this.report.axis, 0.5 * (width + LEFT), HEIGHT - 5, "middle");
    const colours = palette();
    made.pointAt = (curve, at) => [across(curve.time[at]), down(curve.values[at])];
    made.marks = made.curves.map((curve) => {
      const stroke = colours[curve.shade % colours.length];
      const points = curve.time.map((x, i) => `${across(x).toFixed(1)},${down(curve.values[i]).toFixed(1)}`).join(" ");
      svg.append(shape("polyline", { points, fill: "none", stroke, "stroke-width": curve.faint ? 1 : 1.6 }));
      const mark = shape("circle", { r: 4, fill: stroke });
      svg.append(mark);
      return mark;
    });
    svg.addEventListener("click", (event) => this.seekNearest(made, event as MouseEvent));
    made.svg.replaceWith(svg);
    made.svg = svg;
    const legend = element("div", { class: "u-legend" });
    made.curves.forEach((curve) => {
      const name = element("span", {}, curve.label);
      name.style.color = colours[curve.shade % colours.length];
      legend.append(name, " ");
    });
    made.figure.querySelector(".u-legend")?.remove();
    if (made.curves.length > 1) made.figure.append(legend);
    this.mark(made);
  }

  // A click moves the animation to the nearest point of a curve.
  private seekNearest(made: Figure, event: MouseEvent): void {
    const box = made.svg.getBoundingClientRect();
    let best = Infinity;
    let part = this.part;
    for (const curve of made.curves)
      for (let i = 0; i < curve.time.length; i++) {
        const [x, y] = made.pointAt(curve, i);
        const distance = Math.hypot(x - (event.clientX - box.left), y - (event.clientY - box.top));
        if (distance < best) {
          best = distance;
          part = i / Math.max(curve.time.length - 1, 1);
        }
      }
    this.seek(part * (this.frames - 1));
  }

  private mark(made: Figure): void {
    made.curves.forEach((curve, k) => {
      const [x, y] = made.pointAt(curve, Math.round(this.part * (curve.time.length - 1)));
      made.marks[k].setAttribute("cx", String(x));
      made.marks[k].setAttribute("cy", String(y));
    });
  }

  // Time counts the frames here.
  setTime(time: number): void {
    this.part = this.frames > 1 ? time / (this.frames - 1) : 0;
    for (const made of this.open.values()) this.mark(made);
  }

  resetZoom(): void {}

  resize(): void {
    this.redraw();
  }

  redraw(): void {
    for (const made of this.open.values()) this.draw(made);
  }
}
