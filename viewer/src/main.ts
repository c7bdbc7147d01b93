// The page of reports.
import "./style.css";
import { contactPanel, contactsOf } from "./contacts";
import { Columns, readReport, type Report, type RunReport } from "./data";
import { button, element, pretty, prose } from "./dom";
import { stressLegend } from "./legend";
import { Motion } from "./motion";
import { factPanel, helpDialog, notePanels, verdictPanel } from "./panels";
import { Player } from "./player";
import { CurvePlots } from "./curves";
import { Plots, type PlotView } from "./plots";
import { openStage, type StageView } from "./stage";
import { addStudy, showStudy } from "./study";
import { onTheme, toggleTheme } from "./theme";

function header(report: Report, help: () => void): HTMLElement {
  const words = report.kind === "run" ? report.description : report.subtitle;
  const title = element("div", { class: "title" }, element("h1", {}, report.title));
  if (words) title.append(element("p", { title: words }, ...prose(words)));
  return element(
    "header",
    {},
    title,
    button("theme", "Light or dark", "T", toggleTheme),
    button("help", "Help", "?", help),
  );
}

// The controls beside the player: which node to follow and what to show.
function choices(report: RunReport, motion: Motion, stage: StageView, refresh: () => void) {
  const follow = element("select", { "aria-label": "Follow" }, element("option", { value: "-1" }, "follow nothing"));
  motion.nodes.slice(0, 500).forEach((name, i) => {
    const short = name.length > 40 ? `${name.slice(0, 39)}…` : name;
    follow.append(element("option", { value: String(i) }, `follow ${short}`));
  });
  follow.addEventListener("change", () => stage.follow(Number(follow.value)));
  const roles: [string, string, string[]][] = [
    ["joints", "J", ["joint", "support"]],
    ["grid", "G", ["grid"]],
    ["traces", "R", ["trace"]],
  ];
  if (stage.contacts > 0) roles.push(["contacts", "C", ["contact"]]);
  if (stage.shapes > 0) roles.push(["shapes", "S", ["shape"]]);
  const switches = new Map<string, HTMLInputElement>();
  const labels = roles.map(([name, key, list]) => {
    const box = element("input", { type: "checkbox" });
    box.checked = true;
    box.addEventListener("change", () => {
      for (const role of list) stage.show(role, box.checked);
      refresh();
    });
    switches.set(key.toLowerCase(), box);
    const thinned = name === "traces" && stage.traceStride > 1 ? ` (every ${stage.traceStride}-th frame)` : "";
    return element("label", { title: `Show ${name} (${key})` }, box, name + thinned);
  });
  const units = report.facts.find(([name]) => name === "Units")?.[1] ?? "SI";
  const step = element("span", { class: "muted" }, stage.gridStep === 0 ? "" : `grid ${pretty(stage.gridStep)}${units === "SI" ? " m" : ""}`);
  const bar = element(
    "div",
    { class: "bar choices", role: "group", "aria-label": "View" },
    button("fit", "Fit", "F", () => stage.fit()),
    follow,
    ...labels,
    step,
  );
  return { bar, follow, switches };
}

// The plots that can be added.
function picker(plots: PlotView, time: () => number): HTMLElement {
  const titles = element("datalist", { id: "plot-titles" });
  for (const plot of plots.list) titles.append(element("option", { value: plot.title }));
  const search = element("input", {
    type: "search", list: "plot-titles", "aria-label": "Add a plot", placeholder: `add one of ${plots.list.length} plots…`,
  });
  // a title that is complete, or the only one that contains the words
  const choose = (complete: boolean): void => {
    const words = search.value.trim().toLowerCase();
    const exact = plots.list.find((one) => one.title.toLowerCase() === words);
    const near = words === "" ? [] : plots.list.filter((one) => one.title.toLowerCase().includes(words));
    const plot = exact ?? (complete ? near[0] : undefined);
    if (!plot) return;
    plots.add(plot, time());
    search.value = "";
  };
  search.addEventListener("input", () => choose(false));
  search.addEventListener("keydown", (event) => event.key === "Enter" && choose(true));
  const reset = element("button", { type: "button", class: "quiet", title: "Show the whole time (Z)" }, "reset zoom");
  reset.addEventListener("click", () => plots.resetZoom());
  return element("div", { class: "bar tools" }, element("h2", {}, "Ledger"), search, titles, reset);
}

function keyboard(player: Player, stage: StageView, plots: PlotView, help: HTMLDialogElement, view: ReturnType<typeof choices>): void {
  const follow = (): void => {
    view.follow.selectedIndex = (view.follow.selectedIndex + 1) % view.follow.options.length;
    stage.follow(Number(view.follow.value));
  };
  const actions: Record<string, (shift: boolean) => void> = {
    " ": () => player.toggle(),
    arrowleft: (shift) => player.step(shift ? -10 : -1),
    arrowright: (shift) => player.step(shift ? 10 : 1),
    home: () => player.seek(-Infinity),
    end: () => player.seek(Infinity),
    "+": () => player.changeSpeed(1),
    "=": () => player.changeSpeed(1),
    "-": () => player.changeSpeed(-1),
    l: () => player.toggleLoop(),
    f: () => stage.fit(),
    "1": () => stage.view("corner"),
    "2": () => stage.view("x"),
    "3": () => stage.view("y"),
    "4": () => stage.view("z"),
    b: follow,
    j: () => view.switches.get("j")?.click(),
    g: () => view.switches.get("g")?.click(),
    r: () => view.switches.get("r")?.click(),
    c: () => view.switches.get("c")?.click(),
    s: () => view.switches.get("s")?.click(),
    p: () => void player.picture(),
    v: () => player.record(),
    z: () => plots.resetZoom(),
    t: () => toggleTheme(),
    "?": () => (help.open ? help.close() : help.showModal()),
  };
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const action = actions[event.key.toLowerCase()];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    if (help.open && event.key !== "?") return;
    // controls handle their own keys
    const range = target instanceof HTMLInputElement && target.type === "range";
    const own = target instanceof HTMLSelectElement || target instanceof HTMLButtonElement || (target instanceof HTMLInputElement && !range);
    if (own && (event.key === " " || target instanceof HTMLSelectElement)) return;
    event.preventDefault();
    action(event.shiftKey);
  });
}

// The units of contact forces, which are those of their plot.
function forceUnits(report: RunReport): string {
  return report.plots.find((plot) => plot.name === "contact_normal")?.units ?? "";
}

// `#stage` and `#stage=0.3` show only the scene, at that time: for a picture.
function pictureOnly(player: Player, stage: StageView): void {
  const asked = /^#stage(?:=(.*))?$/.exec(location.hash);
  if (!asked) return;
  document.body.classList.add("picture");
  const time = Number(asked[1] ?? "");
  if (asked[1] !== undefined && Number.isFinite(time)) player.seek(time);
  stage.resize();
  stage.fit();
  stage.render(true);
}

function showRun(report: RunReport, help: HTMLDialogElement): void {
  const host = element("div", { class: "stage" });
  const left = element("div", { class: "left" }, host);
  const right = element("div", { class: "right" });
  // a model of coordinates alone has nothing to draw: its plots are shown instead of the scene
  const drawn = (report.scene?.count ?? 0) > 0;
  document.body.append(element("main", { class: drawn ? "run" : "run undrawn" }, left, right));
  const motion = new Motion(report);
  motion.set(motion.start);
  const stage = openStage(report, motion, host);
  const legend = stressLegend(report, (kind) => stage.stress(kind));
  if (legend) host.append(legend);
  const ledger = element("div", { class: "plots" });
  let player: Player | undefined;
  const seek = (time: number): void => player?.seek(time);
  const plots: PlotView = motion.folded
    ? new CurvePlots(report, new Columns(report), ledger, motion.frames, seek)
    : new Plots(report, new Columns(report), ledger, seek);
  const contacts = contactsOf(report);
  const table = contacts && contactPanel(contacts, motion, forceUnits(report), seek);
  player = new Player(motion, stage, report.title.slice(0, 60), report.time_units, report.axis, (time) => {
    plots.setTime(time);
    table?.setTime(time);
  });
  const view = choices(report, motion, stage, () => player?.seek(player.time));
  left.append(player.bar, view.bar);
  right.append(verdictPanel(report));
  if (table) right.append(table.panel);
  right.append(element("section", { class: "card" }, picker(plots, () => player!.time), ledger));
  addStudy(report.study_plots, report.tables, right);
  right.append(...notePanels(report), factPanel(report));
  for (const plot of report.plots) if (plot.first) plots.add(plot, player.time);
  new ResizeObserver(() => plots.resize()).observe(ledger);
  onTheme(() => {
    stage.recolour();
    plots.redraw();
  });
  keyboard(player, stage, plots, help, view);
  const tick = (now: number): void => {
    player!.tick(now);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  Object.assign(window, { oloid: { report, motion, stage, player, plots } });
  if (stage.start >= 0) view.follow.value = String(stage.start);
  pictureOnly(player, stage);
  autoplay(player);
}

// The motion plays when the page opens, unless it shows a picture or the reader wants no motion.
function autoplay(player: Player): void {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches || location.hash !== "";
  if (!still) player.start();
}

function studyKeys(help: HTMLDialogElement): void {
  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && !help.open) help.showModal();
    if (event.key.toLowerCase() === "t" && !help.open && !event.ctrlKey && !event.metaKey) toggleTheme();
  });
}

function main(): void {
  const report = readReport();
  const help = helpDialog();
  document.title = report.title;
  document.body.prepend(header(report, () => help.showModal()));
  document.body.append(help);
  if (report.kind === "run") {
    showRun(report, help);
  } else {
    studyKeys(help);
    Object.assign(window, { oloid: { report, charts: showStudy(report, document.body) } });
  }
}

main();
