// Pictures of what is a table or a grid on the page, for files: light, with every text a text node.
import { number, short } from "../format";
import { at, type Grid } from "../matrix";
import { colourOf } from "./colour";
import { element, SVG } from "./svg";

export type Cell = string | number | null;

const [INK, QUIET, LINE, BAR] = ["#161b24", "#535c6b", "#dde2ea", "#4a90c2"];
const FONT = "Noto Sans KR, Noto Sans CJK KR, Apple SD Gothic Neo, Malgun Gothic, Jumok Hangul, sans-serif";
const ROW = 24;
const LONGEST = 90;

/** About how wide a text is at 13 pixels: Hangul and Han letters fill a square, Latin ones a good half. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += /[\u1100-\u11ff\u3000-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u.test(letter) ? 13 : 7.4;
  return width;
}

export function cellText(cell: Cell): string {
  if (typeof cell === "number") return Number.isInteger(cell) ? String(cell) : number(cell);
  return short(cell ?? "", LONGEST);
}

function canvas(width: number, height: number): SVGSVGElement {
  const svg = element("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT });
  svg.append(element("rect", { width, height, fill: "#ffffff" }));
  return svg as SVGSVGElement;
}

/** A table drawn as it stands; `bar` is a column of shares from 0 to 1 that are drawn as bars too. */
export function tableSvg(columns: readonly string[], rows: readonly Cell[][], bar: number | null = null): SVGSVGElement {
  const texts = [columns.map((name) => short(name, LONGEST)), ...rows.map((row) => row.map(cellText))];
  const widths = columns.map((_, c) => Math.max(...texts.map((row) => widthOf(row[c] ?? ""))) + 22);
  const table = widths.reduce((a, b) => a + b, 0);
  const svg = canvas(Math.ceil(table + 16 + (bar === null ? 0 : 180)), texts.length * ROW + 16);
  texts.forEach((row, r) => {
    const y = 8 + r * ROW;
    let x = 8;
    row.forEach((text, c) => {
      const look = { x: x + 6, y: y + 16, "font-size": 13, fill: r === 0 ? QUIET : INK, "font-weight": c === 0 && r > 0 ? 600 : 400 };
      svg.append(element("text", look, text));
      x += widths[c]!;
    });
    svg.append(element("line", { x1: 8, x2: table + 8, y1: y + ROW, y2: y + ROW, stroke: LINE }));
    const share = bar === null || r === 0 ? null : rows[r - 1]![bar];
    if (typeof share === "number") {
      const width = Math.max(1, Math.min(1, Math.max(0, share)) * 164);
      svg.append(element("rect", { x: table + 14, y: y + 5, width, height: 14, fill: BAR }));
    }
  });
  return svg;
}

export interface GridPicture { href: string; map: Grid; mirrored: boolean }
export interface GridLine { name: string; pictures: GridPicture[] }

const THUMB = 84;

/** Weights below this are left white where every cell is a shape of its own. */
const FAINT = 0.02;

/** The cells of a small map as shapes. */
function cells({ map, mirrored }: GridPicture, place: { x: number; y: number }): Element[] {
  const [width, height] = [THUMB / map.cols, THUMB / map.rows];
  const found: Element[] = [];
  for (let r = 0; r < map.rows; r++) {
    for (let c = 0; c < map.cols; c++) {
      const value = at(map, r, c);
      if (!(value >= FAINT)) continue;
      const x = place.x + (mirrored ? map.cols - 1 - c : c) * width;
      found.push(element("rect", { x: x.toFixed(2), y: (place.y + r * height).toFixed(2), width: width.toFixed(2),
        height: height.toFixed(2), fill: colourOf(value, "weights", "light") }));
    }
  }
  return found;
}

/** Small maps in lines, each an image with one pixel a cell, drawn large with hard edges; or all of it as shapes. */
export function gridSvg(lines: readonly GridLine[], pixels = true): SVGSVGElement {
  const left = Math.max(40, ...lines.map((line) => widthOf(line.name))) + 16;
  const most = Math.max(1, ...lines.map((line) => line.pictures.length));
  const svg = canvas(left + most * (THUMB + 8) + 8, lines.length * (THUMB + 8) + 12);
  lines.forEach((line, l) => {
    const y = 8 + l * (THUMB + 8);
    svg.append(element("text", { x: 8, y: y + THUMB / 2 + 4, "font-size": 13, fill: INK }, line.name));
    line.pictures.forEach((picture, p) => {
      const place = { x: left + p * (THUMB + 8), y, width: THUMB, height: THUMB };
      if (pixels) svg.append(element("image", { ...place, href: picture.href, preserveAspectRatio: "none", "image-rendering": "pixelated" }));
      else svg.append(...cells(picture, place));
      svg.append(element("rect", { ...place, fill: "none", stroke: LINE }));
    });
  });
  return svg;
}
