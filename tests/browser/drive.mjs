// Opens pages in a browser, uses them as a reader would, and writes down what it saw as JSON.
//
//   node drive.mjs PLAN.json OUTPUT.json
//
// The plan is a list of {name, page, controls, video}: with `controls`, everything on the page is used, and the page is
// opened on a phone, too; without, its contents are read and its motion is played. What must hold is in test_page.py. BROWSER names the browser, chromium by
// default. Everything is drawn by software, so that it looks the same everywhere.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const require = createRequire(fileURLToPath(new URL("../../viewer/package.json", import.meta.url)));
const { chromium } = require("playwright-core");
const [plan, output] = process.argv.slice(2);

// What the canvas shows: its colours and a hash of them.
async function look(page) {
  const pixels = await page.evaluate(() => {
    const canvas = document.querySelector(".stage canvas");
    window.oloid.stage.render(true);
    const copy = document.createElement("canvas");
    copy.width = 160;
    copy.height = 100;
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0, copy.width, copy.height);
    return Array.from(context.getImageData(0, 0, copy.width, copy.height).data);
  });
  const colours = new Set();
  for (let i = 0; i < pixels.length; i += 4) colours.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
  return { colours: colours.size, hash: createHash("sha1").update(Buffer.from(pixels)).digest("hex") };
}

const time = (page) => page.evaluate(() => window.oloid.player.time);
const heads = (page) =>
  page.evaluate(() =>
    [...window.oloid.plots.open.values()].map(({ data, head, chart }) => ({
      name: data.name,
      time: Number(head.dataset.time),
      x: new DOMMatrix(head.style.transform).e,
      expected: chart.valToPos(Number(head.dataset.time), "x"),
      legend: chart.legend.idx,
    })),
  );
const key = (page, name) => page.keyboard.press(name);

async function plotted(page) {
  return page.evaluate(() =>
    [...window.oloid.plots.open.values()].map(({ data, chart }) => ({
      name: data.name,
      columns: data.columns,
      scales: data.scales,
      drift: data.drift,
      log: chart.scales.y.distr === 3,
      labels: chart.series.slice(1).map((series) => series.label),
      all: data.labels,
      data: chart.data.map((column) => Array.from(column, (y) => (y === undefined ? null : y))),
    })),
  );
}

async function playing(page) {
  const before = { time: await time(page), look: await look(page) };
  await key(page, " ");
  await page.waitForFunction((start) => window.oloid.player.time > start, before.time, { timeout: 20000 });
  await page.waitForTimeout(250);
  const running = await page.evaluate(() => window.oloid.player.playing);
  await key(page, " ");
  const stopped = await time(page);
  await page.waitForTimeout(120);
  return { before, running, after: { time: stopped, look: await look(page) }, later: await time(page) };
}

async function scrubbing(page) {
  await page.locator("input[type=range]").first().evaluate((input) => {
    input.value = "25000";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const first = { time: await time(page), heads: await heads(page), look: await look(page) };
  await page.locator("input[type=range]").first().evaluate((input) => {
    input.value = "75000";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return { first, second: { time: await time(page), heads: await heads(page), look: await look(page) } };
}

async function keyboard(page) {
  const seen = {};
  await key(page, "Home");
  seen.home = await time(page);
  await key(page, "ArrowRight");
  seen.right = await time(page);
  await key(page, "Shift+ArrowRight");
  seen.shift = await time(page);
  await key(page, "ArrowLeft");
  seen.left = await time(page);
  await key(page, "End");
  seen.end = await time(page);
  seen.frames = await page.evaluate(() => Array.from(window.oloid.motion.time.slice(0, 12)));
  seen.last = await page.evaluate(() => window.oloid.motion.end);
  await key(page, "?");
  seen.help = await page.evaluate(() => document.querySelector("dialog").open);
  await key(page, "Escape");
  seen.closed = await page.evaluate(() => !document.querySelector("dialog").open);
  const speed = () => page.locator(".bar select").first().inputValue();
  seen.speed = Number(await speed());
  await key(page, "+");
  seen.faster = Number(await speed());
  await key(page, "-");
  await key(page, "-");
  seen.slower = Number(await speed());
  await key(page, "b");
  seen.followed = await page.locator("select[aria-label=Follow]").inputValue();
  await key(page, "1");
  const views = [];
  for (const view of ["1", "2", "3", "4"]) {
    await key(page, view);
    views.push((await look(page)).hash);
  }
  seen.views = new Set(views).size;
  await key(page, "1");
  const whole = (await look(page)).hash;
  await key(page, "g");
  seen.grid = (await look(page)).hash !== whole;
  await key(page, "g");
  await page.locator(".stage canvas").hover();
  await page.mouse.wheel(0, -400);
  await page.waitForTimeout(60);
  seen.zoomed = (await look(page)).hash !== whole;
  await key(page, "f");
  seen.fitted = (await look(page)).hash === whole;
  await page.mouse.down();
  await page.mouse.move(300, 300, { steps: 4 });
  await page.mouse.up();
  seen.orbited = (await look(page)).hash !== whole;
  await key(page, "1");
  return seen;
}

// The colours of beams: what the legend says, and pictures for bending, axial force and none at the same time.
async function legend(page) {
  const select = page.locator(".legend-stress select");
  if ((await select.count()) === 0) return null;
  await page.evaluate(() => window.oloid.player.seek(0.8 * window.oloid.motion.end));
  const seen = { looks: [(await look(page)).hash] };
  seen.chosen = await select.evaluate((one) => one.selectedOptions[0].textContent);
  seen.choices = await select.evaluate((one) => [...one.options].map((option) => option.textContent));
  seen.most = await page.locator(".legend-stress .numbers span").last().textContent();
  for (const choice of ["0", "-1"]) {
    await select.selectOption(choice);
    seen.looks.push((await look(page)).hash);
  }
  seen.plain = await page.locator(".legend-stress .scale").isHidden();
  await select.selectOption("2");
  await page.locator(".stage canvas").focus();
  return seen;
}

// Contacts: their table at 0.8 of the time, the impacts that plots mark, and pictures with and without marks.
async function contacts(page) {
  if ((await page.locator("table.contacts").count()) === 0) return null;
  await page.evaluate(() => window.oloid.player.seek(0.8 * window.oloid.motion.end));
  const seen = await page.evaluate(() => {
    const { plots, player } = window.oloid;
    const rows = [...document.querySelectorAll("table.contacts tbody tr")].map((row) => ({
      name: row.querySelector("th").textContent,
      now: row.querySelector(".chip").textContent,
      force: row.querySelector(".number").textContent,
      bars: row.querySelectorAll("rect").length,
    }));
    const { ctx, bbox } = [...plots.open.values()][0].chart;
    const edge = ctx.getImageData(bbox.left, bbox.top + 3, bbox.width, 1).data;
    let red = 0;
    for (let i = 0; i < edge.length; i += 4) red += edge[i] > edge[i + 2] + 40 && edge[i + 3] > 100 ? 1 : 0;
    return { time: player.time, rows, impacts: Array.from(plots.impacts), red };
  });
  seen.looks = [(await look(page)).hash];
  await key(page, "c");
  seen.looks.push((await look(page)).hash);
  await key(page, "c");
  return seen;
}

async function zooming(page) {
  const range = () =>
    page.evaluate(() => [...window.oloid.plots.open.values()].map(({ chart }) => [chart.scales.x.min, chart.scales.x.max]));
  const before = await range();
  await page.locator(".u-over").first().scrollIntoViewIfNeeded();
  const box = await page.locator(".u-over").first().boundingBox();
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 40, { steps: 5 });
  await page.mouse.up();
  const zoomed = await range();
  await page.mouse.move(5, 5);
  await key(page, "z");
  const reset = await range();
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 40);
  return { before, zoomed, reset, clicked: await time(page) };
}

// Ratio of the luminances of text and ground (WCAG 2).
async function contrasts(page) {
  return page.evaluate(() => {
    const parse = (text) => text.match(/[\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const ground = (element) => {
      for (let e = element; e; e = e.parentElement) {
        const colour = parse(getComputedStyle(e).backgroundColor);
        if (colour.length < 4 || colour[3] > 0.9) return colour;
      }
      return [255, 255, 255];
    };
    const found = {};
    for (const selector of ["h1", "header p", "h2", "td", ".chip", "dt", "dd", "figcaption", ".clock", ".u-legend th", "summary"]) {
      const element = document.querySelector(selector);
      if (!element) continue;
      const [a, b] = [luminance(parse(getComputedStyle(element).color)), luminance(ground(element))];
      found[selector] = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }
    return found;
  });
}

async function names(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll("button, select, input, canvas")].map(
      (e) => e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim() || "",
    ),
  );
}

async function downloads(page, video) {
  const seen = {};
  const saved = async (press) => {
    const [download] = await Promise.all([page.waitForEvent("download", { timeout: 60000 }), key(page, press)]);
    const bytes = readFileSync(await download.path());
    return { name: download.suggestedFilename(), size: bytes.length, magic: bytes.subarray(0, 4).toString("hex") };
  };
  seen.picture = await saved("p");
  if (video) {
    await key(page, "+");
    await key(page, "+");
    seen.video = await saved("v");
  }
  return seen;
}

async function open(browser, item, seen, options) {
  const context = await browser.newContext({ viewport: { width: 960, height: 620 }, ...options });
  const page = await context.newPage();
  page.on("console", (message) => {
    // what software rendering says about itself is not the page's
    if (!/GPU stall|GL Driver Message|swiftshader/i.test(message.text())) seen.console.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => seen.console.push(`error: ${error.message}`));
  page.on("dialog", async (dialog) => {
    seen.dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!/^(blob|data):/.test(request.url())) seen.requests.push(request.url());
  });
  await page.goto(`file://${item.page}`);
  await page.waitForFunction(() => window.oloid !== undefined, undefined, { timeout: 30000 });
  seen.autoplay ??= await page.evaluate(() => window.oloid.player?.playing ?? null);
  await page.evaluate(() => {
    window.oloid.player?.stop(); // the motion plays when the page opens
    window.oloid.player?.seek(-Infinity);
  });
  return { context, page };
}

async function useStudy(page, seen) {
  seen.charts = await page.evaluate(() => window.oloid.charts.map((chart) => chart.data.map((column) => Array.from(column, (y) => y ?? null))));
  seen.tables = await page.evaluate(() => [...document.querySelectorAll("table")].map((table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent))));
  seen.contrast = { light: await contrasts(page) };
}

// A path of equilibria whose load turns back: clock, curves and their marks along the path, a click into a curve, shapes.
async function usePath(page, seen) {
  seen.path = await page.evaluate(() => {
    const { player, motion, plots, stage } = window.oloid;
    const clock = () => Number(document.querySelector(".clock").textContent.split("=")[1]);
    const marks = () => [...plots.open.values()].flatMap((one) => one.marks.map((mark) => [Number(mark.getAttribute("cx")), Number(mark.getAttribute("cy"))]));
    const loads = [];
    const positions = [];
    for (let frame = 0; frame < motion.frames; frame++) {
      player.seek(frame);
      loads.push(clock());
      positions.push(marks());
    }
    const figure = [...plots.open.values()].find((one) => one.data.name === "loaded.position") ?? [...plots.open.values()][0];
    const box = figure.svg.getBoundingClientRect();
    const middle = Math.floor(motion.frames / 2);
    const at = figure.pointAt(figure.curves[0], middle);
    figure.svg.dispatchEvent(new MouseEvent("click", { clientX: box.left + at[0], clientY: box.top + at[1] }));
    return { loads, marks: positions, middle, clicked: player.time, shapes: stage.shapes, names: [...plots.open.keys()], curves: figure.curves.map(({ label, time, values }) => ({ label, time, values })) };
  });
}

// What a reader sees first: findings, axes, speeds, transparent bodies, the search of plots.
async function firstLook(page) {
  const seen = await page.evaluate(() => ({
    findings: [...document.querySelectorAll(".findings li")].map((one) => ({ text: one.textContent, level: one.className, bottom: one.getBoundingClientRect().bottom })),
    window: innerHeight,
    triad: [...document.querySelectorAll(".triad text")].map((one) => ({ name: one.textContent, x: Number(one.getAttribute("x")), y: Number(one.getAttribute("y")) })),
    speeds: [...document.querySelectorAll("select[aria-label=Speed] option")].map((one) => Number(one.value)),
    follow: document.querySelector("select[aria-label=Follow]").value,
    clear: window.oloid.stage.batches?.filter((batch) => batch.mesh.material.transparent).flatMap((batch) => batch.rows.map((row) => window.oloid.report.scene.name[row])),
    painted: (window.oloid.stage.batches ?? []).flatMap(({ mesh, rows }) =>
      rows.map((row, i) => ({
        name: window.oloid.report.scene.name[row],
        primitive: window.oloid.report.scene.primitive[row],
        color: "#" + mesh.material.color.clone().fromArray(mesh.instanceColor.array, 3 * i).getHexString(),
        opacity: mesh.material.opacity,
      }))),
    titles: window.oloid.plots.list.map((one) => one.title),
    stage: document.querySelector(".stage").offsetHeight,
    ledger: document.querySelector(".plots").offsetWidth,
    captions: [...document.querySelectorAll("figcaption")].map((one) => one.firstChild.textContent),
    code: [...document.querySelectorAll(".findings code")].map((one) => one.textContent),
    errors: (({ min, max }) => [min, max])(window.oloid.plots.open.get("constraint_error")?.chart?.scales.y ?? {}),
    // of springs, both of the length of the spring: the wire, and from one winding to the next
    wire: (window.oloid.stage.batches ?? []).filter(({ rows }) => window.oloid.report.scene.primitive[rows[0]] === "coil").map(({ mesh }) => {
      const position = mesh.geometry.attributes.position;
      const heights = [];
      for (let i = 0; i < position.count; i++) if (position.getX(i) > 1.05 && Math.abs(position.getY(i)) < 0.12) heights.push(position.getZ(i));
      heights.sort((a, b) => a - b);
      const gaps = heights.slice(1).map((z, i) => z - heights[i]);
      return [0.76 / 9 - Math.max(...gaps), 0.76 / 9];
    })[0],
    clock: document.querySelector(".clock").textContent,
    axes: [...window.oloid.plots.open.values()].map(({ chart }) => chart.series[0].label),
    // the thinnest drawn axis in pixels, at the distance that the camera looks at
    thinnest: Math.min(...(window.oloid.stage.batches ?? []).flatMap(({ mesh }) => {
      const m = mesh.instanceMatrix.array;
      const sizes = [];
      for (let i = 0; i < m.length; i += 4) if ((i / 4) % 4 < 3) sizes.push(Math.hypot(m[i], m[i + 1], m[i + 2]));
      return sizes;
    })) / window.oloid.stage.pixel,
  }));
  const before = await page.evaluate(() => window.oloid.plots.open.size);
  const closed = await page.evaluate(() => window.oloid.plots.list.find((one) => !window.oloid.plots.open.has(one.name))?.title ?? null);
  if (closed !== null) {
    const search = page.locator("input[type=search]");
    await search.fill(closed.slice(0, -1).toUpperCase());
    await search.press("Enter");
    seen.opened = (await page.evaluate(() => window.oloid.plots.open.size)) - before;
    await page.evaluate((title) => window.oloid.plots.remove(window.oloid.plots.list.find((one) => one.title === title)?.name), closed);
  }
  return seen;
}

async function useRun(browser, item, page, seen) {
  seen.title = await page.locator("h1").textContent();
  seen.texts = await page.locator("body").innerText();
  seen.look = await look(page);
  seen.plotted = await plotted(page);
  seen.playing = await playing(page);
  seen.scrubbing = await scrubbing(page);
  seen.legend = await legend(page);
  seen.contacts = await contacts(page);
  seen.firstLook = await firstLook(page);
  if (item.controls) await useControls(browser, item, page, seen);
}

// What does not depend on the contents of a page: keys, zoom, downloads, colours, a small screen.
async function useControls(browser, item, page, seen) {
  seen.keyboard = await keyboard(page);
  seen.zooming = await zooming(page);
  seen.names = await names(page);
  seen.downloads = await downloads(page, item.video);
  seen.contrast = { light: await contrasts(page) };
  await key(page, "Home");
  const light = (await look(page)).hash;
  await key(page, "t");
  seen.theme = await page.evaluate(() => document.documentElement.dataset.theme);
  seen.toggled = (await look(page)).hash !== light;
  seen.contrast.dark = await contrasts(page);
  const phone = await open(browser, item, seen, { viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true, isMobile: true });
  seen.phone = {
    theme: await phone.page.evaluate(() => document.documentElement.dataset.theme),
    overflow: await phone.page.evaluate(() => document.scrollingElement.scrollWidth - window.innerWidth),
    canvas: await phone.page.locator(".stage canvas").boundingBox(),
    look: await look(phone.page),
  };
  await phone.context.close();
}

const browser = await chromium.launch({
  executablePath: process.env.BROWSER || "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--font-render-hinting=none"],
});
const results = {};
for (const item of JSON.parse(readFileSync(plan, "utf8"))) {
  const seen = { console: [], requests: [], dialogs: [] };
  const began = Date.now();
  try {
    const { context, page } = await open(browser, item, seen, { colorScheme: "light" });
    const kind = await page.evaluate(() => window.oloid.report.kind);
    if (kind === "study") await useStudy(page, seen);
    else if (item.path) await usePath(page, seen);
    else await useRun(browser, item, page, seen);
    await context.close();
  } catch (error) {
    seen.failure = String(error);
  }
  seen.seconds = (Date.now() - began) / 1000;
  results[item.name] = seen;
}
await browser.close();

// A browser that has no WebGL still shows the ledger.
const poor = await chromium.launch({ executablePath: process.env.BROWSER || "/usr/bin/chromium", args: ["--no-sandbox", "--disable-3d-apis"] });
const blind = { console: [], requests: [], dialogs: [] };
const { page: plain } = await open(poor, JSON.parse(readFileSync(plan, "utf8"))[0], blind, {});
blind.texts = await plain.locator("body").innerText();
await key(plain, "End");
blind.heads = await heads(plain);
results["no WebGL"] = { ...blind, seconds: 0 };
await poor.close();
writeFileSync(output, JSON.stringify(results));
