// The legend of beam colours: a selection of the stress and a scale with units.
import type { RunReport } from "./data";
import { element, pretty } from "./dom";
import { gradient, onTheme } from "./theme";

export function stressLegend(report: RunReport, choose: (kind: number) => void): HTMLElement | undefined {
  const stress = report.frames?.stress;
  if (!stress) return undefined;
  const select = element("select", { "aria-label": "Colour of beams" });
  stress.names.forEach((name, i) => select.append(element("option", { value: String(i) }, name)));
  select.append(element("option", { value: "-1" }, "plain"));
  const scale = element("div", { class: "scale", role: "img" });
  const most = element("span", {});
  const numbers = element("div", { class: "numbers" }, element("span", {}, "0"), most);
  const show = (): void => {
    const kind = Number(select.value);
    scale.hidden = numbers.hidden = kind < 0;
    if (kind >= 0) {
      const units = stress.units[kind];
      most.textContent = `${pretty(Number(stress.largest[kind].toPrecision(3)))}${units ? ` ${units}` : ""}`;
      scale.setAttribute("aria-label", `${stress.names[kind]} from 0 to ${most.textContent}`);
      scale.style.background = `linear-gradient(to right, ${gradient().join(", ")})`;
    }
    choose(kind);
  };
  select.addEventListener("change", show);
  onTheme(show);
  // initially bending, if there is any
  const bending = stress.names.indexOf("bending moment");
  const first = bending >= 0 && stress.largest[bending] > 0 ? bending : stress.largest.findIndex((one) => one > 0);
  select.value = String(Math.max(first, 0));
  show();
  return element("div", { class: "legend-stress", role: "group", "aria-label": "Stress of beams" }, select, scale, numbers);
}
