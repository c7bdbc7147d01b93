// Light and dark theme: that of the system, until the user selects one.

export type Theme = "light" | "dark";

const system = window.matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let chosen: Theme | undefined;

export function theme(): Theme {
  return chosen ?? (system.matches ? "dark" : "light");
}

function apply(): void {
  document.documentElement.dataset.theme = theme();
  for (const listener of listeners) listener();
}

export function toggleTheme(): void {
  chosen = theme() === "dark" ? "light" : "dark";
  apply();
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

// A colour of the style sheet.
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Colours of curves and bodies: different in hue and lightness, readable on both grounds.
export function palette(): string[] {
  return theme() === "dark"
    ? ["#5aa9ff", "#ffa657", "#3fd0a4", "#e58fc0", "#e3c34a", "#a78bfa", "#7dd3fc", "#9aa4b2"]
    : ["#1769c2", "#d1570a", "#0a8f68", "#b6478a", "#a07a00", "#6d4bd1", "#0e8fb8", "#66707d"];
}

// A scale of increasing values: lightness increases on a dark ground and decreases on a light one.
export function gradient(): string[] {
  return theme() === "dark"
    ? ["#3b4cc0", "#2f86c9", "#2bb3a6", "#8bd048", "#f4e13b"]
    : ["#8fbce6", "#4d94d6", "#5a5fc4", "#9a2f96", "#b3123c"];
}

system.addEventListener("change", apply);
document.documentElement.dataset.theme = theme();
