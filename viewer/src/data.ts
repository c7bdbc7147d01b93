// The data of a report: JSON in an element of the page, with arrays in base64. It is written by
// src/results/report*.c.

export type Level = "ok" | "warn" | "broken";

export interface Verdict {
  quantity: string;
  words: string;
  why: string;
  start: number | null;
  drift: number | null;
  relative_drift: number | null;
  tolerance: number | null;
  level: Level;
}

export interface PlotData {
  name: string;
  title: string;
  units: string;
  log: boolean;
  drift: boolean; // plot |x - x(0)| / scale
  first: boolean; // shown when the page opens
  sparse: boolean; // curves that are always zero are omitted
  extremes: boolean; // there are also columns NAME.min and NAME.max
  columns: string[];
  labels: string[];
  scales: number[];
}

export interface ColumnData {
  time?: string; // only if some rows were omitted
  values: string;
}

// Stresses of sweeps in units of 1/255 of the largest value: one number per frame, sweep and kind.
export interface StressData {
  names: string[];
  units: string[];
  largest: number[];
  count: number;
  drawable: string; // rows of the scene
  size: string;
}

// Contacts in every frame: status (0 open, 1 closed without friction, 2 slides, 3 sticks), force, and where those
// with a point in space touch.
export interface ContactData {
  names: string[];
  status: string;
  force: string;
  owner: string; // the contact of each point
  point: string;
}

export interface FrameData {
  stress?: StressData;
  contacts?: ContactData;
  count: number;
  time: string;
  box: string; // per node: lower corner, extent
  position: string; // 16-bit integers, relative to the box
  turn: string; // rotations: quaternions w, x, y, z times 32767
}

export interface SceneData {
  gravity: number[];
  plane: number[];
  count: number;
  node: string; // node of the drawable, and node of its other end; -1: space
  map: string; // 15 numbers: position, other end, matrix by columns
  sweep_end?: string; // per sweep: the two half-widths at its other end
  name: string[];
  role: string[];
  primitive: string[];
  color?: string[]; // of the model, "#rrggbb"; "": that of the role
  opacity?: number[]; // of the model; 0: none given
}

export interface RunReport {
  kind: "run";
  title: string;
  description: string;
  status: string;
  error: string;
  warnings: string;
  findings: string; // lines: level, space, sentence
  axis: string; // what the time is, if it is no time: "load factor"
  level: Level | ""; // of the whole run; "" if it was not completed
  shows: string; // description of the states if they are not a motion
  file: string;
  facts: [string, string][];
  verdict: Verdict[];
  model_text: string;
  parameters: string[];
  settings: string[];
  thinned: string;
  nodes?: string[];
  frames?: FrameData;
  scene?: SceneData;
  plots: PlotData[];
  time_units: string;
  time?: string;
  impacts?: string; // times of impacts, which plots mark
  columns: Record<string, ColumnData>;
  tables: StudyTable[]; // of an optimum
  study_plots: StudyPlot[];
}

export interface StudyTable {
  title: string;
  columns: string[];
  rows: string[][];
}

export interface StudyPlot {
  title: string;
  x: string;
  y: string;
  x_log: boolean;
  y_log: boolean;
  series: { name: string; x: (number | null)[]; y: (number | null)[] }[];
}

export interface StudyReport {
  kind: "study";
  title: string;
  subtitle: string;
  description: string;
  facts: [string, string][];
  tables: StudyTable[];
  study_plots: StudyPlot[];
}

export type Report = RunReport | StudyReport;

function bytes(base64: string): ArrayBuffer {
  const binary = atob(base64);
  const array = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) array[i] = binary.charCodeAt(i);
  return array.buffer;
}

export const bytesOf = (text: string): Uint8Array => new Uint8Array(bytes(text));
export const doubles = (text: string): Float64Array => new Float64Array(bytes(text));
export const floats = (text: string): Float32Array => new Float32Array(bytes(text));
export const words = (text: string): Uint16Array => new Uint16Array(bytes(text));
export const shorts = (text: string): Int16Array => new Int16Array(bytes(text));
export const integers = (text: string): Int32Array => new Int32Array(bytes(text));

export function readReport(): Report {
  const element = document.getElementById("report");
  const report = JSON.parse(element?.textContent ?? "{}") as Report;
  if (report.kind !== "run") return report;
  for (const plot of report.plots) plot.units = readable(plot.units);
  const stress = report.frames?.stress;
  if (stress) stress.units = stress.units.map(readable);
  report.time_units = readable(report.time_units);
  return report;
}

// Units with raised exponents; without the name of the model's own system, which is among the facts.
function readable(units: string): string {
  const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  return units.replace(/ \(.*$/, "").replace(/\^(\d)/g, (_, digit: string) => raised[Number(digit)]);
}

// The columns of a report, each with its own times or with those of all rows.
export class Columns {
  private shared: Float64Array | undefined;
  private cache = new Map<string, { time: Float64Array; values: Float64Array }>();

  constructor(private report: RunReport) {
    if (report.time) this.shared = doubles(report.time);
  }

  get(name: string): { time: Float64Array; values: Float64Array } | undefined {
    const known = this.cache.get(name);
    if (known) return known;
    const data = Object.prototype.hasOwnProperty.call(this.report.columns, name)
      ? this.report.columns[name]
      : undefined;
    const time = data?.time !== undefined ? doubles(data.time) : this.shared;
    if (!data || !time) return undefined;
    const column = { time, values: doubles(data.values) };
    this.cache.set(name, column);
    return column;
  }
}
