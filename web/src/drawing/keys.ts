// Walking through a map with the keyboard.
import type { Look } from "../studio";

const STEPS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
};

/** Where a key leads from a place in a map; null where the key means nothing here. */
export function walk(key: string, from: Look, rows: number, cols: number, mirrored = false): Look | null {
  if (rows === 0 || cols === 0) return null;
  const row = from.row ?? 0;
  const col = from.col ?? 0;
  if (key === "Home") return { row, col: 0 };
  if (key === "End") return { row, col: cols - 1 };
  const step = STEPS[key];
  if (!step) return null;
  if (from.row === null && from.col === null) return { row: 0, col: 0 };
  const across = mirrored ? -step[1] : step[1];
  const within = (place: number, size: number) => Math.min(size - 1, Math.max(0, place));
  return { row: within(row + step[0], rows), col: within(col + across, cols) };
}
