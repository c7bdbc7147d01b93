// The panels beside and below the animation: verdict, notes, facts, the model, help.
import type { Level, RunReport } from "./data";
import { element, prose } from "./dom";

const LEVEL_CLASS: Record<Level, string> = { ok: "good", warn: "warn", broken: "bad" };

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

// Warnings and findings of the run, worst first.
function findings(report: RunReport): HTMLElement[] {
  const found: [Level, string][] = linesOf(report.warnings).map((text) => ["warn", text]);
  for (const line of linesOf(report.findings ?? "")) {
    const space = line.indexOf(" ");
    const level = line.slice(0, space);
    found.push([level === "broken" || level === "warn" ? level : "ok", line.slice(space + 1)]);
  }
  if (found.length === 0) return [];
  const order: Level[] = ["broken", "warn", "ok"];
  found.sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]));
  return [
    element(
      "ul",
      { class: "findings" },
      ...found.map(([level, text]) => element("li", { class: level === "ok" ? "plain" : LEVEL_CLASS[level] }, ...prose(text))),
    ),
  ];
}

export function verdictPanel(report: RunReport): HTMLElement {
  const section = element("section", { class: "card", "aria-labelledby": "verdict" });
  const count = (level: Level) => report.verdict.filter((v) => v.level === level).length;
  const bad = count("broken");
  const complete = report.status === "OK";
  const conserved = complete
    ? "Everything that this model conserves was conserved."
    : "The run was not completed; until it stopped, everything that this model conserves was conserved.";
  const none = "The run was not completed: there is no verdict.";
  const good = report.shows || (report.verdict.length === 0 ? none : conserved);
  const warned = report.level === "warn";
  const doubtful = "The laws of this model are satisfied, but the result is doubtful: see the warnings.";
  const broken = `${bad} of ${report.verdict.length} laws of this model did not hold.`;
  const words = bad > 0 ? broken : warned ? doubtful : good;
  const colour = bad > 0 || !complete ? "bad" : warned ? "warn" : "good";
  section.append(
    element("h2", { id: "verdict" }, "Verdict"),
    element("p", { class: colour }, words),
  );
  if (report.error) section.append(element("p", { class: "bad" }, report.error));
  section.append(...findings(report));
  if (report.verdict.length === 0) return section;
  const body = element("tbody");
  for (const v of report.verdict) {
    const name = element("th", { scope: "row" }, v.quantity);
    if (v.why) name.append(element("small", {}, v.why));
    body.append(
      element("tr", {}, name, element("td", {}, v.words),
        element("td", {}, element("span", { class: `chip ${LEVEL_CLASS[v.level]}` }, v.level))),
    );
  }
  const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "quantity"),
    element("th", { scope: "col" }, "over all steps"), element("th", { scope: "col" }, "")));
  section.append(element("div", { class: "scroll" }, element("table", { class: "verdict" }, head, body)));
  return section;
}

// A list of lines, if there are any.
function notes(title: string, text: string): HTMLElement | null {
  const lines = linesOf(text);
  if (lines.length === 0) return null;
  const list = element("ul", {}, ...lines.map((line) => element("li", {}, line)));
  return element("section", { class: "card note" }, element("h2", {}, title), list);
}

export function notePanels(report: RunReport): HTMLElement[] {
  return [notes("Thinned data", report.thinned)].filter(
    (note): note is HTMLElement => note !== null,
  );
}

export function factTable(facts: [string, string][]): HTMLElement {
  const list = element("dl", { class: "facts" });
  for (const [label, value] of facts) list.append(element("div", {}, element("dt", {}, label), element("dd", {}, value)));
  return list;
}

function folded(title: string, text: string): HTMLElement | null {
  if (text.trim() === "") return null;
  return element("details", {}, element("summary", {}, title), element("pre", { tabindex: "0" }, text));
}

export function factPanel(report: RunReport): HTMLElement {
  const section = element("section", { class: "card", "aria-labelledby": "facts" }, element("h2", { id: "facts" }, "Facts"));
  if (report.description) section.append(element("p", {}, report.description)); // the header shows its first line
  section.append(factTable([...report.facts, ["Result file", report.file]]));
  for (const part of [
    folded("Parameters", report.parameters.join("\n")),
    folded("Options of the run", report.settings.join("\n")),
    folded("The model file", report.model_text),
  ])
    if (part) section.append(part);
  return section;
}

const keys: [string, string][] = [
  ["space", "play, pause"],
  ["← →", "one frame back, forward; with shift ten"],
  ["home, end", "to the start, to the end"],
  ["+ −", "faster, slower"],
  ["L", "loop"],
  ["F", "fit everything into the picture"],
  ["1 2 3 4", "view from a corner, along x, y, z"],
  ["B", "follow the next body; after the last one none"],
  ["J, G, R, C, S", "show joints, ground grid, traces, contacts, shapes of several states or not"],
  ["P, V", "save a picture, record a video"],
  ["Z", "plots: whole time again"],
  ["T", "light or dark"],
  ["?", "this help"],
];

export function helpDialog(): HTMLDialogElement {
  const body = element("tbody");
  for (const [key, words] of keys) body.append(element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, key)), element("td", {}, words)));
  const close = element("button", { type: "button", class: "wide" }, "Close");
  const dialog = element(
    "dialog",
    { "aria-labelledby": "help" },
    element("h2", { id: "help" }, "Help"),
    element("p", {}, "Drag to orbit, with the right button or two fingers to move, wheel or pinch to zoom. In a plot drag over a stretch to zoom into it, double click for all of it, click to go to that time."),
    element("table", { class: "keys" }, body),
    close,
  );
  close.addEventListener("click", () => dialog.close());
  return dialog;
}
