// Tables of numbers and plots with marks: the page of a study, and parts of other pages.
import uPlot from "uplot";
import { axis, scale, value } from "./axes";
import type { StudyPlot, StudyReport, StudyTable } from "./data";
import { element } from "./dom";
import { factTable } from "./panels";
import { onTheme, palette } from "./theme";

function table(columns: string[], rows: string[][]): HTMLElement {
  const head = element("tr", {}, ...columns.map((name) => element("th", { scope: "col" }, name)));
  const body = rows.map((row) =>
    element("tr", {}, ...row.map((cell, i) => (i === 0 ? element("th", { scope: "row" }, cell) : element("td", {}, cell)))),
  );
  return element("div", { class: "scroll" }, element("table", { class: "numbers" }, element("thead", {}, head), element("tbody", {}, ...body)));
}

function chart(data: StudyPlot, host: HTMLElement): uPlot {
  const colours = palette();
  const tables = data.series.map((series) => {
    const order = series.x.map((_, i) => i).filter((i) => series.x[i] !== null).sort((a, b) => series.x[a]! - series.x[b]!);
    return [order.map((i) => series.x[i]), order.map((i) => series.y[i])];
  });
  return new uPlot(
    {
      width: Math.max(host.clientWidth, 200),
      height: 300,
      pxAlign: false,
      scales: { x: scale(data.x_log), y: scale(data.y_log) },
      axes: [axis(data.x_log, 30, data.x), axis(data.y_log, 58, data.y)],
      series: [
        { label: data.x, value },
        ...data.series.map((series, i): uPlot.Series => ({
          label: series.name,
          stroke: colours[i % colours.length],
          width: 1.6,
          spanGaps: true,
          points: { show: true, size: 7, fill: colours[i % colours.length] },
          value,
        })),
      ],
    },
    uPlot.join(tables as unknown as uPlot.AlignedData[]),
    host,
  );
}

// Adds plots and tables; charts follow the width of their figures.
export function addStudy(plots: StudyPlot[], tables: StudyTable[], host: HTMLElement): uPlot[] {
  let charts: uPlot[] = [];
  const figures = plots.map((plot) => {
    const figure = element("figure", { class: "plot card" }, element("figcaption", {}, plot.title));
    host.append(figure);
    return figure;
  });
  for (const each of tables)
    host.append(element("section", { class: "card" }, element("h2", {}, each.title), table(each.columns, each.rows)));
  const draw = (): void => {
    for (const old of charts) old.destroy();
    charts = plots.map((plot, i) => chart(plot, figures[i]));
  };
  draw();
  onTheme(draw);
  new ResizeObserver(() => {
    charts.forEach((one, i) => {
      const width = Math.max(figures[i].clientWidth - 24, 200);
      if (Math.abs(one.width - width) > 1) one.setSize({ width, height: one.height });
    });
  }).observe(host);
  return charts;
}

export function showStudy(report: StudyReport, host: HTMLElement): uPlot[] {
  const main = element("main", { class: "study" });
  host.append(main);
  if (report.description) main.append(element("p", { class: "lead" }, report.description));
  const charts = addStudy(report.study_plots, report.tables, main);
  main.append(element("section", { class: "card" }, element("h2", {}, "Facts"), factTable(report.facts)));
  return charts;
}
