// Pictures as SVG files: every element made by name, every text a text node.
import type { Picture } from "../picture";
import { at } from "../matrix";
import { short } from "../format";
import { colourOf, inkOn, type Scale } from "./colour";
import { columnPlace } from "./heat";

export const SVG = "http://www.w3.org/2000/svg";
const FONT = "Noto Sans KR, Noto Sans CJK KR, Apple SD Gothic Neo, Malgun Gothic, Jumok Hangul, sans-serif";

type Attributes = Record<string, string | number>;

export function element(name: string, attributes: Attributes = {}, text?: string): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

const CELL = 34;

/** A map as it is printed: light, with labels, numbers and gold links. */
export function matrixSvg(picture: Picture, scale: Scale, most: number): SVGSVGElement {
  const longest = (labels: string[]) => Math.max(3, ...labels.map((label) => [...short(label, 18)].length));
  const left = longest(picture.rows) * 11 + 16;
  const top = longest(picture.cols) * 8 + 24;
  const { rows, cols } = picture.map;
  const width = left + cols * CELL + longest(picture.cols.slice(-1)) * 8 + 8;
  const height = top + rows * CELL + 8;
  const svg = element("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT });
  svg.append(element("rect", { width, height, fill: "#ffffff" }));
  picture.cols.forEach((label, c) => {
    const x = left + (columnPlace(picture, c) + 0.5) * CELL;
    const turn = `translate(${x} ${top - 7}) rotate(-45)`;
    svg.append(element("text", { transform: turn, "font-size": 13, fill: "#161b24" }, short(label, 18)));
  });
  picture.rows.forEach((label, r) => {
    const y = top + (r + 0.5) * CELL + 4.5;
    svg.append(element("text", { x: left - 8, y, "text-anchor": "end", "font-size": 13, fill: "#161b24" }, short(label, 18)));
    for (let c = 0; c < cols; c++) svg.append(...cellOf(picture, r, c, left, top, scale, most));
  });
  for (const [source, target] of picture.gold ?? []) {
    const x = left + columnPlace(picture, source) * CELL + 2;
    const box = { x, y: top + target * CELL + 2, width: CELL - 4, height: CELL - 4, fill: "none" };
    svg.append(element("rect", { ...box, stroke: "#b34700", "stroke-width": 2, "stroke-dasharray": "4 2" }));
  }
  return svg as SVGSVGElement;
}

function cellOf(
  picture: Picture, r: number, c: number, left: number, top: number, scale: Scale, most: number,
): SVGElement[] {
  const value = at(picture.map, r, c);
  const x = left + columnPlace(picture, c) * CELL;
  const y = top + r * CELL;
  const fill = colourOf(value, scale, "light", most);
  const rect = element("rect", { x, y, width: CELL, height: CELL, fill, stroke: "#ffffff" });
  rect.append(element("title", {}, `${picture.rows[r]} ← ${picture.cols[c]}: ${Number.isNaN(value) ? "–" : value.toFixed(4)}`));
  if (!(Math.abs(value) >= 0.005)) return [rect];
  const place = { x: x + CELL / 2, y: y + CELL / 2 + 3.5, "text-anchor": "middle", "font-size": 10 };
  const ink = inkOn(value, scale, "light", most);
  return [rect, element("text", { ...place, fill: ink }, value.toFixed(2))];
}

const COPIED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "fill-opacity", "opacity",
  "font-size", "font-weight", "text-anchor", "direction", "dominant-baseline"];

/** A drawn SVG as a file of its own: what style sheets gave it is written into its attributes. */
export function standalone(drawn: SVGSVGElement, background: string): SVGSVGElement {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const from = [drawn, ...drawn.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((source, i) => {
    const style = getComputedStyle(source);
    const target = to[i]!;
    for (const name of COPIED) target.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex", "role", "part"]) target.removeAttribute(name);
  });
  const box = drawn.viewBox.baseVal;
  const [width, height] = box && box.width > 0 ? [box.width, box.height] : [drawn.clientWidth, drawn.clientHeight];
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("viewBox", `${box?.x ?? 0} ${box?.y ?? 0} ${width} ${height}`);
  copy.setAttribute("font-family", FONT);
  copy.prepend(element("rect", { x: box?.x ?? 0, y: box?.y ?? 0, width, height, fill: background }));
  return copy;
}
