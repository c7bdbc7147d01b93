// Axes of all plots: colours of the theme, round ticks, powers of ten on logarithmic scales.
import type uPlot from "uplot";
import { pretty } from "./dom";
import { colour } from "./theme";

// Returns a readable number of powers of ten between two values; the ends if there are none.
function powers(low: number, high: number, most: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(Math.ceil((last - first + 1) / most), 1);
  const found: number[] = [];
  for (let power = Math.ceil(first / step) * step; power <= last; power += step) found.push(Number(`1e${power}`));
  return found.length > 0 ? found : [low, high];
}

function text(value: number, log: boolean, size: number): string {
  if (log) {
    const power = Math.log10(value);
    return Math.abs(power - Math.round(power)) < 1e-9 ? `1e${Math.round(power)}` : pretty(value);
  }
  if (value === 0) return "0";
  return size >= 1e5 || size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(8)));
}

export function axis(log: boolean, size: number, label?: string): uPlot.Axis {
  const made: uPlot.Axis = {
    stroke: colour("muted"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: colour("line"), width: 1 },
    ticks: { stroke: colour("line"), width: 1, size: 4 },
    size,
    values: (_, ticks) => {
      const largest = Math.max(...ticks.map((t) => Math.abs(t ?? 0)));
      return ticks.map((t) => (t === null ? "" : text(t, log, largest)));
    },
  };
  if (log) {
    made.splits = (_, __, low, high) => powers(low, high, 6);
    made.filter = (_, splits) => splits;
  }
  if (label !== undefined) {
    made.label = label;
    made.labelFont = "12px system-ui, sans-serif";
    made.labelSize = 22;
  }
  return made;
}

export function scale(log: boolean): uPlot.Scale {
  return log ? { time: false, distr: 3, log: 10 } : { time: false };
}

// Formats a value of a legend.
export function value(_: uPlot, raw: number | null | undefined): string {
  return raw === null || raw === undefined ? "–" : pretty(raw);
}
