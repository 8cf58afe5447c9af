// Draws a map on a canvas: cells, labels, numbers where there is room, gold links, and what is in focus.
import type { Picture } from "../picture";
import type { Look } from "../studio";
import { short } from "../format";
import { at, type Grid } from "../matrix";
import { colourOf, inkOn, place, table, type Scale, type Theme } from "./colour";

export interface Frame {
  width: number; height: number; left: number; top: number;
  /** Size of a cell, and how far the map is shifted. */
  cell: number; x: number; y: number;
}

export interface Inks { ink: string; quiet: string; card: string; line: string; gold: string; focus: string; font: string }

const LONGEST = 18;
/** How far below the middle of its cell a number is that shares it with a sign, in cells. */
const BELOW_SIGN = 0.16;

/** The map as an image with one pixel a cell. */
export function pixels(map: Grid, scale: Scale, theme: Theme, most: number, mirrored: boolean): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, map.cols);
  canvas.height = Math.max(1, map.rows);
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(canvas.width, canvas.height);
  const colours = table(scale, theme);
  for (let r = 0; r < map.rows; r++) {
    for (let c = 0; c < map.cols; c++) {
      const value = at(map, r, c);
      const target = (r * map.cols + (mirrored ? map.cols - 1 - c : c)) * 4;
      const from = place(value, scale, most) * 3;
      const missing = Number.isNaN(value) ? (theme === "dark" ? 42 : 227) : -1;
      for (let k = 0; k < 3; k++) image.data[target + k] = missing >= 0 ? missing : colours[from + k]!;
      image.data[target + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Room for the labels, and a cell size at which the whole map fits the width. */
export function frameFor(picture: Picture, width: number, zoom: number, measure: (text: string) => number): Frame {
  const widest = (labels: string[]) => Math.max(24, ...labels.map((label) => measure(short(label, LONGEST))));
  const left = Math.min(widest(picture.rows) + 14, width * 0.34);
  const top = Math.min(widest(picture.cols) * 0.72 + 26, 150);
  const slanted = 30;
  const room = Math.max(40, width - left - slanted);
  const fitting = Math.min(54, room / Math.max(1, picture.map.cols));
  const least = picture.map.rows > 30 ? 620 : 760;
  const cell = Math.max(3, Math.min(fitting, least / Math.max(1, picture.map.rows))) * zoom;
  const height = Math.min(top + cell * picture.map.rows + 6, 820);
  return { width, height, left, top, cell, x: 0, y: 0 };
}

/** The same frame with its shift kept inside the map. */
export function clamped(frame: Frame, picture: Picture): Frame {
  const over = (size: number, room: number) => Math.max(0, size - room);
  const mostX = over(frame.cell * picture.map.cols, frame.width - frame.left - 4);
  const mostY = over(frame.cell * picture.map.rows, frame.height - frame.top - 4);
  return { ...frame, x: Math.min(Math.max(0, frame.x), mostX), y: Math.min(Math.max(0, frame.y), mostY) };
}

export function columnPlace(picture: Picture, col: number): number {
  return picture.colsRtl ? picture.map.cols - 1 - col : col;
}

/** Row and column under a point of the canvas. */
export function cellAt(frame: Frame, picture: Picture, px: number, py: number): Look {
  const row = Math.floor((py - frame.top + frame.y) / frame.cell);
  const shown = Math.floor((px - frame.left + frame.x) / frame.cell);
  const col = columnPlace(picture, shown);
  const inRows = py >= frame.top && row >= 0 && row < picture.map.rows;
  const inCols = px >= frame.left && shown >= 0 && shown < picture.map.cols;
  return { row: inRows ? row : null, col: inCols ? col : null };
}

export interface Scene {
  picture: Picture; frame: Frame; image: HTMLCanvasElement; scale: Scale; most: number; theme: Theme; inks: Inks;
  focus: Look; digits: number;
}

export function paint(context: CanvasRenderingContext2D, scene: Scene): void {
  const { picture, frame, inks } = scene;
  const { map } = picture;
  context.clearRect(0, 0, frame.width, frame.height);
  context.save();
  context.beginPath();
  context.rect(frame.left, frame.top, frame.width - frame.left, frame.height - frame.top);
  context.clip();
  context.imageSmoothingEnabled = false;
  const x0 = frame.left - frame.x;
  const y0 = frame.top - frame.y;
  context.drawImage(scene.image, x0, y0, frame.cell * map.cols, frame.cell * map.rows);
  if (frame.cell >= 10) paintLines(context, scene, x0, y0);
  if (frame.cell >= 30) paintNumbers(context, scene, x0, y0);
  paintGold(context, scene, x0, y0);
  if (frame.cell >= 22) paintSigns(context, scene, x0, y0);
  context.strokeStyle = inks.line;
  context.strokeRect(x0 + 0.5, y0 + 0.5, frame.cell * map.cols - 1, frame.cell * map.rows - 1);
  context.restore();
  paintLabels(context, scene, x0, y0);
  paintFocus(context, scene, x0, y0);
}

function paintLines(context: CanvasRenderingContext2D, { picture, frame, inks }: Scene, x0: number, y0: number): void {
  context.strokeStyle = inks.card;
  context.lineWidth = 1;
  context.beginPath();
  for (let c = 1; c < picture.map.cols; c++) {
    const x = Math.round(x0 + c * frame.cell) + 0.5;
    context.moveTo(x, y0);
    context.lineTo(x, y0 + picture.map.rows * frame.cell);
  }
  for (let r = 1; r < picture.map.rows; r++) {
    const y = Math.round(y0 + r * frame.cell) + 0.5;
    context.moveTo(x0, y);
    context.lineTo(x0 + picture.map.cols * frame.cell, y);
  }
  context.stroke();
}

function paintNumbers(context: CanvasRenderingContext2D, scene: Scene, x0: number, y0: number): void {
  const { picture, frame, scale, theme, most } = scene;
  context.font = `${Math.min(12, frame.cell * 0.32)}px ${scene.inks.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const signed = new Set(picture.signs?.map(({ row, col }) => `${row} ${col}`));
  for (let r = 0; r < picture.map.rows; r++) {
    const y = y0 + (r + 0.5) * frame.cell;
    if (y < frame.top - frame.cell || y > frame.height + frame.cell) continue;
    for (let c = 0; c < picture.map.cols; c++) {
      const value = at(picture.map, r, c);
      if (!(Math.abs(value) >= 0.005)) continue;
      context.fillStyle = inkOn(value, scale, theme, most);
      const text = value.toFixed(scene.digits).replace(/^(-?)0\./, "$1.").replace("-", "−");
      const below = signed.has(`${r} ${c}`) ? frame.cell * BELOW_SIGN : 0;
      context.fillText(text, x0 + (columnPlace(picture, c) + 0.5) * frame.cell, y + below);
    }
  }
}

function paintGold(context: CanvasRenderingContext2D, { picture, frame, inks }: Scene, x0: number, y0: number): void {
  if (!picture.gold) return;
  context.lineWidth = Math.max(1.5, Math.min(3, frame.cell / 10));
  for (const [source, target] of picture.gold) {
    const x = x0 + columnPlace(picture, source) * frame.cell;
    const y = y0 + target * frame.cell;
    const inset = context.lineWidth / 2 + 1;
    context.strokeStyle = inks.card;
    context.setLineDash([]);
    context.strokeRect(x + inset, y + inset, frame.cell - 2 * inset, frame.cell - 2 * inset);
    context.strokeStyle = inks.gold;
    context.setLineDash([4, 2]);
    context.strokeRect(x + inset, y + inset, frame.cell - 2 * inset, frame.cell - 2 * inset);
  }
  context.setLineDash([]);
  context.lineWidth = 1;
}

/** The signs stand in the upper corner, over a patch of the card's colour so that they can be read on any weight; the number is below. */
function paintSigns(context: CanvasRenderingContext2D, { picture, frame, inks }: Scene, x0: number, y0: number): void {
  context.font = `700 ${Math.min(11, frame.cell * 0.28)}px ${inks.font}`;
  context.textAlign = "left";
  context.textBaseline = "top";
  for (const { row, col, text } of picture.signs ?? []) {
    const [x, y] = [x0 + columnPlace(picture, col) * frame.cell + 3, y0 + row * frame.cell + 3];
    context.fillStyle = inks.card;
    context.fillRect(x, y, Math.min(frame.cell - 6, context.measureText(text).width + 3), Math.min(12, frame.cell * 0.3));
    context.fillStyle = inks.gold;
    context.fillText(text, x + 1, y, frame.cell - 6);
  }
}

function paintLabels(context: CanvasRenderingContext2D, scene: Scene, x0: number, y0: number): void {
  const { picture, frame, inks, focus } = scene;
  const size = Math.max(8, Math.min(14, frame.cell * 0.92));
  const every = Math.max(1, Math.ceil(9 / frame.cell));
  context.textBaseline = "middle";
  picture.rows.forEach((label, r) => {
    const y = y0 + (r + 0.5) * frame.cell;
    if (y < frame.top || y > frame.height || (r % every !== 0 && r !== focus.row)) return;
    const lit = r === focus.row;
    context.font = `${lit ? "700 " : ""}${size}px ${inks.font}`;
    context.fillStyle = lit || focus.row === null ? inks.ink : inks.quiet;
    context.textAlign = "right";
    context.fillText(short(label, LONGEST), frame.left - 8, y, frame.left - 10);
  });
  picture.cols.forEach((label, c) => {
    const x = x0 + (columnPlace(picture, c) + 0.5) * frame.cell;
    if (x < frame.left || x > frame.width || (c % every !== 0 && c !== focus.col)) return;
    const lit = c === focus.col;
    context.save();
    context.translate(x, frame.top - 7);
    context.rotate(-Math.PI / 4);
    context.font = `${lit ? "700 " : ""}${size}px ${inks.font}`;
    context.fillStyle = lit || focus.col === null ? inks.ink : inks.quiet;
    context.textAlign = "left";
    context.fillText(short(label, LONGEST), 0, 0);
    context.restore();
  });
}

function paintFocus(context: CanvasRenderingContext2D, { picture, frame, inks, focus }: Scene, x0: number, y0: number): void {
  context.save();
  context.beginPath();
  context.rect(frame.left - 2, frame.top - 2, frame.width - frame.left + 2, frame.height - frame.top + 2);
  context.clip();
  context.lineWidth = 2;
  context.strokeStyle = inks.focus;
  const { rows, cols } = picture.map;
  const { row, col } = focus;
  if (row !== null && row < rows) context.strokeRect(x0, y0 + row * frame.cell, frame.cell * cols, frame.cell);
  if (col !== null && col < cols) {
    const x = x0 + columnPlace(picture, col) * frame.cell;
    context.strokeRect(x, y0, frame.cell, frame.cell * rows);
  }
  context.restore();
}

export function legendStops(scale: Scale, theme: Theme, most: number): { value: number; colour: string }[] {
  const values = scale === "weights" ? [0, 0.25, 0.5, 0.75, 1] : [-1, -0.5, 0, 0.5, 1];
  return values.map((unit) => ({ value: unit * most, colour: colourOf(unit * most, scale, theme, most) }));
}
