// Attention over the regions of a picture: what is drawn for one word, and for many.
import type { PictureRead } from "./contract";
import { at } from "./matrix";
import type { Picture } from "./picture";
import { element, SVG } from "./drawing/svg";
import { short } from "./format";

/** How dark a region is that is not looked at. */
const SHADE = 0.78;

export const countOf = (read: PictureRead): number => read.rows * read.columns;
export const hrefOf = (png: string): string => `data:image/png;base64,${png}`;

/** The weights of a row over the regions, without the end of a sentence that a picture does not have. */
export function weightsOf(map: Picture, row: number, read: PictureRead): number[] {
  return Array.from({ length: countOf(read) }, (_, i) => at(map.map, row, i));
}

/** The weight of every row on one region. */
export function looksAt(map: Picture, region: number): number[] {
  return map.rows.map((_, r) => at(map.map, r, region));
}

/** How dark each region is drawn: not at all where the weight is largest. */
export function shades(weights: readonly number[]): number[] {
  const most = Math.max(...weights, 1e-12);
  return weights.map((weight) => SHADE * (1 - Math.max(0, weight || 0) / most));
}

export interface Box { x: number; y: number; width: number; height: number }

/** Where a region lies in a picture that is drawn `width` × `height`. */
export function boxOf(region: number, read: PictureRead, width: number, height: number): Box {
  const [w, h] = [width / read.columns, height / read.rows];
  return { x: (region % read.columns) * w, y: Math.floor(region / read.columns) * h, width: w, height: h };
}

const SIDE = 120;

/** One small picture for each word, as it is printed. */
export function stripSvg(map: Picture, read: PictureRead): SVGSVGElement {
  const across = Math.min(6, Math.max(1, map.rows.length));
  const [step, tall] = [SIDE + 14, (SIDE * read.height) / read.width];
  const width = across * step + 14;
  const height = Math.ceil(map.rows.length / across) * (tall + 36) + 14;
  const svg = element("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "Noto Sans KR, sans-serif" });
  svg.append(element("rect", { width, height, fill: "#ffffff" }));
  map.rows.forEach((word, r) => {
    const [x, y] = [14 + (r % across) * step, 14 + Math.floor(r / across) * (tall + 36)];
    svg.append(element("text", { x: x + SIDE / 2, y: y + 12, "text-anchor": "middle", "font-size": 13, fill: "#161b24" }, short(word, 16)));
    svg.append(element("image", { href: hrefOf(read.png), x, y: y + 20, width: SIDE, height: tall, preserveAspectRatio: "none" }));
    const weights = weightsOf(map, r, read);
    shades(weights).forEach((shade, i) => {
      const box = boxOf(i, read, SIDE, tall);
      const cell = element("rect", { ...box, x: x + box.x, y: y + 20 + box.y, fill: "#0b1020", "fill-opacity": shade.toFixed(3) });
      cell.append(element("title", {}, `${word}: ${weights[i]!.toFixed(4)}`));
      svg.append(cell);
    });
  });
  return svg as SVGSVGElement;
}
