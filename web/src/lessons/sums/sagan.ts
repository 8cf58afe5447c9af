// Self-attention over the pixels of a feature map, as in SAGAN: y = γ o + x.
import { uniform } from "./seeded";
import { added, dot, scaled, softmax, sum, weighted } from "./vectors";

/** A butterfly: two wings of one colour far apart, a body, and a meadow around them. */
export const MAP = [
  "...........",
  ".ww.....ww.",
  ".www.b.www.",
  ".wwwwbwwww.",
  ".www.b.www.",
  ".ww.....ww.",
  "...........",
];
export const [HEIGHT, WIDTH] = [MAP.length, MAP[0]!.length];
const COLOURS: Record<string, number[]> = { w: [0.75, 0.1, -0.65], b: [-0.6, -0.6, -0.4], ".": [-0.35, 0.45, -0.35] };
const SHARP = 6;

/** Colours of all pixels from −1 to 1, with noise. */
export const PIXELS: number[][] = (() => {
  const next = uniform(5);
  return MAP.flatMap((row) => [...row].map((mark) => COLOURS[mark]!.map((value) => value + (next() - 0.5) * 0.3)));
})();

export const isWing = (pixel: number): boolean => MAP[Math.floor(pixel / WIDTH)]![pixel % WIDTH] === "w";
export const isRight = (pixel: number): boolean => pixel % WIDTH > (WIDTH - 1) / 2;

/** β: how much a pixel looks at each other one. */
export const looks = (pixel: number): number[] => softmax(PIXELS.map((other) => SHARP * dot(PIXELS[pixel]!, other)));

/** Whether a pixel sees another one after so many convolutions of width 3: each reaches one pixel further. */
export const isNear = (pixel: number, other: number, layers = 1, width = WIDTH): boolean =>
  Math.abs(Math.floor(pixel / width) - Math.floor(other / width)) <= layers && Math.abs((pixel % width) - (other % width)) <= layers;

/** The weight that lies beyond what the convolutions see. */
export const farShare = (pixel: number, weights: readonly number[], layers = 1, width = WIDTH): number =>
  sum(weights.filter((_, other) => !isNear(pixel, other, layers, width)));

/** Where a position of a generator's map looks: its row of levels from 0 to 255 in base64, as a distribution. */
export function rowOf(levels: string, position: number, positions: number): number[] {
  const bytes = atob(levels);
  const row = Array.from({ length: positions }, (_, i) => bytes.charCodeAt(position * positions + i));
  const all = sum(row);
  return row.map((level) => level / all);
}

const attended = PIXELS.map((_, pixel) => weighted(looks(pixel), PIXELS));

/** The layer's output y = γ o + x for all pixels. */
export const outputs = (gamma: number): number[][] => added(scaled(attended, gamma), PIXELS);
export const attendedAt = (pixel: number): number[] => attended[pixel]!;
