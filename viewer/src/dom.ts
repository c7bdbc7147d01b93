// Helpers that build the page. Texts of the report are inserted as text, never as HTML.

type Child = Node | string | null | undefined;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

// A text of the report; what is between backticks is code.
export const prose = (text: string): Node[] =>
  text.split("`").map((part, i, parts) =>
    i % 2 === 1 && i < parts.length - 1 ? element("code", {}, part) : document.createTextNode(i % 2 === 1 ? `\`${part}` : part),
  );

// Icons: paths in a square of 24 units.
const icons: Record<string, string> = {
  play: "M7 4.5v15l13-7.5z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  back: "M18 5v14l-10-7zM5 5h2.4v14H5z",
  next: "M6 5v14l10-7zM16.600 5H19v14h-2.400z",
  loop: "M7 7h9v3l5-4-5-4v3H5v7h2zm10 10H8v-3l-5 4 5 4v-3h11v-7h-2z",
  fit: "M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z",
  picture: "M9 4 7.500 6H4v14h16V6h-3.500L15 4zm3 4.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9z",
  video: "M3 6h12v4l6-3.500v11L15 14v4H3z",
  theme: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 2a8 8 0 0 1 0 16z",
  help: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm1 15h-2v-2h2zm1.700-6.200-.9.900c-.6.600-.8 1.100-.8 2.300h-2v-.5c0-1 .4-1.900 1.100-2.600l1.100-1.100a1.600 1.600 0 1 0-2.700-1.200H8.400a3.600 3.600 0 1 1 6.300 2.200z",
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", icons[name]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

export function button(name: string, label: string, key: string, action: () => void): HTMLButtonElement {
  const hint = key ? `${label} (${key})` : label;
  const made = element("button", { type: "button", "aria-label": label, title: hint, class: "icon" });
  made.append(icon(name));
  made.addEventListener("click", action);
  return made;
}

// Downloads a file.
export function download(blob: Blob, name: string): void {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Formats a number with few digits.
export function pretty(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(3);
  return String(Number(value.toPrecision(5)));
}
