// Colour scales that do not depend on telling red from green: lightness alone carries the value.
import { scaleLinear } from "d3-scale";

export type Theme = "light" | "dark";
export type Scale = "weights" | "difference";

const STOPS: Record<Theme, Record<Scale, string[]>> = {
  light: {
    weights: ["#f6f8fb", "#d3e3f1", "#93c0de", "#4a90c2", "#1c5f9c", "#0b2f63"],
    difference: ["#1c5f9c", "#7db3d8", "#f4f4f2", "#eaa865", "#a34d00"],
  },
  dark: {
    weights: ["#161c27", "#1d3a5c", "#2a6496", "#5199c4", "#9bcde8", "#f0faff"],
    difference: ["#7cc2f2", "#2a6496", "#1d212a", "#a05a14", "#ffb566"],
  },
};

const tables = new Map<string, Uint8ClampedArray>();
const STEPS = 256;

function parse(colour: string): [number, number, number] {
  const found = /rgba?\((\d+), (\d+), (\d+)/.exec(colour);
  return found ? [Number(found[1]), Number(found[2]), Number(found[3])] : [0, 0, 0];
}

/** 256 colours of a scale, as red, green, blue. */
export function table(scale: Scale, theme: Theme): Uint8ClampedArray {
  const key = `${scale}-${theme}`;
  const known = tables.get(key);
  if (known) return known;
  const stops = STOPS[theme][scale];
  const domain = stops.map((_, i) => (i / (stops.length - 1)) * (STEPS - 1));
  const colour = scaleLinear<string>().domain(domain).range(stops).clamp(true);
  const out = new Uint8ClampedArray(STEPS * 3);
  for (let i = 0; i < STEPS; i++) out.set(parse(colour(i)), i * 3);
  tables.set(key, out);
  return out;
}

/** Place of a value in a table: weights run from 0 to `most`, differences from −most to +most. */
export function place(value: number, scale: Scale, most: number): number {
  const share = most > 0 ? value / most : 0;
  const unit = scale === "weights" ? share : (share + 1) / 2;
  return Math.round(Math.min(1, Math.max(0, unit)) * (STEPS - 1));
}

export function colourOf(value: number, scale: Scale, theme: Theme, most = 1): string {
  if (Number.isNaN(value)) return theme === "dark" ? "#2a2f3a" : "#e3e3e3";
  const colours = table(scale, theme);
  const i = place(value, scale, most) * 3;
  return `rgb(${colours[i]}, ${colours[i + 1]}, ${colours[i + 2]})`;
}

/** Black or white, whichever is read better on the colour of a value. */
export function inkOn(value: number, scale: Scale, theme: Theme, most = 1): string {
  const [r, g, b] = parse(colourOf(value, scale, theme, most));
  const linear = (c: number) => ((c / 255) <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const light = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  return light > 0.18 ? "#0c1018" : "#ffffff";
}

/** Hues for lines that must be told apart (Okabe and Ito 2008), with one dash pattern each. */
export const LINES: Record<Theme, string[]> = {
  light: ["#0072b2", "#b34700", "#00795a", "#a0467c", "#6b5d00", "#3b3f46"],
  dark: ["#56b4e9", "#f0a050", "#3fd0a5", "#e59ac6", "#e5d54a", "#c9ced8"],
};
export const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 2", "12 4"];
